#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "lib/ops/rotated/rotated_iou.h"
#include "tests/catch.h"
#include "tests/ops/golden_cases.h"

namespace grasppanda::tests {
namespace {

nlohmann::json read_json(const std::filesystem::path& file) {
  return nlohmann::json::parse(std::ifstream(file));
}

double largest(const at::Tensor& difference) {
  REQUIRE(difference.numel() > 0);
  return difference.abs().max().item<double>();
}

TEST_CASE("rotated_iou: Shapely's numbers", "[rotated]") {
  GP_NEED_DATA(folder, "goldens/rotated_ops");
  const auto pairs = [&](const char* name) { return npz_tensor(folder / "pairs.npz", name); };
  const at::Tensor a = pairs("a"), b = pairs("b"), want = pairs("exact_f64"), tag = pairs("tag");
  const at::Tensor got = ops::aligned_rotated_iou(a, b);
  const std::vector<std::string> tags = read_json(folder / "pairs_tags.json");
  REQUIRE(got.size(0) == 836);
  for (std::size_t t = 0; t < tags.size(); ++t) {
    const at::Tensor rows = tag.eq(static_cast<int64_t>(t)).nonzero().squeeze(1);
    const at::Tensor difference = (got - want).index_select(0, rows).abs();
    const bool extreme = tags[t].find("1e-3") != std::string::npos ||
                         tags[t].find("1e5") != std::string::npos || tags[t] == "subpixel";
    INFO(tags[t] << ": " << largest(difference));
    CHECK(largest(difference) <= (extreme ? 1e-6 : 1e-9));
  }
  const at::Tensor swapped = ops::aligned_rotated_iou(b, a);
  CHECK(swapped.equal(got));

  const auto matrix = [&](const char* name) { return npz_tensor(folder / "matrix.npz", name); };
  const at::Tensor exact =
      ops::rotated_iou(matrix("boxes1").to(at::kDouble), matrix("boxes2").to(at::kDouble));
  CHECK(largest(exact - matrix("exact")) <= 1e-9);
  CHECK(
      largest(ops::rotated_iou(matrix("large").to(at::kDouble), matrix("boxes2").to(at::kDouble)) -
              matrix("exact_large")) <= 1e-9);
  CHECK(ops::rotated_iou(matrix("boxes1"), matrix("boxes2")).equal(exact.to(at::kFloat)));

  const std::filesystem::path strata = folder / "strata_mix1400.npz";
  CHECK(largest(ops::aligned_rotated_iou(npz_tensor(strata, "a").to(at::kDouble),
                                         npz_tensor(strata, "b").to(at::kDouble)) -
                npz_tensor(strata, "exact")) <= 1e-9);
}

TEST_CASE("rotated_iou: pairs that other routines got wrong", "[rotated]") {
  GP_NEED_DATA(file, "data/troubles/rotated_iou_pairs.json");
  int pairs = 0;
  const nlohmann::json listed = read_json(file);
  for (const auto& entry : listed.at("pairs")) {
    INFO(entry.dump());
    const std::vector<double> a = entry.at("a"), b = entry.at("b");
    const at::Tensor box_a = at::tensor(a, at::kDouble).view({1, 5});
    const at::Tensor box_b = at::tensor(b, at::kDouble).view({1, 5});
    for (const auto& kernel : ops::rotated_iou_kernels().kernels_on(c10::kCPU))
      for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const auto run = [&](const at::Tensor& x, const at::Tensor& y) {
          return kernel.run(x.to(type), y.to(type), true, ops::OverlapRatio::iou).item<double>();
        };
        const double tolerance = entry.at("tolerance");
        CHECK(run(box_a, box_b) == Approx(entry.at("iou").get<double>()).margin(tolerance));
        CHECK(run(box_a, box_b) == run(box_b, box_a));
      }
    ++pairs;
  }
  CHECK(pairs > 30);
}

}  // namespace
}  // namespace grasppanda::tests
