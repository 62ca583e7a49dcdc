#include "tests/models/mmrotate_two_stage.h"

#include "models/weights.h"

namespace grasppanda::tests {

using namespace models::mmrotate;

namespace {

at::Tensor labels_of(const std::vector<Candidate>& candidates) {
  std::vector<std::int64_t> labels;
  for (const Candidate& c : candidates) labels.push_back(c.label);
  return at::tensor(labels, at::kLong);
}

}  // namespace

TwoStageRun::TwoStageRun(const Blueprint& blueprint, const std::string& name,
                         const std::filesystem::path& folder, const std::filesystem::path& picture,
                         const std::string& config, const MatchLimits& limits)
    : folder_(folder),
      golden_(folder / "demo_crop.npz"),
      checkpoint_(golden_checkpoint(folder / "manifest.json", folder / "stats.npz")) {
  const config::Config resolved = detector_config(name, "auto", config);
  const auto detector = load_detector(resolved, checkpoint_);
  settings_ = read_settings(resolved, checkpoint_, blueprint.classes(checkpoint_.tensors));
  const at::Tensor rgb = rgb_picture(picture);
  size_ = resizing(rgb.size(1), rgb.size(0), settings_.side);
  int records = 0;
  const auto outputs =
      detector->detect({&rgb, 1}, [&](const std::string& stage, const at::Tensor& value) {
        const bool of_regions = stage.starts_with("roi");
        if (!of_regions && golden_.has(stage + ".shape")) {
          check_places(value, golden_, stage, stage == "input" ? 1e-7 : 1e-3);
          ++records;
        }
        if (!of_regions) stages_.emplace(stage, value);
      });
  CHECK(records == 1 + 4 + 5 + 10);
  CHECK(outputs.front().detections.size() == static_cast<std::size_t>(stages_.at("dets").size(0)));
  check_detections(stages_.at("dets"), stages_.at("labels"), golden_("dets"), golden_("labels"),
                   limits);

  const models::Weights weights(checkpoint_.tensors);
  models::LayerSource source(weights, at::kCPU);
  auto* heads =
      dynamic_cast<TwoStageHeads*>(blueprint.heads(source, checkpoint_.tensors).release());
  REQUIRE(heads != nullptr);
  heads_.reset(heads);
}

Pyramid TwoStageRun::pyramid() const {
  Pyramid levels;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i] = stages_.at("P" + std::to_string(i + 2));
  }
  return levels;
}

void TwoStageRun::check_regions(const Regions& regions, const std::string& stage,
                                const MatchLimits& limits) const {
  models::Accounting accounting;
  int records = 0;
  const models::StageObserver observe = [&](const std::string& name, const at::Tensor& value) {
    if (!name.starts_with(stage)) return;
    CAPTURE(name);
    if (golden_.has(name + ".shape")) {
      check_places(value, golden_, name);
      ++records;
    } else if (golden_.has(name)) {
      const at::Tensor want = golden_(name);
      const at::Tensor got = value.narrow(0, 0, want.size(0));
      REQUIRE(got.sizes() == want.sizes());
      const double rms = want.square().mean().sqrt().item<double>();
      CHECK((got - want).abs().max().item<double>() <= 1e-3 * rms);
      ++records;
    }
  };
  const Passage passage{settings_, size_, accounting, observe};
  const auto found = suppress(regions(*heads_, pyramid(), passage), settings_.detect);
  CHECK(records == 3);
  check_detections(rows_of(found), labels_of(found), golden_("dets"), golden_("labels"), limits);
}

void TwoStageRun::check_second_line(const MatchLimits& limits) const {
  Settings settings = settings_;
  settings.line = Line::v1;
  settings.detect.score_threshold = 0.05F;
  models::Accounting accounting;
  const models::StageObserver none;
  const Passage passage{settings, size_, accounting, none};
  const auto found = suppress(heads_->find(pyramid(), passage), settings.detect);
  const StageGolden second(folder_ / "demo_crop_line1x.npz");
  check_detections(rows_of(found), labels_of(found), second("dets"), second("labels"), limits);
}

}  // namespace grasppanda::tests
