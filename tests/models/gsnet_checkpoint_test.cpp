// Checkpoints of GSNet in every form they come in, and those of other models under its name. The
// weights are those of the goldens.
#include <algorithm>
#include <string>
#include <vector>

#include "lib/io/checkpoint.h"
#include "lib/io/safetensors.h"
#include "models/checkpoint_error.h"
#include "tests/models/gsnet_goldens.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/torch_writer.h"

namespace grasppanda::models {
namespace {

using Tensors = std::vector<io::NamedArray>;

const ModelEntry& entry(const std::string& name) {
  const ModelEntry* found = find_model(name);
  REQUIRE(found != nullptr);
  return *found;
}

Tensors complete(const ModelEntry& model) {
  Tensors tensors;
  for (const ExpectedTensor& want : model.expected(nullptr)) {
    std::int64_t count = 1;
    for (const std::int64_t size : want.shape) count *= size;
    tensors.push_back(
        {want.key,
         io::make_array(want.shape, std::vector<float>(static_cast<std::size_t>(count), 0.25F))});
  }
  return tensors;
}

std::string refusal(const ModelEntry& model, const Tensors& tensors) {
  try {
    require_match(model, match_checkpoint(model, nullptr, tensors), tensors, "file.tar");
  } catch (const CheckpointError& error) {
    return error.what();
  }
  FAIL("accepted");
  return {};
}

TEST_CASE("GSNet checkpoint: the published list, in its order, all of it and nothing else") {
  const ModelEntry& model = entry("gsnet");
  CHECK(full_name(model) == "grasp/gsnet");
  const auto expected = model.expected(nullptr);
  CHECK(expected.size() == 216);
  CHECK(expected.front().key == "backbone.conv0p1s1.kernel");
  CHECK(expected.back().key == "swad.conv_swad.bias");
  const Tensors tensors = complete(model);
  std::int64_t numbers = 0;
  for (const io::NamedArray& tensor : tensors) numbers += tensor.array.numel();
  CHECK(numbers == 15364369);
  CHECK(match_checkpoint(model, nullptr, tensors).fits());
  CHECK(model.recognises(tensors));
  GP_NEED_DATA(folder, "goldens/gsnet");
  const auto& golden = tests::gsnet_weights(folder).tensors;
  REQUIRE(golden.size() == expected.size());
  for (std::size_t i = 0; i < golden.size(); ++i) {
    CHECK(golden[i].key == expected[i].key);
    CHECK(golden[i].array.shape == expected[i].shape);
  }
}

TEST_CASE("GSNet checkpoint: the weights of another model are told by name, both ways") {
  const ModelEntry& gsnet = entry("gsnet");
  const ModelEntry& other = entry("contact_graspnet");
  const std::string text = refusal(gsnet, complete(other));
  INFO(text);
  CHECK(text.find("does not fit gsnet: it is one of contact_graspnet (set model.name: "
                  "contact_graspnet; its configurations: configs/contact_graspnet*.yaml)") != std::string::npos);
  CHECK(refusal(other, complete(gsnet)).find("it is one of gsnet (set model.name: gsnet;") !=
        std::string::npos);
  // A GSNet of another size is recognised and refused by the tensors that differ.
  Tensors changed = complete(gsnet);
  const auto found = std::ranges::find(changed, "rotation.conv2.bias", &io::NamedArray::key);
  found->array = io::make_array({10}, std::vector<float>(10, 1));
  CHECK(refusal(gsnet, changed)
            .find("'rotation.conv2.bias' has shape (10,), the model wants (300,)") !=
        std::string::npos);
}

TEST_CASE("GSNet checkpoint: zip, legacy, safetensors and a module. prefix give the same grasps") {
  GP_NEED_DATA(folder, "goldens/gsnet");
  const auto& weights = tests::gsnet_weights(folder);
  const at::Tensor points = tests::Goldens(folder)("cloud_sampled").narrow(0, 0, 600);
  const auto grasps = [&](const Tensors& tensors) {
    const ModelEntry& model = entry("gsnet");
    require_match(model, match_checkpoint(model, nullptr, tensors), tensors, "file.tar");
    const auto built = tests::gsnet_model(tensors, "postprocess: {collision: {enabled: false}}\n");
    return tests::rows_of(built->predict(tests::points_input(points)).grasps);
  };
  const at::Tensor want = grasps(weights.tensors);
  REQUIRE(want.size(0) > 10);
  const tests::ScratchFolder scratch;
  tests::GoldenWeights prefixed = weights;
  prefixed.tensors = tests::prefixed(weights.tensors, "module.");
  const auto written = [&](const std::string& name, const tests::GoldenWeights& content,
                           tests::TorchFormat format) {
    tests::TorchContent file = tests::torch_content(content);
    file.location = "cuda:0";  // as saved where it was trained
    return io::read_checkpoint(scratch.file(name, tests::torch_file(file, format)));
  };
  const io::Checkpoint zip = written("zip.tar", prefixed, tests::TorchFormat::zip);
  CHECK(zip.tensors.size() == 216);
  CHECK(grasps(zip.tensors).equal(want));
  CHECK(grasps(written("legacy.tar", weights, tests::TorchFormat::legacy).tensors).equal(want));
  io::write_safetensors(scratch.path() / "w.safetensors", weights.tensors);
  CHECK(grasps(io::read_checkpoint(scratch.path() / "w.safetensors").tensors).equal(want));
}

}  // namespace
}  // namespace grasppanda::models
