#include "models/graspnet_baseline/crop.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/ops/point/nested_cylinder_query.h"
#include "models/backbones/row_maximum.h"
#include "models/graspnet_baseline/architecture.h"

namespace grasppanda::models::graspnet_baseline {

namespace {

// Seeds worked together: some 700 rows of the MLP, which stay in the second-level cache.
constexpr std::int64_t kSeedsPerBlock = 8;

/// The groups of one seed, made of positions in the sorted union of its points.
struct SeedGroups {
  std::vector<std::int64_t> points;                            // the union, ascending
  std::array<std::vector<std::int32_t>, kDepths> positions{};  // of each group in `points`
  std::array<bool, kDepths> repeats{};                         // equal to the group before

  void assign(const std::array<std::span<const std::int64_t>, kDepths>& lists);
};

void SeedGroups::assign(const std::array<std::span<const std::int64_t>, kDepths>& lists) {
  points.clear();
  for (const auto& list : lists) points.insert(points.end(), list.begin(), list.end());
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  for (std::size_t depth = 0; depth < lists.size(); ++depth) {
    repeats[depth] = depth > 0 && std::ranges::equal(lists[depth], lists[depth - 1]);
    positions[depth].clear();
    auto from = points.begin();
    for (const std::int64_t point : lists[depth]) {
      from = std::lower_bound(from, points.end(), point);  // the list ascends, too
      positions[depth].push_back(static_cast<std::int32_t>(from - points.begin()));
    }
  }
}

/// Plain views of the arguments.
struct Arrays {
  const float *cloud, *seeds, *rotation;
  const std::int64_t *index, *count;
  std::int64_t seed_count;

  std::span<const std::int64_t> list(std::int64_t depth, std::int64_t seed) const {
    const std::int64_t group = depth * seed_count + seed;
    // A cylinder without a point, which a seed that is no point of the cloud can have, stands for
    // its slots: the first point.
    const std::int64_t points = std::max<std::int64_t>(count[group], 1);
    return {index + group * kCropPoints, static_cast<std::size_t>(points)};
  }
  /// The point in the frame of the seed: one subtraction, three products added left to right.
  void place(std::int64_t point, std::int64_t seed, float* out) const {
    const float *p = cloud + 3 * point, *q = seeds + 3 * seed, *r = rotation + 9 * seed;
    const float x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    for (int axis = 0; axis < 3; ++axis)
      out[axis] = (x * r[axis] + y * r[3 + axis]) + z * r[6 + axis];
  }
};

/// Buffers of one thread.
struct Scratch {
  at::Tensor offset;
  std::vector<at::Tensor> output;
};

Scratch make_scratch(const GroupedMlp& mlp) {
  const std::int64_t most = kSeedsPerBlock * kDepths * kCropPoints;
  const auto options = mlp.last_sign.options();
  Scratch scratch{at::empty({most, 3}, options), {}};
  for (const PointwiseLayer& layer : mlp.layers)
    scratch.output.push_back(at::empty({most, layer.weight.size(1)}, options));
  return scratch;
}

/// The rows of `offset` through all layers; of the last one the product alone.
const float* through(const GroupedMlp& mlp, const Scratch& scratch, std::int64_t rows) {
  at::Tensor value = scratch.offset.narrow(0, 0, rows);
  for (std::size_t i = 0; i < mlp.layers.size(); ++i) {
    at::Tensor next = scratch.output[i].narrow(0, 0, rows);
    if (i + 1 == mlp.layers.size()) {
      at::mm_out(next, value, mlp.layers[i].weight);
    } else {
      at::addmm_out(next, mlp.layers[i].bias, value, mlp.layers[i].weight);
      next.relu_();
    }
    value = next;
  }
  return value.const_data_ptr<float>();
}

void maximum_of(const float* rows, std::span<const std::int32_t> positions, std::int64_t channels,
                float* out) {
  std::copy_n(rows + positions.front() * channels, channels, out);
  for (const std::int32_t position : positions.subspan(1))
    take_maximum(rows + position * channels, channels, out);
}

/// Features of the groups of some seeds into `out`, one row a group that does not repeat; `fresh`
/// says which those are.
void work_block(const GroupedMlp& mlp, const Arrays& arrays, std::int64_t begin, std::int64_t end,
                std::vector<SeedGroups>& groups, const Scratch& scratch, float* out, bool* fresh) {
  float* offset = scratch.offset.mutable_data_ptr<float>();
  std::int64_t rows = 0;
  for (std::int64_t seed = begin; seed < end; ++seed) {
    SeedGroups& of_seed = groups[static_cast<std::size_t>(seed - begin)];
    std::array<std::span<const std::int64_t>, kDepths> lists;
    for (std::int64_t depth = 0; depth < kDepths; ++depth)
      lists[static_cast<std::size_t>(depth)] = arrays.list(depth, seed);
    of_seed.assign(lists);
    for (const std::int64_t point : of_seed.points) arrays.place(point, seed, offset + 3 * rows++);
  }
  const std::int64_t channels = mlp.layers.back().weight.size(1);
  const float* products = through(mlp, scratch, rows);
  for (std::int64_t seed = begin; seed < end; ++seed) {
    const SeedGroups& of_seed = groups[static_cast<std::size_t>(seed - begin)];
    for (std::int64_t depth = 0; depth < kDepths; ++depth) {
      const auto d = static_cast<std::size_t>(depth);
      const std::int64_t group = (seed * kDepths + depth);
      fresh[group] = !of_seed.repeats[d];
      if (fresh[group])
        maximum_of(products, of_seed.positions[d], channels, out + group * channels);
    }
    products += static_cast<std::int64_t>(of_seed.points.size()) * channels;
  }
}

}  // namespace

at::Tensor CropFeatures::all() const {
  return distinct.index_select(0, row);
}

ops::Neighbourhood crop_groups(const at::Tensor& seeds, const at::Tensor& cloud,
                               const at::Tensor& rotation) {
  const ops::Neighbourhood found = ops::nested_cylinder_query(
      seeds.unsqueeze(0), cloud.unsqueeze(0), rotation.unsqueeze(0), kCropRadius, kCropBehind,
      {kCropAhead.begin(), kCropAhead.end()}, kCropPoints);
  return {found.index.squeeze(0), found.count.squeeze(0)};
}

CropFeatures crop_features(const GroupedMlp& mlp, const at::Tensor& cloud, const at::Tensor& seeds,
                           const at::Tensor& rotation, const ops::Neighbourhood& groups) {
  const at::NoGradGuard no_grad;
  const at::Device device = cloud.device();
  const GroupedMlp on_cpu = to_device(mlp, at::kCPU);
  const auto place = [](const at::Tensor& value) { return value.to(at::kCPU).contiguous(); };
  const at::Tensor points = place(cloud), centres = place(seeds), frames = place(rotation),
                   index = place(groups.index), count = place(groups.count);
  const std::int64_t m = centres.size(0);
  const Arrays arrays{points.const_data_ptr<float>(),       centres.const_data_ptr<float>(),
                      frames.const_data_ptr<float>(),       index.const_data_ptr<std::int64_t>(),
                      count.const_data_ptr<std::int64_t>(), m};
  const PointwiseLayer& last = on_cpu.layers.back();
  const std::int64_t channels = last.weight.size(1);
  at::Tensor out = at::empty({m * kDepths, channels}, centres.options());
  at::Tensor fresh = at::empty({m * kDepths}, at::kBool);
  float* features = out.mutable_data_ptr<float>();
  bool* fresh_flags = fresh.mutable_data_ptr<bool>();
  const std::int64_t blocks = (m + kSeedsPerBlock - 1) / kSeedsPerBlock;
  at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    const at::NoGradGuard no_grad_here;  // a worker thread does not inherit the caller's
    const Scratch scratch = make_scratch(on_cpu);
    std::vector<SeedGroups> of_block(kSeedsPerBlock);
    for (std::int64_t block = begin; block < end; ++block)
      work_block(on_cpu, arrays, block * kSeedsPerBlock, std::min((block + 1) * kSeedsPerBlock, m),
                 of_block, scratch, features, fresh_flags);
  });
  // The bias and the ReLU of the last layer are monotone: behind the maximum.
  at::Tensor distinct = out.index_select(0, fresh.nonzero().squeeze(1));
  distinct.add_(last.bias).relu_();
  return {distinct.to(device), (fresh.to(at::kLong).cumsum(0) - 1).to(device)};
}

}  // namespace grasppanda::models::graspnet_baseline
