#include "app/commands/model_bench.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <memory>
#include <string>

#include "app/commands/stopwatch.h"
#include "app/config_keys.h"
#include "lib/config/config.h"
#include "lib/io/checkpoint.h"
#include "lib/ops/point/voxelize.h"
#include "lib/ops/seeded_clouds.h"
#include "models/backbones/sparse_unet.h"
#include "models/graspnet_baseline/encoder.h"
#include "models/model.h"
#include "models/weights.h"

namespace grasppanda::app {

namespace {

// About the masked cloud of a recorded frame.
constexpr std::int64_t kCloudPoints = 60000;
// What GraspNet-baseline draws from it.
constexpr std::int64_t kEncoderPoints = 20000;
constexpr const char* kStages[] = {"prepare", "network", "postprocess"};

/// Numbers that keep activations in range through many layers: weights by their fan-in, norms near
/// the identity.
io::Array seeded_array(const models::ExpectedTensor& tensor, ops::SeededNumbers& numbers) {
  if (tensor.key.ends_with("num_batches_tracked"))
    return io::make_array<std::int64_t>(tensor.shape, std::vector<std::int64_t>{0});
  std::int64_t count = 1;
  for (const std::int64_t size : tensor.shape) count *= size;
  double middle = 0, spread = 0.1;
  if (tensor.shape.size() > 1)
    spread = std::sqrt(6.0 / static_cast<double>(count / tensor.shape.front()));
  else if (tensor.key.ends_with("running_var") || tensor.key.ends_with("weight"))
    middle = 1;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values)
    value = static_cast<float>(middle + spread * (2.0 * numbers.uniform() - 1.0));
  return io::make_array(tensor.shape, values);
}

io::Checkpoint seeded_checkpoint(const models::ModelEntry& model, const config::Config& config) {
  io::Checkpoint checkpoint;
  checkpoint.format = "seeded";
  ops::SeededNumbers numbers(1);
  for (const models::ExpectedTensor& tensor : model.expected(&config))
    checkpoint.tensors.push_back({tensor.key, seeded_array(tensor, numbers)});
  return checkpoint;
}

std::vector<models::GraspInput> seeded_inputs(std::int64_t batches) {
  std::vector<models::GraspInput> inputs;
  for (std::int64_t cloud = 0; cloud < batches; ++cloud) {
    models::GraspInput input;
    input.name = "seeded";
    input.cloud = ops::seeded_cloud(ops::CloudKind::table_top, 1, kCloudPoints,
                                    static_cast<std::uint64_t>(cloud))
                      .squeeze(0)
                      .to(at::kDouble);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

at::Tensor rows_of(const geometry::GraspGroup& grasps) {
  return at::from_blob(const_cast<geometry::Grasp*>(grasps.data()),
                       {static_cast<std::int64_t>(grasps.size()), geometry::kGraspColumns},
                       at::kFloat)
      .clone();
}

ops::BenchOutcome run_model(models::GraspModel& model,
                            const std::vector<models::GraspInput>& inputs) {
  ops::BenchOutcome outcome;
  outcome.milliseconds.assign(std::size(kStages), 0.0);
  Stopwatch stopwatch;
  for (const models::GraspInput& input : inputs) {
    const models::GraspOutput output = model.predict(input);
    for (const auto& [stage, seconds] : output.accounting.seconds)
      for (std::size_t i = 0; i < std::size(kStages); ++i)
        if (stage == kStages[i]) outcome.milliseconds[i] += 1e3 * seconds;
    outcome.results.push_back(rows_of(output.grasps));
  }
  outcome.milliseconds.push_back(1e3 * stopwatch.lap());
  return outcome;
}

config::Config default_config(const models::ModelEntry& model) {
  return config::parse_config("model:\n  name: " + std::string(model.name) + "\n", "ops bench", {},
                              key_tables());
}

ops::BenchCase model_case(const models::ModelEntry& model, std::int64_t batches) {
  ops::BenchCase bench_case;
  for (const std::string stage : {"prepare", "network", "postprocess", "total"})
    bench_case.rows.push_back("model/" + std::string(model.name) + "/" + stage + "/b" +
                              std::to_string(batches));
  bench_case.prepare = [&model, batches](c10::Device device) -> ops::BenchRun {
    const config::Config config = default_config(model);
    const std::shared_ptr<models::GraspModel> loaded =
        model.load(config, seeded_checkpoint(model, config), device);
    return [loaded, inputs = seeded_inputs(batches)](ops::Backend backend) {
      const ops::ScopedBackends scope(ops::all_backends(backend));
      return run_model(*loaded, inputs);
    };
  };
  return bench_case;
}

/// PointNet++ by itself, the part of GraspNet-baseline that all its published times speak of.
ops::BenchCase encoder_case(std::int64_t batches) {
  ops::BenchCase bench_case;
  bench_case.rows.push_back("model/graspnet_baseline/encoder/b" + std::to_string(batches));
  bench_case.prepare = [batches](c10::Device device) -> ops::BenchRun {
    const models::ModelEntry& model = *models::find_model("graspnet_baseline");
    const io::Checkpoint checkpoint = seeded_checkpoint(model, default_config(model));
    const auto encoder = std::make_shared<models::graspnet_baseline::Encoder>(
        models::Weights(checkpoint.tensors), device);
    const at::Tensor clouds =
        ops::seeded_cloud(ops::CloudKind::table_top, batches, kEncoderPoints, 0).to(device);
    return [encoder, clouds](ops::Backend backend) {
      const ops::ScopedBackends scope(ops::all_backends(backend));
      ops::BenchOutcome outcome;
      for (const at::Tensor& cloud : clouds.unbind(0))
        outcome.results.push_back(encoder->forward(cloud).features);
      return outcome;
    };
  };
  return bench_case;
}

/// LibTorch's product of two square matrices: what the machine gives at best.
ops::BenchCase dense_case() {
  constexpr std::int64_t kSize = 2048;
  return {{"model/dense_product/" + std::to_string(kSize)},
          [](c10::Device device) -> ops::BenchRun {
            const at::Tensor a = at::ones({kSize, kSize}, at::device(device)), b = a.clone();
            return [a, b, out = at::empty_like(a)](ops::Backend) mutable {
              at::mm_out(out, a, b);
              const auto size = static_cast<double>(kSize);
              return ops::BenchOutcome{{}, {}, 2 * size * size * size};
            };
          }};
}

/// The sparse U-Net of GSNet with its kernel maps. Its sums round: no result for the comparison.
ops::BenchCase unet_case(std::int64_t batches) {
  constexpr std::int64_t kPoints = 15000;
  return {{"model/gsnet/unet/b" + std::to_string(batches)},
          [batches](c10::Device device) -> ops::BenchRun {
            const models::ModelEntry& gsnet = *models::find_model("gsnet");
            const models::Weights weights(seeded_checkpoint(gsnet, default_config(gsnet)).tensors);
            const auto unet = std::make_shared<models::SparseUnet>(weights, "backbone.", device);
            const at::Tensor all =
                ops::voxelize(ops::seeded_cloud(ops::CloudKind::table_top, batches, kPoints, 0),
                              0.005)
                    .coords;
            const double operations = unet->operations(models::sparse_levels(all));
            const at::Tensor feats =
                at::ones({all.size(0), models::kUnetIn}, at::device(device).dtype(at::kFloat));
            const auto workspace = std::make_shared<models::SparseWorkspace>();
            return [=](ops::Backend backend) {
              const at::NoGradGuard no_grad;
              const ops::ScopedBackends scope(ops::all_backends(backend));
              unet->forward(models::sparse_levels(all, device), feats, *workspace);
              return ops::BenchOutcome{{}, {}, operations};
            };
          }};
}

}  // namespace

std::vector<ops::BenchCase> model_bench_cases() {
  std::vector<ops::BenchCase> cases{dense_case()};
  for (const std::int64_t batches : {1, 4}) cases.push_back(unet_case(batches));
  for (const models::ModelEntry& model : models::model_list()) {
    // What shapes a detector has is known from its checkpoint only; `infer` says how long it took.
    if (model.is_detector()) continue;
    for (const std::int64_t batches : {1, 4}) cases.push_back(model_case(model, batches));
  }
  for (const std::int64_t batches : {1, 4}) cases.push_back(encoder_case(batches));
  return cases;
}

}  // namespace grasppanda::app
