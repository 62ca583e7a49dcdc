// The unit cases that MinkowskiEngine computed: negative coordinates, two batch items.
#include <string>
#include <vector>

#include "lib/ops/operator_list.h"
#include "lib/ops/sparse/kernel_map.h"
#include "tests/catch.h"
#include "tests/ops/golden_cases.h"

namespace grasppanda::tests {
namespace {

/// Rows by (batch, x, y, z).
at::Tensor sorted_order(const at::Tensor& coords) {
  const at::Tensor c = coords.to(at::kLong) + (1 << 14);
  const at::Tensor key =
      ((c.select(1, 0) * (1 << 15) + c.select(1, 1)) * (1 << 15) + c.select(1, 2)) * (1 << 15) +
      c.select(1, 3);
  return key.argsort();
}

struct Layer {
  std::string name, input;  // input: the layer whose output it takes
  int stride, tensor_stride;
  bool transposed = false;
};

TEST_CASE("sparse_convolution: the recorded layers, both backends") {
  GP_NEED_DATA(folder, "goldens/gsnet/mink_ops");
  const std::vector<Layer> layers = {{"k5s1", "in", 1, 1},
                                     {"k3s1", "in", 1, 1},
                                     {"k1s1", "in", 1, 1},
                                     {"k2s2", "in", 2, 1},
                                     {"k3s1_stride2", "k2s2", 1, 2},
                                     {"k2s2_stride2to4", "k2s2", 2, 2},
                                     {"k2s2_stride4to8", "k2s2_stride2to4", 2, 4},
                                     {"t2s2_stride8to4", "k2s2_stride4to8", 2, 8, true},
                                     {"t2s2_stride4to2", "t2s2_stride8to4", 2, 4, true},
                                     {"t2s2_stride2to1", "t2s2_stride4to2", 2, 2, true}};
  const auto load = [&](const std::string& name) { return npy_tensor(folder / (name + ".npy")); };
  for (const auto backend : {ops::Backend::compiled, ops::Backend::reference}) {
    const ops::ScopedBackends scoped(ops::all_backends(backend));
    for (const Layer& layer : layers) {
      INFO(layer.name << " " << ops::backend_name(backend));
      const std::string input = layer.input == "in" ? "in_" : layer.input + "_out_";
      const at::Tensor want_coords = load(layer.name + "_out_coords");
      ops::OperatorCall::Values values = {
          {"in_coords", load(input + "coords")},
          {"in_feats", load(input + "feats")},
          {"kernel", load(layer.name + "_kernel")},
          {"stride", std::to_string(layer.transposed ? 1 : layer.stride)},
          {"tensor_stride", std::to_string(layer.tensor_stride)},
          {"transposed", layer.transposed ? "true" : "false"}};
      if (layer.transposed) values["out_coords"] = want_coords;
      const ops::NamedTensors got = ops::run_operator("sparse_convolution", values);
      // The order of rows is nobody's business: compare sorted.
      const at::Tensor order = sorted_order(got.at("out_coords"));
      REQUIRE(got.at("out_coords").index_select(0, order).equal(want_coords));
      const at::Tensor want = load(layer.name + "_out_feats");
      const double largest = want.abs().max().item<double>();
      REQUIRE(largest > 0.1);
      CHECK((got.at("out_feats").index_select(0, order) - want).abs().max().item<double>() <
            2e-6 * largest);
    }
  }
}

TEST_CASE("kernel offsets are those of MinkowskiEngine") {
  GP_NEED_DATA(folder, "goldens/gsnet/mink_ops");
  for (const int64_t size : {2, 3, 5})
    CHECK(ops::kernel_offsets(size).equal(
        npy_tensor(folder / ("offsets_k" + std::to_string(size) + ".npy"))));
}

}  // namespace
}  // namespace grasppanda::tests
