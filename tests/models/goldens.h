// Stored arrays as tensors, and the measures in which stages are compared with them.
#pragma once

#include "tests/catch.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "lib/io/npy.h"
#include "lib/ops/backend.h"
#include "models/weights.h"

namespace grasppanda::tests {

/// The arrays of one golden case.
class Goldens {
 public:
  explicit Goldens(std::filesystem::path folder) : folder_(std::move(folder)) {}
  bool has(const std::string& name) const { return std::filesystem::exists(file(name)); }
  at::Tensor operator()(const std::string& name) const {
    return models::tensor_of(io::read_npy(file(name)));
  }
  /// Integers of any width as int64.
  at::Tensor integers(const std::string& name) const { return (*this)(name).to(at::kLong); }

 private:
  std::filesystem::path file(const std::string& name) const { return folder_ / (name + ".npy"); }
  std::filesystem::path folder_;
};

/// Largest difference, and the one that 99 % stay below.
struct Deviation {
  double largest, of_99_percent;
};

inline Deviation deviation(const at::Tensor& difference) {
  // A comparison of nothing, or with NaN in it, must not look like agreement.
  REQUIRE(difference.numel() > 0);
  const at::Tensor sorted = std::get<0>(difference.abs().to(at::kDouble).flatten().sort());
  REQUIRE(at::isfinite(sorted).all().item<bool>());
  const std::int64_t n = sorted.numel();
  return {sorted[n - 1].item<double>(), sorted[std::min(n - 1, n * 99 / 100)].item<double>()};
}

/// Per channel, relative to its largest magnitude (rows of features).
inline Deviation channel_deviation(const at::Tensor& got, const at::Tensor& want) {
  REQUIRE(got.sizes() == want.sizes());
  return deviation((got - want) / want.abs().amax(0).clamp_min(1e-30));
}

/// Relative to 1 + the largest magnitude of the row (raw heads).
inline Deviation row_deviation(const at::Tensor& got, const at::Tensor& want) {
  const at::Tensor rows = want.reshape({want.size(0), -1});
  return deviation((got.reshape(rows.sizes()) - rows) / (1 + rows.abs().amax(1, true)));
}

inline Deviation absolute_deviation(const at::Tensor& got, const at::Tensor& want) {
  REQUIRE(got.sizes() == want.sizes());
  return deviation(got - want);
}

inline void check_equal_integers(const at::Tensor& got, const at::Tensor& want) {
  REQUIRE(got.numel() > 0);
  CHECK(got.to(at::kLong).equal(want.to(at::kLong)));
}

/// The backends that a model test runs with: none changes a number.
inline const std::array<std::pair<const char*, ops::Backend>, 2> kBackends = {
    {{"auto", ops::Backend::automatic}, {"reference", ops::Backend::reference}}};

inline ops::BackendChoice all_operators(ops::Backend backend) {
  ops::BackendChoice choice;
  for (const std::string_view key : ops::kSelectableOperators) choice[key] = backend;
  return choice;
}

}  // namespace grasppanda::tests
