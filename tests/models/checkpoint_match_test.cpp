#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lib/io/checkpoint.h"
#include "lib/io/safetensors.h"
#include "models/checkpoint_error.h"
#include "models/model.h"
#include "models/weights.h"
#include "tests/catch.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::models {
namespace {

using Tensors = std::vector<io::NamedArray>;

const ModelEntry& contact_graspnet() {
  const ModelEntry* entry = find_model("contact_graspnet");
  REQUIRE(entry != nullptr);
  return *entry;
}

io::Array filled(const std::vector<std::int64_t>& shape, float value) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return io::make_array(shape, std::vector<float>(static_cast<std::size_t>(count), value));
}

/// Everything the model wants, in its own shapes.
Tensors complete(const ModelEntry& model) {
  Tensors tensors;
  for (const ExpectedTensor& want : model.expected(nullptr)) {
    const bool counter = want.key.ends_with("num_batches_tracked");
    tensors.push_back({want.key, counter ? io::make_array({}, std::vector<std::int64_t>{7})
                                         : filled(want.shape, 0.25F)});
  }
  return tensors;
}

Tensors::iterator find(Tensors& tensors, const std::string& key) {
  const auto found = std::ranges::find(tensors, key, &io::NamedArray::key);
  REQUIRE(found != tensors.end());
  return found;
}

std::string refusal(const ModelEntry& model, const Tensors& tensors) {
  try {
    require_match(model, match_checkpoint(model, nullptr, tensors), tensors, "file.pth");
  } catch (const CheckpointError& error) {
    return error.what();
  }
  FAIL("accepted");
  return {};
}

bool holds(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

TEST_CASE("checkpoint: the published list of Contact-GraspNet, all of it and nothing else") {
  const ModelEntry& model = contact_graspnet();
  const Tensors tensors = complete(model);
  CHECK(tensors.size() == 295);
  std::int64_t numbers = 0;
  for (const io::NamedArray& tensor : tensors) numbers += tensor.array.numel();
  CHECK(numbers == 2231473);
  const CheckpointMatch match = match_checkpoint(model, nullptr, tensors);
  CHECK(match.fits());
  CHECK(match.not_finite.empty());
  CHECK(match.unused.size() == 21);  // the level that no result depends on
  CHECK(model.recognises(tensors));
  CHECK(full_name(model) == "grasp/contact_graspnet");
  CHECK_NOTHROW(require_match(model, match, tensors, "file.pth"));
}

TEST_CASE("checkpoint: the trained weights fit") {
  GP_NEED_DATA(weights, "data/weights/contact_graspnet.safetensors");
  const io::Checkpoint file = io::read_checkpoint(weights);
  const CheckpointMatch match = match_checkpoint(contact_graspnet(), nullptr, file.tensors);
  CHECK(match.fits());
  CHECK(match.not_finite.empty());
  CHECK(match.unused.size() == 21);
  CHECK(contact_graspnet().recognises(file.tensors));
}

TEST_CASE("checkpoint: a file without the unused level fits, a prefix on every key is no matter") {
  const ModelEntry& model = contact_graspnet();
  Tensors tensors = complete(model);
  std::erase_if(tensors, [](const io::NamedArray& tensor) {
    return tensor.key.starts_with("set_abstract_final");
  });
  for (io::NamedArray& tensor : tensors) tensor.key = "module." + tensor.key;
  const CheckpointMatch match = match_checkpoint(model, nullptr, tensors);
  CHECK(match.fits());
  CHECK(match.unused.empty());
  CHECK(model.recognises(tensors));
}

TEST_CASE("checkpoint: missing, left over and misshapen tensors are named, ten and the total") {
  const ModelEntry& model = contact_graspnet();
  SECTION("missing") {
    Tensors tensors = complete(model);
    tensors.erase(find(tensors, "multihead.1.0.weight"));
    const std::string text = refusal(model, tensors);
    CHECK(holds(text,
                "file.pth does not fit contact_graspnet: 1 tensor missing: "
                "multihead.1.0.weight"));
  }
  SECTION("left over") {
    Tensors tensors = complete(model);
    for (int i = 0; i < 12; ++i) {
      tensors.push_back({"extra." + std::to_string(i), filled({2}, 1)});
    }
    const std::string text = refusal(model, tensors);
    CHECK(holds(text, "12 tensors not expected: extra.0, extra.1"));
    CHECK(holds(text, "extra.9, ..."));
    CHECK_FALSE(holds(text, "extra.10"));
  }
  SECTION("another shape") {
    Tensors tensors = complete(model);
    find(tensors, "feat_prop.1.nn.0.0.weight")->array = filled({256, 895}, 1);
    CHECK(holds(refusal(model, tensors),
                "'feat_prop.1.nn.0.0.weight' has shape (256, 895), the model wants (256, 896)"));
  }
  SECTION("integers in place of weights") {
    Tensors tensors = complete(model);
    find(tensors, "multihead.0.3.bias")->array = io::make_array({1}, std::vector<std::int64_t>{1});
    CHECK(holds(refusal(model, tensors), "'multihead.0.3.bias' is int64 (1,)"));
  }
  SECTION("nothing at all") {
    CHECK(holds(refusal(model, {}), "it holds no tensors; 274 tensors missing"));
  }
}

TEST_CASE("checkpoint: a model that tolerates leftovers only reports them") {
  ModelEntry model = contact_graspnet();
  model.tolerates_leftovers = true;
  Tensors tensors = complete(model);
  tensors.push_back({"extra.weight", filled({2}, 1)});
  const CheckpointMatch match = match_checkpoint(model, nullptr, tensors);
  CHECK(match.fits());
  CHECK(match.unexpected == std::vector<std::string>{"extra.weight"});
  CHECK_NOTHROW(require_match(model, match, tensors, "file.pth"));
  tensors.erase(find(tensors, "multihead.1.0.weight"));
  CHECK(holds(refusal(model, tensors), "1 tensor missing: multihead.1.0.weight"));
  // The two projects differ: MMRotate warns, the others are strict.
  for (const ModelEntry& entry : model_list()) {
    CHECK(entry.tolerates_leftovers == (entry.family == "mmrotate"));
  }
}

TEST_CASE("checkpoint: NaN and infinite weights are refused by name") {
  const ModelEntry& model = contact_graspnet();
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    Tensors tensors = complete(model);
    find(tensors, "multihead.2.3.bias")->array = io::make_array({3}, std::vector<float>{1, bad, 1});
    const CheckpointMatch match = match_checkpoint(model, nullptr, tensors);
    CHECK(match.fits());
    CHECK(match.not_finite == std::vector<std::string>{"multihead.2.3.bias"});
    CHECK(holds(refusal(model, tensors),
                "1 tensor with NaN or infinite weights: "
                "multihead.2.3.bias"));
  }
  // Where no result depends on them they do no harm.
  Tensors tensors = complete(model);
  find(tensors, "set_abstract_final.0.0.bias")->array = filled({256}, std::nanf(""));
  CHECK_NOTHROW(
      require_match(model, match_checkpoint(model, nullptr, tensors), tensors, "file.pth"));
}

TEST_CASE("checkpoint: the weights of another model are told by name") {
  // A model that is not in the list wants other names; the file is one of Contact-GraspNet.
  const ModelEntry other = {"another_model", "grasp",
                            [](const config::Config*) {
                              return std::vector<ExpectedTensor>{{"backbone.weight", {3, 4}}};
                            },
                            [](std::span<const io::NamedArray>) { return false; }, nullptr};
  const std::string text = refusal(other, complete(contact_graspnet()));
  CHECK(holds(text,
              "does not fit another_model: it is one of contact_graspnet "
              "(set model.name: contact_graspnet; its configurations: "
              "configs/contact_graspnet*.yaml)"));
  CHECK(holds(text, "1 tensor missing: backbone.weight; 295 tensors not expected"));
}

TEST_CASE("weights: half, bfloat16 and double become float32; integers are refused") {
  const tests::ScratchFolder scratch;
  const std::vector<std::uint16_t> half = {0x3c00, 0xc100}, bfloat = {0x3f80, 0xc020};
  const Tensors tensors = {
      {"half", io::make_array(io::DType::float16, {2}, std::as_bytes(std::span(half)))},
      {"bfloat", io::make_array(io::DType::bfloat16, {2}, std::as_bytes(std::span(bfloat)))},
      {"double", io::make_array({2}, std::vector<double>{1.0, -2.5})},
      {"module.single", io::make_array({2}, std::vector<float>{1.0F, -2.5F})},
      {"count", io::make_array({}, std::vector<std::int64_t>{3})}};
  io::write_safetensors(scratch.path() / "w.safetensors", tensors);
  const Weights weights(io::read_checkpoint(scratch.path() / "w.safetensors").tensors);
  for (const char* key : {"half", "bfloat", "double", "single"}) {
    CAPTURE(key);
    CHECK(weights(key).equal(at::tensor({1.0F, -2.5F})));
  }
  CHECK_THROWS_AS(weights("count"), CheckpointError);
  CHECK_THROWS_AS(weights("absent"), CheckpointError);
}

}  // namespace
}  // namespace grasppanda::models
