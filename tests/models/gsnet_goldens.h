// GSNet with the weights of the goldens, made once per test program.
#pragma once

#include "tests/models/goldens.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/config/config.h"
#include "models/gsnet/gsnet.h"
#include "models/gsnet/keys.h"
#include "models/model.h"
#include "tests/support/golden_weights.h"

namespace grasppanda::tests {

/// `stats`: "stats.npz", or "few/stats_few.npz"; `manifest` likewise.
inline const GoldenWeights& gsnet_weights(const std::filesystem::path& folder,
                                          const std::string& stats = "stats.npz",
                                          const std::string& manifest = "manifest.json") {
  static std::map<std::string, GoldenWeights> made;
  const auto [entry, is_new] = made.try_emplace(stats + manifest);
  if (is_new) entry->second = golden_weights(folder / manifest, folder / stats);
  return entry->second;
}

inline config::Config gsnet_config(const std::string& more = "") {
  static const std::array<const config::KeyTable*, 2> tables = {&config::common_keys(),
                                                                &models::gsnet_keys()};
  return config::parse_config("model:\n  name: gsnet\n" + more, "test.yaml", {}, tables);
}

/// `more`: lines of the configuration behind `model: {name: gsnet}`.
inline std::unique_ptr<models::GraspModel> gsnet_model(const std::vector<io::NamedArray>& tensors,
                                                       const std::string& more = "") {
  io::Checkpoint checkpoint;
  checkpoint.tensors = tensors;
  return models::gsnet::load(gsnet_config(more), checkpoint, at::kCPU);
}

inline models::GraspInput cloud_input(const at::Tensor& cloud, std::uint64_t seed = 0) {
  models::GraspInput input;
  input.cloud = cloud.to(at::kDouble);
  input.seed = seed;
  return input;
}

inline models::GraspInput points_input(const at::Tensor& points) {
  models::GraspInput input = cloud_input(points);
  input.network_points = points;
  return input;
}

/// -1: no such count.
inline std::int64_t count_of(const models::GraspOutput& output, const std::string& name) {
  for (const auto& [key, value] : output.accounting.counts)
    if (key == name) return value;
  return -1;
}

inline at::Tensor rows_of(const geometry::GraspGroup& grasps) {
  return at::from_blob(const_cast<geometry::Grasp*>(grasps.data()),
                       {static_cast<std::int64_t>(grasps.size()), 17}, at::kFloat)
      .clone();
}

using Stages = std::map<std::string, at::Tensor>;
inline models::StageObserver into(Stages& stages) {
  return [&stages](const std::string& stage, const at::Tensor& value) {
    CHECK(stages.emplace(stage, value.clone()).second);  // no stage comes twice
  };
}

}  // namespace grasppanda::tests
