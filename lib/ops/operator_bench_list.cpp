// THE list of cases that `ops bench` times.
#include <ATen/ATen.h>

#include <utility>

#include "lib/ops/operator_bench.h"
#include "lib/ops/point/ball_query.h"
#include "lib/ops/point/cylinder_query.h"
#include "lib/ops/point/furthest_point_sample.h"
#include "lib/ops/point/knn.h"
#include "lib/ops/point/nested_cylinder_query.h"
#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/rotated_nms.h"
#include "lib/ops/rotated/rotated_roi_align.h"
#include "lib/ops/rotated/sampled_iou.h"
#include "lib/ops/rotated/seeded_boxes.h"
#include "lib/ops/sparse/sparse_convolution.h"

namespace grasppanda::ops {
namespace {

std::string sizes(int64_t first, int64_t second) {
  return std::to_string(first) + "x" + std::to_string(second);
}
std::string batch_text(int64_t batches) {
  return "/b" + std::to_string(batches);
}

/// A call under a backend of its own.
template <class Call>
BenchRun on_backends(Call call) {
  return [call](Backend backend) {
    const ScopedBackends scope(all_backends(backend));
    return BenchOutcome{call(), {}};
  };
}

BenchCase fps_case(int64_t points, TieBreak rule, int64_t batches) {
  constexpr int64_t kSamples = 1024;
  return {{"fps/" + sizes(kSamples, points) + "/" + std::string(tie_break_name(rule)) +
           batch_text(batches)},
          [=](c10::Device device) {
            const auto c = furthest_point_sample_scene(batches, kSamples, points, rule);
            const at::Tensor cloud = c.points.to(device);
            return on_backends([c, cloud]() -> std::vector<at::Tensor> {
              return {furthest_point_sample(cloud, c.num_samples, c.skip_near_origin, c.tie_break)};
            });
          }};
}

BenchCase ball_case(int64_t points, int64_t nsample, int64_t batches) {
  constexpr int64_t kQueries = 1024;
  return {{"ball_query/" + sizes(kQueries, points) + "/" + std::to_string(nsample) +
           batch_text(batches)},
          [=](c10::Device device) {
            const auto c = ball_query_scene(batches, kQueries, points, nsample);
            const at::Tensor query = c.query.to(device), support = c.support.to(device);
            return on_backends([=]() -> std::vector<at::Tensor> {
              const Neighbourhood found = ball_query(query, support, c.radius, c.nsample);
              return {found.index, found.count};
            });
          }};
}

BenchCase cylinder_case(int64_t points, int64_t nsample, int64_t batches) {
  constexpr int64_t kQueries = 1024;
  return {{"cylinder_query/" + sizes(kQueries, points) + "/" + std::to_string(nsample) +
           batch_text(batches)},
          [=](c10::Device device) {
            const auto c = cylinder_query_scene(batches, kQueries, points, nsample);
            const at::Tensor query = c.query.to(device), support = c.support.to(device),
                             rotation = c.rotation.to(device);
            return on_backends([=]() -> std::vector<at::Tensor> {
              const Neighbourhood found =
                  cylinder_query(query, support, rotation, c.radius, c.hmin, c.hmax, c.nsample);
              return {found.index, found.count};
            });
          }};
}

/// The four cylinders of GraspNet-baseline in one call.
BenchCase nested_case(int64_t points, int64_t nsample, int64_t batches) {
  constexpr int64_t kQueries = 1024;
  return {{"nested_cylinder_query/" + sizes(kQueries, points) + "/4x" + std::to_string(nsample) +
           batch_text(batches)},
          [=](c10::Device device) {
            const auto c = cylinder_query_scene(batches, kQueries, points, nsample);
            const at::Tensor query = c.query.to(device), support = c.support.to(device),
                             rotation = c.rotation.to(device);
            return on_backends([=]() -> std::vector<at::Tensor> {
              const Neighbourhood found = nested_cylinder_query(
                  query, support, rotation, c.radius, c.hmin, {0.01, 0.02, 0.03, 0.04}, c.nsample);
              return {found.index, found.count};
            });
          }};
}

BenchCase knn_case(int64_t queries, int64_t points, int64_t k, int64_t batches) {
  return {{"knn/" + sizes(queries, points) + "/k" + std::to_string(k) + batch_text(batches)},
          [=](c10::Device device) {
            const auto c = knn_scene(batches, queries, points, k);
            const at::Tensor query = c.query.to(device), support = c.support.to(device);
            return on_backends([=]() -> std::vector<at::Tensor> {
              const NearestNeighbours found = knn(query, support, k);
              return {found.squared, found.index};
            });
          }};
}

/// Boxes w 8 to 100, h 4 to 40, anywhere on 1024 pixels; `alone` as in BenchCase.
BenchCase rotated_iou_case(int64_t n, int64_t m) {
  return {{"rotated_iou/" + sizes(n, m)}, [=](c10::Device device) {
            const at::Tensor boxes1 = seeded_boxes(BoxKind::aerial, n, 31).to(device);
            const at::Tensor boxes2 = seeded_boxes(BoxKind::aerial, m, 32).to(device);
            return on_backends(
                [=]() -> std::vector<at::Tensor> { return {rotated_iou(boxes1, boxes2)}; });
          }};
}

BenchCase sampled_iou_case(int64_t n, int64_t m, std::string alone = {}) {
  return {{"sampled_iou/" + sizes(n, m)},
          [=](c10::Device device) {
            const at::Tensor boxes1 = seeded_boxes(BoxKind::aerial, n, 31).to(device);
            const at::Tensor boxes2 = seeded_boxes(BoxKind::aerial, m, 32).to(device);
            return on_backends(
                [=]() -> std::vector<at::Tensor> { return {sampled_iou(boxes1, boxes2)}; });
          },
          std::move(alone)};
}

BenchCase rotated_nms_case(int64_t boxes, int64_t extent, std::string alone = {}) {
  return {{"rotated_nms/" + std::to_string(boxes) + "/" + std::to_string(extent) + "px"},
          [=](c10::Device device) {
            const at::Tensor rows =
                seeded_boxes(BoxKind::aerial, boxes, 33, static_cast<double>(extent)).to(device);
            const at::Tensor scores = seeded_scores(boxes, 34).to(device);
            return on_backends([=]() -> std::vector<at::Tensor> {
              return {rotated_nms(rows, scores, {.iou_threshold = 0.1})};
            });
          },
          std::move(alone)};
}

BenchCase rotated_roi_align_case(int64_t rois, int64_t channels, std::string alone = {}) {
  return {{"rotated_roi_align/" + std::to_string(rois) + "/" + std::to_string(channels) +
           "x256x256/7x7/2"},
          [=](c10::Device device) {
            const RoiAlignCase scene = rotated_roi_align_scene(rois, channels);
            const FeaturePyramid pyramid{{scene.feature.to(device)}, {scene.sampling.stride}};
            const at::Tensor boxes = scene.rows.to(device);
            return on_backends([=]() -> std::vector<at::Tensor> {
              return {rotated_roi_align(pyramid, boxes, RoiAlignVariant::mmcv)};
            });
          },
          std::move(alone)};
}

/// A layer of GSNet's U-Net on a surface. Its sums round: no result for the comparison of bits.
BenchCase sparse_case(int64_t rows, int64_t size, int64_t in, int64_t out) {
  return {{"sparse_convolution/" + std::to_string(rows) + "/k" + std::to_string(size) + "/" +
           sizes(in, out)},
          [=](c10::Device device) -> BenchRun {
            const auto c = sparse_convolution_scene(rows, size, in, out);
            const at::Tensor feats = c.feats.to(device);
            const SparseWeights weights = sparse_weights(c.weights.kernel.to(device));
            auto map = std::make_shared<KernelMap>(*c.map);
            if (device.is_cuda()) map->source = source_table(*map, device);
            const double operations = 2.0 * static_cast<double>(pair_count(*map) * in * out);
            return [=](Backend backend) {
              const ScopedBackends scope(all_backends(backend));
              sparse_convolution(feats, weights, map, c.fusion);
              return BenchOutcome{{}, {}, operations};
            };
          }};
}

constexpr int64_t kLarge[] = {100000, 1000000};

}  // namespace

std::vector<BenchCase> operator_bench_cases() {
  std::vector<BenchCase> cases;
  const auto rules = {TieBreak::lowest_index, TieBreak::pointnet2_cuda};
  const auto with_batches = [&](const auto& make) {
    for (const int64_t batches : {1, 4}) cases.push_back(make(batches));
  };
  for (const int64_t points : {3000, 8000, 15000})
    for (const TieBreak rule : rules)
      with_batches([&](int64_t batches) { return fps_case(points, rule, batches); });
  for (const int64_t points : kLarge)
    for (const TieBreak rule : rules) cases.push_back(fps_case(points, rule, 1));
  for (const auto make : {ball_case, cylinder_case}) {
    for (const int64_t points : {1024, 15000, 20000})
      for (const int64_t nsample : {16, 64})
        with_batches([&](int64_t batches) { return make(points, nsample, batches); });
    for (const int64_t points : kLarge)
      for (const int64_t nsample : {16, 64}) cases.push_back(make(points, nsample, 1));
  }
  for (const int64_t points : {1024, 20000})
    with_batches([&](int64_t batches) { return nested_case(points, 64, batches); });
  for (const int64_t points : {15000, 20000}) {
    with_batches([&](int64_t batches) { return knn_case(points, 1024, 3, batches); });
    with_batches([&](int64_t batches) { return knn_case(1024, points, 1, batches); });
  }
  for (const int64_t points : kLarge) {
    cases.push_back(knn_case(points, 1024, 3, 1));
    cases.push_back(knn_case(1024, points, 1, 1));
  }
  // Where the reference would take minutes a smaller pair stands beside the size of interest.
  const std::string alone = "alone: the reference takes too long at this size";
  cases.push_back(rotated_iou_case(1000, 1000));
  cases.push_back(sampled_iou_case(100, 100));
  cases.push_back(sampled_iou_case(1000, 1000, alone));
  cases.push_back(rotated_nms_case(10000, 1024));
  for (const int64_t extent : {1024, 20000})
    cases.push_back(rotated_nms_case(100000, extent, alone));
  cases.push_back(rotated_roi_align_case(100, 256));
  cases.push_back(rotated_roi_align_case(1000, 256, alone));
  cases.push_back(sparse_case(10000, 5, 3, 32));
  for (const auto& [in, out] : {std::pair<int64_t, int64_t>{32, 32}, {192, 192}, {224, 192}})
    cases.push_back(sparse_case(10000, 3, in, out));
  cases.push_back(sparse_case(10000, 1, 192, 512));
  return cases;
}

}  // namespace grasppanda::ops
