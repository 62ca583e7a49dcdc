// Which file is which: the two projects, their detectors, backbones, lines and angle versions, and
// the detectors that are recognised but refused.
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lib/io/json_file.h"
#include "models/backbones/resnet.h"
#include "models/checkpoint_error.h"
#include "models/mmrotate/settings.h"
#include "models/mmrotate/trunk.h"
#include "models/model.h"
#include "tests/catch.h"
#include "tests/models/published_goldens.h"
#include "tests/support/torch_writer.h"

namespace grasppanda::models {
namespace {

using Tensors = std::vector<io::NamedArray>;

/// What a call is refused with; empty when it is not.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

io::NamedArray shaped(const std::string& key, std::vector<std::int64_t> shape) {
  io::NamedArray tensor{key, {}};
  tensor.array.shape = std::move(shape);
  return tensor;
}

Tensors shaped(const std::vector<ExpectedTensor>& expected) {
  Tensors tensors;
  for (const ExpectedTensor& want : expected) tensors.push_back(shaped(want.key, want.shape));
  return tensors;
}

TEST_CASE("Detectors of MMRotate that are not supported are refused by name",
          "[models][mmrotate]") {
  GP_NEED_DATA(file, "goldens/mmrotate/keys_extensions.json");
  const nlohmann::json golden = io::read_json(file);
  int kinds = 0;
  for (const auto& [name, keys] : golden.items()) {
    if (!keys.is_object()) continue;
    CAPTURE(name);
    Tensors tensors;
    for (const auto& [key, shape] : keys.items()) {
      tensors.push_back(shaped(key, shape.get<std::vector<std::int64_t>>()));
    }
    const std::string wanted = name.starts_with("s2anet")    ? "S2ANet"
                               : name.starts_with("r3det")   ? "R3Det"
                               : name.starts_with("gliding") ? "Gliding Vertex"
                                                             : "RTMDet-R";
    CHECK(unsupported_model(tensors) == wanted + " of MMRotate");
    // Under any configuration, also where all is there that its model wants: R3Det's first head is
    // a RetinaNet's.
    for (const ModelEntry& model : model_list()) {
      const std::string told = refusal([&] { require_match(model, {}, tensors, "f"); });
      CHECK(contains(told, wanted + " of MMRotate, which is recognised but not supported"));
    }
    ++kinds;
  }
  CHECK(kinds == 7);
}

TEST_CASE("Every published detector knows its own tensors, and nobody else's", "[models]") {
  for (const ModelEntry& entry : model_list()) {
    if (entry.family != "mmrotate" && entry.family != "oriented_det") continue;
    CAPTURE(full_name(entry));
    const Tensors tensors = shaped(entry.expected_of(nullptr, {}));
    CHECK(tensors.size() > 200);
    for (const ModelEntry& other : model_list()) {
      CAPTURE(full_name(other));
      CHECK(other.recognises(tensors) == (&other == &entry));
    }
    CHECK(choose_model(entry.name, "auto", tensors) == &entry);
    CHECK(choose_model(entry.name, entry.family, {}) == &entry);
    // A single-stage file given to a two-stage model, and the other way round.
    const ModelEntry* wrong = find_model("contact_graspnet");
    const std::string told = refusal(
        [&] { require_match(*wrong, match_checkpoint(*wrong, nullptr, tensors), tensors, "f"); });
    CHECK(contains(told, "set model.name: " + std::string(entry.name)));
  }
  CHECK(choose_model("no_such_model", "auto", {}) == nullptr);
}

TEST_CASE("The depth of a ResNet is told by its tensors", "[models]") {
  const ResNetNames names{.prefix = "backbone.", .counted_norms = true};
  for (const ResNetShape& shape :
       {ResNetShape{{2, 2, 2, 2}, false}, ResNetShape{{3, 4, 6, 3}, false},
        ResNetShape{{3, 4, 6, 3}, true}, ResNetShape{{3, 4, 23, 3}, true}}) {
    LayerSource source;
    ResNet(source, names, shape);
    const ResNetShape told = told_resnet(names, shaped(source.wanted()));
    CHECK(told.blocks == shape.blocks);
    CHECK(told.bottleneck == shape.bottleneck);
  }
  CHECK(told_resnet(names, {}).name() == "resnet50");
}

io::Checkpoint with_meta(const nlohmann::ordered_json& meta) {
  tests::TorchContent content;
  content.extra["meta"] = meta;
  content.sets.emplace_back("state_dict",
                            Tensors{{"a", io::make_array<float>({1}, std::vector<float>{1})}});
  const std::string file = tests::torch_file(content, tests::TorchFormat::zip);
  auto bytes = std::make_shared<std::vector<std::byte>>(file.size());
  std::memcpy(bytes->data(), file.data(), file.size());
  return io::read_checkpoint(
      io::SharedBytes{std::shared_ptr<const std::byte>(bytes, bytes->data()), bytes->size()}, "f");
}

TEST_CASE("Line, angle version and classes are told by meta", "[models][mmrotate]") {
  using mmrotate::Line;
  const auto old_file =
      with_meta({{"mmrotate_version", "0.3.4"},
                 {"CLASSES", {"plane", "ship"}},
                 {"config", "angle_version = 'le135'\nx=dict(angle_version='le135')"}});
  const mmrotate::Told old_told = mmrotate::told_by(old_file);
  CHECK(old_told.line == Line::v0);
  CHECK(old_told.angle == mmrotate::AngleConvention::le135);
  CHECK(old_told.classes == std::vector<std::string>{"plane", "ship"});

  const auto new_file = with_meta({{"mmengine_version", "0.7.0"},
                                   {"dataset_meta", {{"classes", {"ship"}}}},
                                   {"cfg", "angle_version = 'oc'"}});
  const mmrotate::Told new_told = mmrotate::told_by(new_file);
  CHECK(new_told.line == Line::v1);
  CHECK(new_told.angle == mmrotate::AngleConvention::oc);
  CHECK(new_told.classes == std::vector<std::string>{"ship"});

  // Anchors of 0.x in a file of 1.x, whatever the order of the keys.
  const auto plain = [](const std::string& anchors) {
    return with_meta({{"mmengine_version", "0.7.0"},
                      {"cfg", "angle_version = 'le90'\nx=dict(anchor_generator=dict(" + anchors +
                                  "), bbox_coder=dict(angle_version='le90'))"}});
  };
  const auto plain_file = plain("type='A', angle_version=None, ratios=[1.0, (2)], octave=4");
  const mmrotate::Told plain_told = mmrotate::told_by(plain_file);
  CHECK(plain_told.plain_anchors);
  CHECK(plain_told.angle == mmrotate::AngleConvention::le90);
  CHECK(mmrotate::told_by(plain("ratios=[1.0, (2)], angle_version = None")).plain_anchors);
  CHECK_FALSE(mmrotate::told_by(plain("type='A', angle_version='le90'")).plain_anchors);
  CHECK_FALSE(mmrotate::told_by(plain("type='A'")).plain_anchors);
  CHECK_FALSE(mmrotate::told_by(new_file).plain_anchors);

  const mmrotate::Told none = mmrotate::told_by(with_meta({{"epoch", 12}}));
  CHECK_FALSE(none.line);
  CHECK_FALSE(none.angle);

  const auto config = [](const std::string& more) {
    return tests::detector_config("rotated_retinanet", "mmrotate", more);
  };
  CHECK(contains(
      refusal([&] { mmrotate::read_settings(config("  angle_version: le90\n"), old_file, 2); }),
      "le135"));
  CHECK(mmrotate::read_settings(config(""), old_file, 2).angle == mmrotate::AngleConvention::le135);
  CHECK_THROWS_AS(mmrotate::read_settings(config(""), old_file, 3), CheckpointError);
  CHECK(mmrotate::read_settings(config("  line: 1.x\n"), old_file, 2).line == Line::v1);
  CHECK(mmrotate::read_settings(config("  line: 1.x\n"), old_file, 2).anchors == Line::v1);
  CHECK(mmrotate::read_settings(config(""), plain_file, 2).line == Line::v1);
  CHECK(mmrotate::read_settings(config(""), plain_file, 2).anchors == Line::v0);
}

}  // namespace
}  // namespace grasppanda::models
