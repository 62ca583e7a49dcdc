// Cases in the format of goldens/ops (cases.json and npz archives), and arrays as tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lib/io/array.h"
#include "lib/ops/operator_list.h"

namespace grasppanda::tests {

at::Tensor tensor_of(const io::Array& array);
/// One array of an npz archive.
at::Tensor npz_tensor(const std::filesystem::path& archive, const std::string& name);
at::Tensor npy_tensor(const std::filesystem::path& file);

struct GoldenCase {
  std::string id, op, note;
  ops::OperatorCall::Values values;            // inputs and parameters
  std::map<std::string, at::Tensor> expected;  // empty: the call must be refused
  int64_t queries_in_band = 0;                 // of cylinder_query: queries a BLAS may decide
  bool clear = false;  // of cylinder_query: no point near enough to the surface to be undecided
};

/// Throws where the folder does not hold what its cases.json says.
std::vector<GoldenCase> read_golden_cases(const std::filesystem::path& folder);

/// Runs a case and compares: integers exactly, `squared` bit for bit, `distance` to one unit in the
/// last place, `weight` and `value` to 1e-6. Empty, or what differs.
std::string golden_difference(const GoldenCase& golden);

}  // namespace grasppanda::tests
