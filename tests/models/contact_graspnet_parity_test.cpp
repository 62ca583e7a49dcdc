// The network with the trained weights, stage by stage against the goldens: first each stage fed
// with the goldens' own inputs, then end to end. Tolerances: how far float32 lies from float64.
#include "models/contact_graspnet/network.h"

#include <map>
#include <string>

#include "lib/io/checkpoint.h"
#include "lib/ops/point/knn.h"
#include "models/contact_graspnet/architecture.h"
#include "models/contact_graspnet/decode.h"
#include "tests/catch.h"
#include "tests/models/goldens.h"

namespace grasppanda::models::contact_graspnet {
namespace {

using tests::absolute_deviation;
using tests::channel_deviation;
using tests::check_equal_integers;
using tests::Deviation;
using tests::Goldens;
using tests::row_deviation;

constexpr double kFeatures = 5e-4;  // of the channel's largest magnitude

const std::array<const char*, 3> kCases = {"scene_a", "frame_table_up", "few_points"};

Network trained_network(const std::filesystem::path& weights) {
  return {Weights(io::read_checkpoint(weights).tensors), at::kCPU};
}

/// The goldens' lists as the operator gives them: unused slots repeat the first neighbour.
LevelNeighbours golden_neighbours(const Goldens& golden, int level) {
  LevelNeighbours found;
  for (std::size_t scale = 0; scale < 3; ++scale) {
    const std::string name = "sa" + std::to_string(level + 1) + "_" + std::to_string(scale + 1);
    const at::Tensor index = golden.integers(name + "_nbr");
    found.index[scale] = at::where(index < 0, index.narrow(1, 0, 1), index);
    found.count[scale] = golden.integers(name + "_count").clamp_max(kNeighbours);
  }
  return found;
}

/// Sums over all rows, relative to the sums of magnitudes.
void check_channel_sums(const at::Tensor& features, const at::Tensor& want) {
  const at::Tensor wide = features.to(at::kDouble);
  CHECK(tests::deviation((wide.sum(0) - want) / wide.abs().sum(0)).largest < 1e-4);
}

void check_heads(const Heads& heads, const Goldens& golden, const at::Tensor& rows) {
  const std::map<std::string, at::Tensor> got = {{"head_conf", heads.confidence},
                                                 {"head_z1", heads.baseline},
                                                 {"head_z2", heads.approach},
                                                 {"head_w", heads.width}};
  for (const auto& [name, value] : got) {
    CAPTURE(name);
    const at::Tensor want = golden(name).index_select(0, rows);
    const Deviation found = row_deviation(value, want);
    CHECK(found.of_99_percent < 1e-4);
    CHECK(found.largest < 4e-3);
  }
}

void check_grasps(const Decoded& decoded, const Goldens& golden, const std::string& variant) {
  CAPTURE(variant);
  const Deviation confidence = absolute_deviation(decoded.confidence, golden("confidence"));
  CHECK(confidence.of_99_percent < 1e-5);
  CHECK(confidence.largest < 1.5e-3);
  CHECK(absolute_deviation(decoded.width, golden("width" + variant)).largest < 6e-5);
  const auto poses = [](const at::Tensor& got, const at::Tensor& want, int rotation_columns) {
    const Deviation rotation = absolute_deviation(got.narrow(-1, 0, rotation_columns),
                                                  want.narrow(-1, 0, rotation_columns));
    CHECK(rotation.of_99_percent < 3e-4);
    CHECK(rotation.largest < 4e-3);
  };
  const auto positions = [](const at::Tensor& got, const at::Tensor& want) {
    const Deviation translation = absolute_deviation(got, want);
    CHECK(translation.of_99_percent < 3e-5);
    CHECK(translation.largest < 3e-4);
  };
  const at::Tensor want = golden("grasps" + variant);
  poses(decoded.poses, want, 3);
  positions(decoded.poses.narrow(2, 3, 1), want.narrow(2, 3, 1));
  const at::Tensor rows = grasp_rows(decoded, Opening::predicted);
  const at::Tensor want_rows = golden("grasps17" + variant);
  poses(rows.narrow(1, 4, 9), want_rows.narrow(1, 4, 9), 9);
  positions(rows.narrow(1, 13, 3), want_rows.narrow(1, 13, 3));
  CHECK(absolute_deviation(rows.narrow(1, 1, 1), want_rows.narrow(1, 1, 1)).largest < 6e-5);
  // Height, depth and object id are constants: equal bits.
  CHECK(rows.narrow(1, 2, 2).equal(want_rows.narrow(1, 2, 2)));
  CHECK(rows.narrow(1, 16, 1).equal(want_rows.narrow(1, 16, 1)));
}

TEST_CASE("Contact-GraspNet: sampling and neighbours of every level, with the goldens' points") {
  GP_NEED_DATA(folder, "goldens/contact_graspnet");
  for (const auto& [backend, choice] : tests::kBackends) {
    const ops::ScopedBackends scoped(tests::all_operators(choice));
    for (const char* name : kCases) {
      DYNAMIC_SECTION(name << ", " << backend) {
        const Goldens golden(folder / name);
        at::Tensor support = golden("points");
        for (int level = 0; level < 3; ++level) {
          CAPTURE(level);
          const std::string stage = "sa" + std::to_string(level + 1);
          const at::Tensor index = golden.integers(stage + "_idx");
          check_equal_integers(Network::sample(level, support), index);
          const at::Tensor centres = support.index_select(0, index);
          const LevelNeighbours found = Network::neighbours(level, centres, support);
          const LevelNeighbours want = golden_neighbours(golden, level);
          for (std::size_t scale = 0; scale < 3; ++scale) {
            check_equal_integers(found.index[scale], want.index[scale]);
            check_equal_integers(found.count[scale], want.count[scale]);
          }
          support = centres;
        }
      }
    }
  }
}

TEST_CASE("Contact-GraspNet: features, propagation and heads, with the goldens' inputs") {
  GP_NEED_DATA(folder, "goldens/contact_graspnet");
  GP_NEED_DATA(weights, "data/weights/contact_graspnet.safetensors");
  const Network network = trained_network(weights);
  for (const char* name : kCases) {
    DYNAMIC_SECTION(name) {
      const Goldens golden(folder / name);
      std::array<at::Tensor, 4> xyz = {golden("points")}, features;
      const std::array<std::int64_t, 3> every = {8, 4, 1};
      for (int level = 0; level < 3; ++level) {
        CAPTURE(level);
        const std::string stage = "sa" + std::to_string(level + 1);
        xyz[level + 1] = xyz[level].index_select(0, golden.integers(stage + "_idx"));
        features[level + 1] = network.set_abstraction(
            level, features[level], xyz[level], xyz[level + 1], golden_neighbours(golden, level));
        const at::Tensor rows = features[level + 1].slice(0, 0, c10::nullopt, every[level]);
        CHECK(channel_deviation(rows, golden(stage + "_rows")).largest < kFeatures);
        check_channel_sums(features[level + 1], golden(stage + "_channels"));
      }
      // The third level is stored whole; a step's rows need only their own skip features.
      const at::Tensor level3 = golden("sa3_rows");
      const at::Tensor step1 =
          network.propagate(0, level3, golden.integers("fp1_nn"), golden("fp1_d2"), level3);
      CHECK(channel_deviation(step1, golden("fp1_rows")).largest < kFeatures);
      check_channel_sums(step1, golden("fp1_channels"));
      const auto every_nth = [](const at::Tensor& value, std::int64_t step) {
        return value.slice(0, 0, c10::nullopt, step);
      };
      const at::Tensor step2 =
          network.propagate(1, golden("fp1_rows"), every_nth(golden.integers("fp2_nn"), 4),
                            every_nth(golden("fp2_d2"), 4), golden("sa2_rows"));
      CHECK(channel_deviation(step2, every_nth(golden("fp2_rows"), 2)).largest < kFeatures);
      // Step 3 from our own rows of step 2, of which the goldens hold every second.
      const at::Tensor all2 = network.propagate(1, golden("fp1_rows"), golden.integers("fp2_nn"),
                                                golden("fp2_d2"), features[2]);
      check_channel_sums(all2, golden("fp2_channels"));
      const at::Tensor step3 =
          network.propagate(2, all2, golden.integers("fp3_nn"), golden("fp3_d2"), features[1]);
      check_channel_sums(step3, golden("fp3_channels"));
      CHECK(channel_deviation(every_nth(step3, 8), golden("fp3_rows")).largest < kFeatures);
      check_heads(network.heads(every_nth(xyz[1], 8), golden("fp3_rows")), golden,
                  at::arange(0, 2048, 8, at::kLong));
    }
  }
}

TEST_CASE("Contact-GraspNet: neighbours of the interpolation, with the goldens' points") {
  GP_NEED_DATA(folder, "goldens/contact_graspnet");
  for (const auto& [backend, choice] : tests::kBackends) {
    const ops::ScopedBackends scoped(tests::all_operators(choice));
    for (const char* name : kCases) {
      DYNAMIC_SECTION(name << ", " << backend) {
        const Goldens golden(folder / name);
        const at::Tensor level1 = golden("points").index_select(0, golden.integers("sa1_idx"));
        const at::Tensor level2 = level1.index_select(0, golden.integers("sa2_idx"));
        const at::Tensor level3 = level2.index_select(0, golden.integers("sa3_idx"));
        const auto check = [&](const std::string& step, const at::Tensor& to,
                               const at::Tensor& from) {
          CAPTURE(step);
          const auto near = ops::knn(to.unsqueeze(0), from.unsqueeze(0), 3);
          check_equal_integers(near.index.squeeze(0), golden.integers(step + "_nn"));
          CHECK(near.squared.squeeze(0).equal(golden(step + "_d2")));
        };
        check("fp1", level3, level3);
        check("fp2", level2, level3);
        check("fp3", level1, level2);
      }
    }
  }
}

TEST_CASE("Contact-GraspNet: decoding, with the goldens' heads") {
  GP_NEED_DATA(folder, "goldens/contact_graspnet");
  for (const char* name : kCases) {
    DYNAMIC_SECTION(name) {
      const Goldens golden(folder / name);
      const at::Tensor centres = golden("points").index_select(0, golden.integers("sa1_idx"));
      const Heads heads = {golden("head_conf"), golden("head_z1"), golden("head_z2"),
                           golden("head_w")};
      for (const auto& [variant, gripper_width] :
           {std::pair{"", 0.08}, std::pair{"_gw016", 0.16}}) {
        const Decoded decoded = decode(centres, heads, gripper_width);
        check_grasps(decoded, golden, variant);
        // With equal heads only the last bits of roots and exponentials are left.
        CHECK(absolute_deviation(decoded.poses, golden("grasps" + std::string(variant))).largest <
              1e-6);
        CHECK(absolute_deviation(decoded.confidence, golden("confidence")).largest < 1e-6);
      }
    }
  }
}

TEST_CASE("Contact-GraspNet: end to end from the goldens' points") {
  GP_NEED_DATA(folder, "goldens/contact_graspnet");
  GP_NEED_DATA(weights, "data/weights/contact_graspnet.safetensors");
  const Network network = trained_network(weights);
  for (const auto& [backend, choice] : tests::kBackends) {
    const ops::ScopedBackends scoped(tests::all_operators(choice));
    for (const char* name : kCases) {
      DYNAMIC_SECTION(name << ", " << backend) {
        const Goldens golden(folder / name);
        int compared = 0;
        const NetworkOutput output = network.forward(
            golden("points"), {}, [&](const std::string& stage, const at::Tensor& value) {
              CAPTURE(stage);
              REQUIRE(golden.has(stage));
              ++compared;
              at::Tensor want = golden(stage);
              REQUIRE(value.numel() == want.numel());
              if (stage.ends_with("_rows")) {
                CHECK(channel_deviation(value, want).largest < kFeatures);
              } else if (!want.is_floating_point()) {
                if (stage.ends_with("_count")) want = want.clamp_max(kNeighbours);
                check_equal_integers(value, want);
              }
            });
        CHECK(compared == 3 * (1 + 6 + 1) + 3 * 3 + 4);
        check_heads(output.heads, golden, at::arange(2048, at::kLong));
        for (const auto& [variant, gripper_width] :
             {std::pair{"", 0.08}, std::pair{"_gw016", 0.16}}) {
          const Decoded decoded = decode(output.centres, output.heads, gripper_width);
          check_grasps(decoded, golden, variant);
          check_equal_integers((decoded.confidence > 0.5).nonzero().squeeze(1),
                               golden.integers("kept_threshold_050"));
        }
        // Far from what the other order of neighbours gives, which would look plausible as well.
        const Decoded decoded = decode(output.centres, output.heads, 0.08);
        CHECK(absolute_deviation(decoded.confidence, golden("confidence_kdtree_order")).largest >
              0.5);
      }
    }
  }
}

TEST_CASE("Contact-GraspNet: another first point gives a sample of its own") {
  at::manual_seed(5);
  const at::Tensor points = at::rand({3000, 3});
  const at::Tensor first = Network::sample(0, points), other = Network::sample(0, points, 1234);
  CHECK(first[0].item<std::int64_t>() == 0);
  CHECK(other[0].item<std::int64_t>() == 1234);
  CHECK(std::get<0>(at::_unique(other)).size(0) == 2048);
  CHECK_FALSE(first.equal(other));
}

TEST_CASE("Contact-GraspNet: one point, and a handful, run through") {
  GP_NEED_DATA(weights, "data/weights/contact_graspnet.safetensors");
  const Network network = trained_network(weights);
  for (const std::int64_t count : {1, 2, 5}) {
    CAPTURE(count);
    at::manual_seed(6);
    const NetworkOutput output = network.forward(at::rand({count, 3}) / 10);
    CHECK(output.heads.confidence.sizes() == at::IntArrayRef{2048, 1});
    CHECK(at::isfinite(output.heads.confidence).all().item<bool>());
  }
}

}  // namespace
}  // namespace grasppanda::models::contact_graspnet
