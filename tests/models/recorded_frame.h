// The masked cloud of a recorded frame, as the program makes it.
#pragma once

#include "tests/catch.h"

#include <filesystem>

#include "lib/datasets/inputs.h"
#include "lib/datasets/masked_cloud.h"

namespace grasppanda::tests {

/// (n, 3) float64, metres, camera frame.
inline at::Tensor recorded_cloud(const std::filesystem::path& folder) {
  const auto inputs = datasets::list_inputs({folder.string()});
  REQUIRE(inputs.size() == 1);
  const datasets::MaskedCloud cloud =
      datasets::masked_cloud(datasets::open_input(inputs.front(), {}), {});
  return at::tensor(cloud.xyz, at::kDouble).view({cloud.points(), 3});
}

}  // namespace grasppanda::tests
