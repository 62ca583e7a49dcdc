// The whole model: end to end from the goldens' points with every stage, the sample of a recorded
// frame, masks, empty inputs, containers of checkpoints.
#include "models/graspnet_baseline/graspnet_baseline.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "lib/config/config.h"
#include "lib/datasets/inputs.h"
#include "lib/datasets/masked_cloud.h"
#include "lib/io/checkpoint.h"
#include "lib/io/json_file.h"
#include "models/checkpoint_error.h"
#include "models/graspnet_baseline/checkpoint_names.h"
#include "models/graspnet_baseline/keys.h"
#include "tests/catch.h"
#include "tests/models/goldens.h"
#include "tests/models/recorded_frame.h"
#include "tests/support/golden_weights.h"

namespace grasppanda::models {
namespace {

using tests::absolute_deviation;
using tests::check_equal_integers;
using tests::Goldens;

using Stages = std::map<std::string, at::Tensor>;

/// With the settings of a run configuration.
std::unique_ptr<GraspModel> golden_model_as(const std::filesystem::path& folder,
                                            const std::string& yaml) {
  const std::array<const config::KeyTable*, 2> tables = {&config::common_keys(),
                                                         &graspnet_baseline_keys()};
  const config::Config config = config::parse_config(yaml, "test.yaml", {}, tables);
  io::Checkpoint checkpoint;
  checkpoint.tensors =
      tests::golden_weights(folder / "manifest.json", folder / "stats.npz").tensors;
  const ModelEntry* entry = find_model("graspnet_baseline");
  REQUIRE(entry != nullptr);
  require_match(*entry, match_checkpoint(*entry, &config, checkpoint.tensors), checkpoint.tensors,
                "golden");
  CHECK(entry->recognises(checkpoint.tensors));
  return entry->load(config, checkpoint, at::kCPU);
}

std::unique_ptr<GraspModel> golden_model(const std::filesystem::path& folder,
                                         const std::string& more = "") {
  return golden_model_as(folder, "model: {name: graspnet_baseline}\n" + more);
}

/// configs/graspnet_baseline_PRESET.yaml.
std::string preset(const std::string& name) {
  const std::filesystem::path file = std::filesystem::path(GRASPPANDA_SOURCE_DIR) / "configs" /
                                     ("graspnet_baseline_" + name + ".yaml");
  std::ifstream stream(file);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  REQUIRE_FALSE(text.empty());
  return text;
}

GraspInput points_of(const at::Tensor& points) {
  GraspInput input;
  input.cloud = points.to(at::kDouble);
  input.network_points = points;
  return input;
}

std::int64_t count(const GraspOutput& output, const std::string& name) {
  for (const auto& [key, value] : output.accounting.counts)
    if (key == name) return value;
  FAIL("no count " << name);
  return -1;
}

at::Tensor rows_of(const geometry::GraspGroup& grasps) {
  return at::from_blob(const_cast<geometry::Grasp*>(grasps.data()),
                       {static_cast<std::int64_t>(grasps.size()), 17}, at::kFloat)
      .clone();
}

const char* const kNoPostprocess =
    "postprocess: {collision: {enabled: false}, nms: {enabled: false}, sort: false}\n";

/// Choices may differ only where the goldens' margin is within twice the tolerance of the values
/// compared; returns the seeds that agree.
at::Tensor check_choice(const Stages& stages, const Goldens& golden, const std::string& name,
                        const std::string& margin, double tolerance) {
  const at::Tensor flips = stages.at(name).to(at::kLong) != golden.integers(name);
  const at::Tensor firm = golden(margin) > 2 * tolerance;
  CHECK_FALSE((flips & firm).any().item<bool>());
  return flips.reshape({flips.size(0), -1}).any(1).logical_not();
}

TEST_CASE("GraspNet-baseline: end to end from the goldens' points") {
  GP_NEED_DATA(folder, "goldens/graspnet_baseline");
  const Goldens golden(folder);
  const nlohmann::json tolerance = io::read_json(folder / "tolerances.json").at("tolerance");
  const auto limit = [&](const std::string& name) { return tolerance.at(name).get<double>(); };
  const auto model = golden_model(folder, kNoPostprocess);
  for (const auto& [backend, choice] : tests::kBackends) {
    DYNAMIC_SECTION(backend) {
      const ops::ScopedBackends scoped(tests::all_operators(choice));
      Stages stages;
      const GraspOutput output = model->predict(
          points_of(golden("points")),
          [&](const std::string& stage, const at::Tensor& value) { stages[stage] = value; });
      for (const auto& [name, value] : stages) {
        CAPTURE(name);
        REQUIRE(golden.has(name));
        const at::Tensor want = golden(name);
        CHECK(value.is_floating_point() == want.is_floating_point());
        if (!name.starts_with("decoded")) CHECK(value.sizes() == want.sizes());
        if (name.starts_with("sa") || name.starts_with("fp") || name.starts_with("cyl_")) {
          if (want.is_floating_point())
            CHECK(absolute_deviation(value, want).largest <= limit(name));
          else
            check_equal_integers(value, want);
        }
      }
      for (const char* name : {"objectness", "view_score", "view_rows"})
        CHECK(absolute_deviation(stages.at(name), golden(name)).largest <= limit(name));
      at::Tensor agree =
          check_choice(stages, golden, "view_inds", "margin_view", limit("view_score"));
      agree &= check_choice(stages, golden, "angle_cls", "margin_angle", limit("head_angle"));
      agree &= check_choice(stages, golden, "depth_cls", "margin_depth", limit("head_score"));
      CHECK(agree.to(at::kDouble).mean().item<double>() > 0.99);
      const at::Tensor seeds = agree.nonzero().squeeze(1);
      for (const char* name : {"head_score", "head_angle", "head_width", "head_tolerance"})
        CHECK(absolute_deviation(stages.at(name).index_select(1, seeds),
                                 golden(name).index_select(1, seeds))
                  .largest <= limit(name));
      // No seed differs with this arithmetic, so that the whole result can be compared.
      check_equal_integers(stages.at("decoded_seed"), golden.integers("decoded_seed"));
      const at::Tensor got = rows_of(output.grasps), want = golden("decoded");
      REQUIRE(got.sizes() == want.sizes());
      CHECK(absolute_deviation(got.select(1, 0), want.select(1, 0)).largest <=
            limit("decoded_score"));
      CHECK(absolute_deviation(got.select(1, 1), want.select(1, 1)).largest <=
            limit("decoded_width"));
      CHECK(absolute_deviation(got.narrow(1, 4, 9), want.narrow(1, 4, 9)).largest <=
            limit("decoded_rotation"));
      CHECK(got.narrow(1, 13, 4).equal(want.narrow(1, 13, 4)));
      CHECK(count(output, "seeds") == 1024);
      CHECK(count(output, "graspable") == 425);
    }
  }
}

TEST_CASE("GraspNet-baseline: the recorded frame, with the goldens' sample, in every preset") {
  GP_NEED_DATA(folder, "goldens/graspnet_baseline");
  GP_NEED_DATA(frame, "data/frames/graspnet_example");
  const Goldens golden(folder);
  GraspInput input;
  input.cloud = tests::recorded_cloud(frame);
  const at::Tensor sample = golden.integers("sample_idx").contiguous();
  input.sample_index = std::vector<std::int64_t>(sample.const_data_ptr<std::int64_t>(),
                                                 sample.const_data_ptr<std::int64_t>() + 20000);
  const auto check = [&](const std::string& name, const at::Tensor& want) {
    CAPTURE(name);
    at::Tensor points;
    const GraspOutput output =
        golden_model_as(folder, preset(name))
            ->predict(input, [&](const std::string& stage, const at::Tensor& value) {
              if (stage == "points") points = value;
            });
    CHECK(points.equal(golden("points")));
    const at::Tensor got = rows_of(output.grasps);
    REQUIRE(got.sizes() == want.sizes());
    CHECK(absolute_deviation(got, want.to(at::kFloat)).largest < 1e-5);
  };
  check("demo", golden("final_demo_no_nms"));
  check("realsense", golden("final_nms_top50"));
  check("kinect", golden("final_nms_top50"));
  check("test", golden("decoded").index_select(0, golden.integers("kept_test")));
}

// A third set of frames, for which there are no goldens: kernels against reference operators, stage
// by stage, and what must hold of any result.
TEST_CASE("GraspNet-baseline: frames of the small data set, kernels against the reference") {
  GP_NEED_DATA(folder, "goldens/graspnet_baseline");
  GP_NEED_DATA(data, "data/grasp_mini");
  const nlohmann::json tolerance = io::read_json(folder / "tolerances.json").at("tolerance");
  const auto model = golden_model(folder, "input: {num_points: 5000}\n");
  const auto frames = datasets::list_inputs({(data / "scenes").string()});
  std::set<std::string> compared;
  std::int64_t graspable = 0;
  for (const std::string wanted :
       {"scene_0100/realsense/0000", "scene_0100/kinect/0128", "scene_0160/realsense/0255"}) {
    const auto frame = std::ranges::find_if(
        frames, [&](const auto& input) { return input.name.ends_with(wanted); });
    REQUIRE(frame != frames.end());
    CAPTURE(wanted);
    const datasets::MaskedCloud cloud =
        datasets::masked_cloud(datasets::open_input(*frame, {}), {});
    GraspInput input;
    input.cloud = at::tensor(cloud.xyz, at::kDouble).view({cloud.points(), 3});
    std::map<ops::Backend, Stages> stages;
    std::map<ops::Backend, at::Tensor> rows;
    for (const auto& [backend, choice] : tests::kBackends) {
      const ops::ScopedBackends scoped(tests::all_operators(choice));
      const GraspOutput output =
          model->predict(input, [&](const std::string& stage, const at::Tensor& value) {
            stages[choice][stage] = value.clone();
          });
      rows[choice] = rows_of(output.grasps);
      CHECK(count(output, "sampled") == 5000);
      CHECK(count(output, "seeds") == 1024);
    }
    REQUIRE(stages.size() == 2);
    const Stages& kernels = stages.begin()->second;
    for (const auto& [name, value] : kernels) {
      CAPTURE(name);
      const at::Tensor& want = stages.rbegin()->second.at(name);
      REQUIRE(value.sizes() == want.sizes());
      if (!value.is_floating_point()) {
        CHECK(value.equal(want));
      } else if (tolerance.contains(name)) {
        CHECK(absolute_deviation(value, want).largest <= tolerance[name].get<double>());
        compared.insert(name);
      }
    }
    const at::Tensor got = rows.begin()->second;
    REQUIRE(got.sizes() == rows.rbegin()->second.sizes());
    CHECK(absolute_deviation(got, rows.rbegin()->second).largest < 1e-5);
    // Whatever the weights are: a width the gripper has, one of four depths, a rotation.
    const at::Tensor decoded = kernels.at("decoded");
    REQUIRE(decoded.size(0) > 0);
    CHECK(((decoded.select(1, 1) >= 0) & (decoded.select(1, 1) <= 0.1F)).all().item<bool>());
    const at::Tensor depth = decoded.select(1, 3) * 100;
    CHECK((depth - depth.round()).abs().max().item<float>() < 1e-4F);
    CHECK((depth.min().item<float>() > 0.9F && depth.max().item<float>() < 4.1F));
    const at::Tensor rotation = decoded.narrow(1, 4, 9).reshape({-1, 3, 3});
    CHECK((rotation.bmm(rotation.transpose(1, 2)) - at::eye(3)).abs().max().item<float>() < 1e-5F);
    CHECK((at::linalg_det(rotation) - 1).abs().max().item<float>() < 1e-5F);
    graspable += decoded.size(0);
    // Grasp points are seeds: points of the network's input.
    const at::Tensor apart =
        decoded.narrow(1, 13, 3).unsqueeze(1) - kernels.at("points").unsqueeze(0);
    CHECK(apart.abs().amax(2).amin(1).max().item<float>() == 0);
  }
  CHECK(graspable > 50);
  CHECK(compared.size() > 15);
}

TEST_CASE("GraspNet-baseline: few points, one point, none, an object mask, bad numbers") {
  GP_NEED_DATA(folder, "goldens/graspnet_baseline");
  const Goldens golden(folder);
  const auto model = golden_model(folder, kNoPostprocess);
  SECTION("an empty cloud gives an empty result and one warning") {
    GraspInput input;
    input.cloud = at::empty({0, 3}, at::kDouble);
    const GraspOutput output = model->predict(input);
    CHECK(output.grasps.empty());
    REQUIRE(output.accounting.warnings.size() == 1);
    CHECK(output.accounting.warnings[0].starts_with("cloud: "));
  }
  SECTION("fewer points than the network wants are repeated") {
    GraspInput input;
    input.cloud = golden("points").narrow(0, 0, 700).to(at::kDouble).clone();
    input.cloud[3][1] = std::numeric_limits<double>::quiet_NaN();
    const GraspOutput output = model->predict(input);
    CHECK(count(output, "sampled") == 20000);
    CHECK(count(output, "seeds") == 1024);
    REQUIRE_FALSE(output.accounting.warnings.empty());
    CHECK(output.accounting.warnings[0] ==
          "cloud: dropped 1 points with NaN or infinite coordinates");
    for (const geometry::Grasp& grasp : output.grasps) CHECK(std::isfinite(grasp.score));
  }
  SECTION("one point") {
    const GraspOutput output = model->predict(points_of(golden("points").narrow(0, 0, 1)));
    CHECK(count(output, "seeds") == 1024);
  }
  SECTION("an object mask keeps the seeds on it") {
    GraspInput input = points_of(golden("points"));
    input.object_mask = golden("points").select(1, 0) > 0;
    const at::Tensor on_mask = golden("decoded").select(1, 13) > 0;
    CHECK(count(model->predict(input), "grasps") == on_mask.sum().item<std::int64_t>());
    input.object_mask = input.object_mask.narrow(0, 0, 5);
    CHECK_THROWS_AS(model->predict(input), InputError);
  }
  SECTION("the same bytes twice") {
    const GraspInput input = points_of(golden("points").narrow(0, 0, 3000));
    CHECK(rows_of(model->predict(input).grasps).equal(rows_of(model->predict(input).grasps)));
  }
}

TEST_CASE("GraspNet-baseline: the names of its checkpoints are the goldens'") {
  GP_NEED_DATA(folder, "goldens/graspnet_baseline");
  std::map<std::string, std::vector<std::int64_t>> want;
  for (const io::NamedArray& tensor :
       tests::golden_weights(folder / "manifest.json", folder / "stats.npz").tensors)
    want[tensor.key] = tensor.array.shape;
  CHECK(want.size() == 162);
  std::map<std::string, std::vector<std::int64_t>> got;
  for (const ExpectedTensor& tensor : graspnet_baseline::expected_tensors(nullptr))
    got[tensor.key] = tensor.shape;
  CHECK(got == want);
}

TEST_CASE("GraspNet-baseline: another model's weights are told apart") {
  const ModelEntry* baseline = find_model("graspnet_baseline");
  const ModelEntry* contact = find_model("contact_graspnet");
  REQUIRE(baseline != nullptr);
  REQUIRE(contact != nullptr);
  std::vector<io::NamedArray> tensors;
  for (const ExpectedTensor& want : baseline->expected(nullptr)) {
    std::int64_t size = 1;
    for (const std::int64_t extent : want.shape) size *= extent;
    tensors.push_back(
        {"module." + want.key,
         io::make_array(want.shape, std::vector<float>(static_cast<std::size_t>(size), 0.5F))});
  }
  CHECK(baseline->recognises(tensors));
  CHECK_FALSE(contact->recognises(tensors));
  CHECK(match_checkpoint(*baseline, nullptr, tensors).fits());
  try {
    require_match(*contact, match_checkpoint(*contact, nullptr, tensors), tensors, "x.tar");
    FAIL("accepted");
  } catch (const CheckpointError& error) {
    CHECK(std::string(error.what()).find("model.name: graspnet_baseline") != std::string::npos);
  }
}

}  // namespace
}  // namespace grasppanda::models
