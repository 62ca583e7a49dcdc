// What the tests of the published detectors compare with: stored stages and detections, and the
// checkpoints that they were made with.
#pragma once

#include "tests/catch.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "lib/config/config.h"
#include "lib/io/checkpoint.h"
#include "lib/io/npz.h"
#include "models/detector.h"

namespace grasppanda::tests {

/// One golden archive.
class StageGolden {
 public:
  explicit StageGolden(const std::filesystem::path& file) : archive_(file) {}
  bool has(const std::string& name) const { return archive_.contains(name); }
  at::Tensor operator()(const std::string& name) const;

 private:
  io::NpzReader archive_;
};

/// The checkpoint of a manifest, with what lies beside the weights.
io::Checkpoint golden_checkpoint(const std::filesystem::path& manifest,
                                 const std::filesystem::path& stats);

/// `more`: YAML after `model: {name, family}`.
config::Config detector_config(const std::string& name, const std::string& family,
                               const std::string& more = "");
/// The whole way of a run: the model is chosen, the file checked, the network built.
std::unique_ptr<models::Detector> load_detector(const config::Config& config,
                                                const io::Checkpoint& checkpoint);

/// (H, W, 3) uint8 RGB.
at::Tensor rgb_picture(const std::filesystem::path& file);

/// A stage against its record: places within `places` times the root mean square, sums of
/// magnitudes and squares within 1e-5.
void check_places(const at::Tensor& got, const StageGolden& golden, const std::string& name,
                  double places = 1e-3);

/// Tolerances of detections.
struct MatchLimits {
  double pixels = 0.05, radians = 1e-3, score = 1e-3;
};
/// Rows (n, 6) of box and score, labels (n,): how many rows of either side have no partner of their
/// class on the other. Angles modulo pi; those of boxes below one pixel do not count.
struct Unmatched {
  std::int64_t got, want;
};
Unmatched unmatched(const at::Tensor& got, const at::Tensor& got_labels, const at::Tensor& want,
                    const at::Tensor& want_labels, const MatchLimits& limits);
/// At most 1 % of the rows, two at least, are unmatched on either side.
void check_detections(const at::Tensor& got, const at::Tensor& got_labels, const at::Tensor& want,
                      const at::Tensor& want_labels, const MatchLimits& limits = {});

using Stages = std::map<std::string, at::Tensor>;

}  // namespace grasppanda::tests
