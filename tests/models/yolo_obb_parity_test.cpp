// The networks of YOLO-OBB against the goldens: input bytes, every layer, the head, candidates and
// detections. Tiny networks always; trained ones where their weights are.
#include <array>
#include <set>

#include "lib/io/checkpoint.h"
#include "models/yolo_obb/keys.h"
#include "models/yolo_obb/letterbox.h"
#include "models/yolo_obb/probiou_nms.h"
#include "tests/catch.h"
#include "tests/models/yolo_obb_goldens.h"

namespace grasppanda::models::yolo_obb {
namespace {

using tests::YoloCase;
using tests::YoloGolden;

struct Loaded {
  io::Checkpoint checkpoint;
  StoredSettings settings;
};

Loaded load(const std::filesystem::path& file) {
  Loaded loaded{io::read_checkpoint(file), {}};
  loaded.settings = stored_settings(loaded.checkpoint, nullptr);
  return loaded;
}

Network network_of(const Loaded& loaded, Branch branch) {
  return {Weights(loaded.checkpoint.tensors), loaded.settings, branch, at::kCPU};
}

/// A stage against its record: shape, 256 places relative to the root mean square, sum of
/// magnitudes.
void check_record(const at::Tensor& got, const YoloGolden& golden, const std::string& name,
                  double places, double sums) {
  CAPTURE(name);
  const at::Tensor value = got.contiguous().to(at::kDouble);
  REQUIRE(golden(name + ".shape").equal(at::tensor(value.sizes(), at::kLong)));
  const at::Tensor sum = golden(name + ".sums");
  const double rms = std::sqrt(sum[2].item<double>() / static_cast<double>(value.numel()));
  const at::Tensor at_places = value.flatten().index_select(0, golden(name + ".idx"));
  const double off =
      (at_places - golden(name + ".val")).abs().max().item<double>() / std::max(rms, 1e-12);
  CHECK(off <= places);
  CHECK(std::abs(value.abs().sum().item<double>() / sum[1].item<double>() - 1) <= sums);
}

std::vector<Candidate> in_picture(const std::vector<Candidate>& candidates,
                                  const std::vector<std::size_t>& kept, const Letterbox& box) {
  const BackToPicture back(box);
  std::vector<Candidate> result;
  for (const std::size_t index : kept) {
    Candidate c = candidates[index];
    c.cx = back.x(c.cx), c.cy = back.y(c.cy), c.w = back.w(c.w), c.h = back.h(c.h);
    result.push_back(c);
  }
  return result;
}

/// The whole way with the settings of one golden array.
at::Tensor detections(const AnchorGrid& grid, const Letterbox& box, float threshold,
                      bool multi_label) {
  const auto candidates =
      select_candidates(grid, {.score_threshold = threshold, .multi_label = multi_label});
  return tests::rows_of_candidates(
      in_picture(candidates, suppress_by_probiou(candidates, {}), box));
}

struct Limits {
  double places, sums, pixels, score;
  std::int64_t unmatched;
};

Limits limits_of(const YoloCase& of) {
  if (of.trained) return {1e-3, 1e-4, 0.05, 1e-3, 0};
  return {5e-3, 1e-3, 0.2, 1e-3, 2};
}

void check_detections(const at::Tensor& got, const at::Tensor& want, const Limits& limits,
                      std::int64_t unmatched) {
  CAPTURE(got.size(0), want.size(0));
  if (limits.unmatched == 0 && unmatched == 0) CHECK(got.size(0) == want.size(0));
  CHECK(tests::unmatched_rows(got, want, limits.pixels, limits.score) <= 2 * unmatched);
  // Best first.
  if (got.size(0) > 1) {
    const at::Tensor scores = got.select(1, 5);
    CHECK((scores.narrow(0, 0, got.size(0) - 1) >= scores.narrow(0, 1, got.size(0) - 1))
              .all()
              .item<bool>());
  }
}

/// `low` and `val` may differ in 1 % of their rows, 2 at least.
std::int64_t some_rows(const at::Tensor& want) {
  return std::max<std::int64_t>(2, want.size(0) / 100);
}

void check_picture(const YoloCase& of, const Loaded& loaded, const Network& network,
                   const std::filesystem::path& data, const std::string& picture, bool e2e) {
  const Limits limits = limits_of(of);
  const YoloGolden golden(data / "goldens/yolo_obb" / of.folder /
                          (picture + (e2e ? "_e2e.npz" : ".npz")));
  const at::Tensor rgb = tests::rgb_of(tests::yolo_picture(data, picture));
  const Letterbox box = letterbox(rgb.size(1), rgb.size(0), loaded.settings.image_size);
  const at::Tensor bytes = letterboxed(rgb, box).contiguous();
  CHECK(golden("input.size_w_h")
            .equal(at::tensor({box.input_width(), box.input_height()}, at::kLong)));
  const at::Tensor sha = golden("input.sha256");
  std::string want_sha;
  for (std::int64_t i = 0; i < 32; ++i) {
    constexpr char kHex[] = "0123456789abcdef";
    const int byte = sha[i].item<int>();
    want_sha += {kHex[byte / 16], kHex[byte % 16]};
  }
  CHECK(io::sha256_hex({static_cast<const std::byte*>(bytes.const_data_ptr()), bytes.nbytes()}) ==
        want_sha);

  const at::Tensor input = network_input({bytes});
  check_record(input, golden, "input", 1e-6, 1e-6);
  std::set<std::string> seen;
  const HeadOutput head =
      network.forward(input, [&](const std::string& stage, const at::Tensor& value) {
        seen.insert(stage);
        check_record(value, golden, stage, limits.places, limits.sums);
      });
  CHECK(seen.size() == network.net().layers.size());
  const AnchorGrid grid(head, 0, network.net());
  check_record(grid.all_boxes(), golden, "head.boxes", limits.places, limits.sums);
  check_record(grid.all_scores(), golden, "head.scores", limits.places, limits.sums);
  check_record(grid.all_angles(), golden, "head.angle", limits.places, limits.sums);
  if (e2e) {
    const auto best = best_pairs(grid, 300);
    const at::Tensor top =
        golden("top").index_select(1, at::tensor({0, 1, 2, 3, 6, 4, 5}, at::kLong));
    CHECK(tests::unmatched_rows(tests::rows_of_candidates(best), top, limits.pixels,
                                limits.score) <= 2 * some_rows(top));
    for (const auto& [name, threshold] : {std::pair{"dets", 0.25F}, {"low.dets", 0.01F}}) {
      CAPTURE(name);
      std::vector<std::size_t> kept;
      for (std::size_t i = 0; i < best.size() && best[i].score > threshold; ++i) kept.push_back(i);
      const at::Tensor got = tests::rows_of_candidates(in_picture(best, kept, box));
      check_detections(got, golden(name), limits,
                       threshold > 0.1F ? limits.unmatched : some_rows(golden(name)));
    }
    return;
  }
  check_record(grid.all_decoded(), golden, "decoded", limits.places, limits.sums);
  const auto candidates = select_candidates(grid, {});
  const at::Tensor want = golden("cand.rows");
  CHECK(tests::unmatched_rows(tests::rows_of_candidates(candidates), want, limits.pixels,
                              limits.score) <= 2 * limits.unmatched);
  if (of.trained) {
    std::vector<std::int32_t> anchors;
    for (const Candidate& candidate : candidates) anchors.push_back(candidate.anchor);
    CHECK(golden("cand.anchor").equal(at::tensor(anchors, at::kInt)));
  }
  check_detections(detections(grid, box, 0.25F, false), golden("dets"), limits, limits.unmatched);
  check_detections(detections(grid, box, 0.01F, false), golden("low.dets"), limits,
                   some_rows(golden("low.dets")));
  check_detections(detections(grid, box, 0.01F, true), golden("val.dets"), limits,
                   some_rows(golden("val.dets")));
}

void check_models(bool trained) {
  GP_NEED_DATA(goldens, "goldens/yolo_obb");
  const std::filesystem::path data = goldens.parent_path().parent_path();
  for (const YoloCase& of : tests::yolo_cases()) {
    if (of.trained != trained) continue;
    const auto file = tests::yolo_weights(of, data);
    if (!file) GP_SKIP(tests::kNoTrainedYolo);
    const Loaded loaded = load(*file);
    for (const Branch branch : {Branch::one2many, Branch::one2one}) {
      const bool e2e = branch == Branch::one2one;
      if (e2e && !loaded.settings.net.two_branches()) continue;
      const Network network = network_of(loaded, branch);
      for (const char* picture : of.pictures) {
        DYNAMIC_SECTION(of.folder << "/" << picture << (e2e ? ", one to one" : "")) {
          check_picture(of, loaded, network, data, picture, e2e);
        }
      }
    }
  }
}

TEST_CASE("YOLO-OBB: tiny networks of every family, stage by stage to the goldens' detections") {
  check_models(false);
}

TEST_CASE("YOLO-OBB: trained networks, stage by stage to the goldens' detections") {
  check_models(true);
}

TEST_CASE("YOLO-OBB: the golden files hold the networks and names that they should") {
  GP_NEED_DATA(goldens, "goldens/yolo_obb");
  const std::filesystem::path data = goldens.parent_path().parent_path();
  for (const YoloCase& of : tests::yolo_cases()) {
    const auto file = tests::yolo_weights(of, data);
    if (!file) continue;  // said by the case above
    CAPTURE(of.folder);
    const Loaded loaded = load(*file);
    const std::string name = of.folder;
    CHECK(family_name(loaded.settings.net.family) == (name.find("v8") != name.npos   ? "yolov8"
                                                      : name.find("11") != name.npos ? "yolo11"
                                                                                     : "yolo26"));
    CHECK(loaded.settings.net.scale == (of.trained ? "n" : "custom"));
    CHECK(loaded.settings.classes.size() == static_cast<std::size_t>(loaded.settings.net.classes));
    CHECK(loaded.settings.sppf_activation ==
          (name != "yolo26n_obb" && name != "tiny_yolo26" && name != "yolo11n_franken"));
    CHECK(loaded.settings.image_size == (!of.trained                    ? 256
                                         : name.find("11") != name.npos ? 512
                                                                        : 1024));
    CHECK(loaded.settings.license.empty() == !of.trained);
  }
}

TEST_CASE("YOLO-OBB: the config tells SPPF's activation only where the file does not") {
  GP_NEED_DATA(goldens, "goldens/yolo_obb");
  const std::filesystem::path data = goldens.parent_path().parent_path();
  const std::array<const config::KeyTable*, 2> tables = {&config::common_keys(), &yolo_obb_keys()};
  const auto with = [&](const std::string& word) {
    return config::parse_config("model: {name: yolo_obb, sppf_activation: " + word + "}",
                                "test.yaml", {}, tables);
  };
  const config::Config silu = with("silu"), none = with("none");
  for (const YoloCase& of : tests::yolo_cases()) {
    if (of.trained) continue;
    const auto file = tests::yolo_weights(of, data);
    REQUIRE(file);
    CAPTURE(of.folder);
    Loaded loaded = load(*file);
    const bool told = loaded.settings.sppf_activation;
    CHECK(stored_settings(loaded.checkpoint, &silu).sppf_activation == told);
    CHECK(stored_settings(loaded.checkpoint, &none).sppf_activation == told);
    require_kind(told ? silu : none, loaded.checkpoint);
    CHECK_THROWS_WITH(require_kind(told ? none : silu, loaded.checkpoint),
                      Catch::Matchers::Contains("set it to auto"));
    loaded.checkpoint.source = nullptr;  // tensors alone, as in a plain state dict
    CHECK(stored_settings(loaded.checkpoint, &silu).sppf_activation);
    CHECK_FALSE(stored_settings(loaded.checkpoint, &none).sppf_activation);
    require_kind(silu, loaded.checkpoint);
    require_kind(none, loaded.checkpoint);
  }
}

}  // namespace
}  // namespace grasppanda::models::yolo_obb
