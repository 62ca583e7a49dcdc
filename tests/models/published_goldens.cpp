#include "tests/models/published_goldens.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "lib/io/image.h"
#include "models/mmrotate/keys.h"
#include "models/weights.h"
#include "tests/support/golden_weights.h"

namespace grasppanda::tests {

at::Tensor StageGolden::operator()(const std::string& name) const {
  return models::tensor_of(archive_.read(name)).clone();
}

io::Checkpoint golden_checkpoint(const std::filesystem::path& manifest,
                                 const std::filesystem::path& stats) {
  GoldenWeights weights = golden_weights(manifest, stats);
  io::Checkpoint checkpoint;
  checkpoint.container = weights.container;
  checkpoint.tensors = std::move(weights.tensors);
  checkpoint.other = std::make_shared<nlohmann::json>(nlohmann::json::parse(weights.extra.dump()));
  return checkpoint;
}

config::Config detector_config(const std::string& name, const std::string& family,
                               const std::string& more) {
  std::vector<const config::KeyTable*> tables = {&config::common_keys()};
  for (const config::KeyTable& table : models::published_detector_keys()) tables.push_back(&table);
  const std::string yaml = "model:\n  name: " + name + "\n  family: " + family + "\n" + more;
  return config::parse_config(yaml, "test.yaml", {}, tables);
}

std::unique_ptr<models::Detector> load_detector(const config::Config& config,
                                                const io::Checkpoint& checkpoint) {
  const models::ModelEntry* entry = models::choose_model(
      config.text("model.name"), config.text("model.family"), checkpoint.tensors);
  REQUIRE(entry != nullptr);
  CHECK(entry->recognises(checkpoint.tensors));
  if (entry->require_kind != nullptr) entry->require_kind(config, checkpoint);
  models::require_match(*entry, models::match_checkpoint(*entry, &config, checkpoint.tensors),
                        checkpoint.tensors, "golden");
  return entry->load_detector(config, checkpoint, at::kCPU);
}

at::Tensor rgb_picture(const std::filesystem::path& file) {
  const io::Image image = io::to_rgb8(io::read_image(file));
  return at::from_blob(const_cast<std::uint8_t*>(image.pixels.data()),
                       {image.height, image.width, 3}, at::kByte)
      .clone();
}

void check_places(const at::Tensor& got, const StageGolden& golden, const std::string& name,
                  double places) {
  CAPTURE(name);
  const at::Tensor value = got.contiguous();
  REQUIRE(golden(name + ".shape").equal(at::tensor(value.sizes(), at::kLong)));
  const at::Tensor sums = golden(name + ".sums");
  const double rms = std::sqrt(sums[2].item<double>() / static_cast<double>(value.numel()));
  const at::Tensor there = value.flatten().index_select(0, golden(name + ".idx"));
  const double off = (there - golden(name + ".val")).abs().max().item<double>();
  CHECK(off <= places * rms);
  // The rounding of a value is about 2e-4 of the root mean square, so that sums over few values
  // cannot agree to 1e-5: on FCOS's map of 8 x 8 the record itself is 2.8e-5 away from the same
  // network in float64, ours 1.8e-5. From 3600 values on the limit is 1e-5.
  const double sums_within = std::max(1e-5, 6e-4 / std::sqrt(static_cast<double>(value.numel())));
  const double magnitudes = value.abs().sum(at::kDouble).item<double>();
  const double squares = value.to(at::kDouble).square().sum().item<double>();
  CHECK(std::abs(magnitudes / sums[1].item<double>() - 1) <= sums_within);
  CHECK(std::abs(squares / sums[2].item<double>() - 1) <= sums_within);
}

Unmatched unmatched(const at::Tensor& got, const at::Tensor& got_labels, const at::Tensor& want,
                    const at::Tensor& want_labels, const MatchLimits& limits) {
  if (got.size(0) == 0 || want.size(0) == 0) return {got.size(0), want.size(0)};
  const at::Tensor a = got.to(at::kDouble).unsqueeze(1), b = want.to(at::kDouble).unsqueeze(0);
  const at::Tensor off = (a - b).abs();
  const double pi = std::numbers::pi;
  const at::Tensor turn = at::remainder(off.select(2, 4), pi);
  const at::Tensor tiny = at::minimum(b.select(2, 2), b.select(2, 3)) < 1;
  at::Tensor pairs = (off.narrow(2, 0, 4).amax(2) <= limits.pixels) &
                     (off.select(2, 5) <= limits.score) &
                     ((at::minimum(turn, pi - turn) <= limits.radians) | tiny) &
                     (got_labels.to(at::kLong).unsqueeze(1) == want_labels.to(at::kLong));
  std::int64_t matched = 0;
  for (std::int64_t i = 0; i < got.size(0); ++i) {
    const at::Tensor hits = pairs[i].nonzero();
    if (hits.numel() == 0) continue;
    pairs.select(1, hits[0].item<std::int64_t>()).fill_(false);
    ++matched;
  }
  return {got.size(0) - matched, want.size(0) - matched};
}

void check_detections(const at::Tensor& got, const at::Tensor& got_labels, const at::Tensor& want,
                      const at::Tensor& want_labels, const MatchLimits& limits) {
  CAPTURE(got.size(0), want.size(0));
  REQUIRE(want.size(0) > 0);
  const Unmatched left = unmatched(got, got_labels, want, want_labels, limits);
  const std::int64_t allowed = std::max<std::int64_t>(2, want.size(0) / 100);
  CHECK(left.got <= allowed);
  CHECK(left.want <= allowed);
}

}  // namespace grasppanda::tests
