// `test` on a DOTA folder.
#include <algorithm>
#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "app/commands/compute_setup.h"
#include "app/commands/data_set_evaluation.h"
#include "app/commands/detection_metrics.h"
#include "app/commands/sampled_overlaps.h"
#include "app/commands/stopwatch.h"
#include "app/commands/test_selection.h"
#include "app/interrupt.h"
#include "app/log.h"
#include "app/report_error.h"
#include "lib/config/class_sets.h"
#include "lib/config/config_error.h"
#include "lib/datasets/dota_images.h"
#include "lib/eval/dota_boxes.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

std::vector<double> thresholds_from(const Invocation& invocation) {
  std::vector<double> thresholds;
  for (const std::string& word : listed_words(invocation, "--iou")) {
    double value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || stop != word.data() + word.size() || !(value > 0 && value <= 1)) {
      throw UsageError("--iou: '" + word + "' is no overlap above 0 and at most 1");
    }
    if (std::ranges::find(thresholds, value) == thresholds.end()) thresholds.push_back(value);
  }
  return thresholds.empty() ? std::vector<double>{0.5} : thresholds;
}

// The classes of `detect.classes`; none: whatever occurs.
std::vector<std::string> listed_classes(const config::Config& config,
                                        eval::MapConvention convention) {
  if (config.is("detect.classes", "auto")) {
    return config::class_set(convention == eval::MapConvention::devkit ? "dota15" : "");
  }
  return config.is_word("detect.classes") ? config::class_set(config.text("detect.classes"))
                                          : config.texts("detect.classes");
}

void say_count(std::int64_t count, const std::string& what, const std::string& first = {}) {
  if (count == 0) return;
  log_warning(what + ": " + std::to_string(count) +
                  (first.empty() ? "" : " (the first: '" + config::printable(first) + "')"),
              what);
}

class DotaEvaluation final : public DataSetEvaluation {
 public:
  explicit DotaEvaluation(const Invocation& invocation)
      : root_(invocation.value("--data")),
        convention_(*eval::parse_map_convention(invocation.config->text("evaluation.convention"))),
        overlap_(invocation.config->boolean("evaluation.use_exact_rotated_iou")
                     ? OverlapMethod::exact
                     : OverlapMethod::sampled),
        thresholds_(thresholds_from(invocation)),
        listed_(listed_classes(*invocation.config, convention_)),
        truth_(datasets::read_dota_truth(root_, convention_ == eval::MapConvention::oriented_det
                                                    ? datasets::DotaReading::tolerant
                                                    : datasets::DotaReading::strict)) {
    if (overlap_ == OverlapMethod::sampled) overlaps_ = sampled_overlaps();
    for (const char* option : {"--split", "--scenes", "--cameras", "--views", "--details"}) {
      if (invocation.has(option)) {
        throw UsageError(std::string(option) + " is for GraspNet-1Billion; " + root_.string() +
                         " is a DOTA folder");
      }
    }
    if (invocation.has("--limit")) keep_first(std::stoull(invocation.value("--limit")));
    // The development kit's versions 1.5 and 2.0 know no difficult objects.
    const bool all_count = convention_ == eval::MapConvention::devkit && listed_.size() > 15;
    for (auto& objects : truth_.objects) {
      for (datasets::DotaObject& object : objects) {
        if (all_count) object.difficult = 0;
      }
    }
  }

  std::vector<std::string> inputs() const override {
    std::vector<std::string> paths;
    for (const fs::path& file : datasets::find_dota_pictures(root_, truth_.images)) {
      paths.push_back(file.string());
    }
    return paths;
  }

  std::string description() const override {
    return std::to_string(truth_.images.size()) + " images with DOTA labels";
  }

  void check(const fs::path& predictions) override {
    if (read_from_ == predictions) return;
    Stopwatch watch;
    detections_ = datasets::read_stored_detections(predictions);
    drop_left_out(detections_);
    read_from_ = predictions;
    read_seconds_ = watch.lap();
  }

  std::vector<fs::path> files_read(const fs::path& predictions) const override {
    return datasets::stored_detection_files(predictions);
  }

  WrittenFiles evaluate(const fs::path& predictions, const run::RunDirectory& run,
                        const Invocation& invocation) override {
    check(predictions);
    Stopwatch watch;
    const eval::DotaBoxes boxes = eval::dota_boxes(truth_, detections_, convention_, listed_);
    say_count(boxes.rows_of_unknown_images,
              "result rows that name an image outside of the list, ignored", boxes.unknown_image);
    warn_of_missing(predictions);
    say_count(boxes.boxes_of_unlisted_classes,
              "objects and result rows of classes outside of the list, ignored");
    say_count(boxes.crossing_objects,
              "objects whose sides cross, the hull of their corners stands for them");
    say_count(boxes.objects_without_area, "objects without area, they overlap nothing");
    const double read = read_seconds_ + watch.lap();
    const eval::MapSettings settings{.convention = convention_,
                                     .thresholds = thresholds_,
                                     .threads = set_threads(*invocation.config),
                                     .overlaps = overlaps_,
                                     .stop = interrupted};
    std::vector<eval::MapResult> results;
    try {
      results = eval::mean_average_precision(boxes.classes, settings);
    } catch (const eval::Stopped&) {
      return {.names = {}, .stopped = true};
    }
    nlohmann::ordered_json metrics = detection_metrics_json(results, convention_, overlap_);
    metrics["images"] = truth_.images.size();
    metrics["seconds"] = {{"read", read}, {"evaluate", watch.lap()}};
    run.write("metrics.json",
              metrics.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    std::vector<std::string> written = write_curves(results.front(), run);
    written.emplace_back("metrics.json");
    std::cout << detection_metrics_table(results, convention_, overlap_);
    return {.names = std::move(written)};
  }

 private:
  void keep_first(std::size_t count) {
    if (truth_.images.size() <= count) return;
    std::erase_if(truth_.index, [&](const auto& image) {
      const bool out = image.second >= static_cast<std::int64_t>(count);
      if (out) left_out_.insert(image.first);
      return out;
    });
    truth_.images.resize(count);
    truth_.objects.resize(count);
  }

  // Rows of images that --limit leaves out: known, but not asked for.
  void drop_left_out(std::vector<datasets::ClassDetections>& detections) const {
    if (left_out_.empty()) return;
    for (datasets::ClassDetections& entry : detections) {
      std::erase_if(entry.rows, [&](const datasets::DotaDetection& row) {
        return left_out_.contains(row.image);
      });
    }
  }

  // A run that did not get to every image looks like one that found nothing there.
  void warn_of_missing(const fs::path& predictions) const {
    const std::optional<std::set<std::string>> predicted = datasets::predicted_images(predictions);
    if (!predicted) return;
    std::int64_t missing = 0;
    std::string first;
    for (const std::string& image : truth_.images) {
      if (!predicted->contains(image) && missing++ == 0) first = image;
    }
    say_count(missing, "images without predictions, taken as images where nothing was detected",
              first);
  }

  fs::path root_;
  eval::MapConvention convention_;
  OverlapMethod overlap_;
  eval::BoxOverlaps overlaps_;  // sampled ones
  std::vector<double> thresholds_;
  std::vector<std::string> listed_;
  datasets::DotaTruth truth_;
  std::set<std::string> left_out_;  // images
  fs::path read_from_;              // where these come from
  std::vector<datasets::ClassDetections> detections_;
  double read_seconds_ = 0;
};

}  // namespace

std::unique_ptr<DataSetEvaluation> open_detection_evaluation(const Invocation& invocation) {
  return std::make_unique<DotaEvaluation>(invocation);
}

}  // namespace grasppanda::app
