#include "lib/ops/operator_list.h"

#include <ATen/ATen.h>

#include "lib/ops/argument_check.h"
#include "lib/ops/grasp/collision_detection.h"
#include "lib/ops/grasp/grasp_nms.h"
#include "lib/ops/grasp/grasp_views.h"
#include "lib/ops/point/ball_query.h"
#include "lib/ops/point/cylinder_query.h"
#include "lib/ops/point/furthest_point_sample.h"
#include "lib/ops/point/inverse_distance_weights.h"
#include "lib/ops/point/knn.h"
#include "lib/ops/point/nested_cylinder_query.h"
#include "lib/ops/point/serialization_code.h"
#include "lib/ops/point/three_interpolate.h"
#include "lib/ops/point/voxelize.h"
#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/rotated_nms.h"
#include "lib/ops/sparse/sparse_convolution.h"

namespace grasppanda::ops {
namespace {

NamedTensors run_furthest_point_sample(const OperatorCall& call) {
  return {{"index", furthest_point_sample(call.array("points"), call.integer("num_samples"),
                                          call.boolean("skip_near_origin"),
                                          parse_tie_break(call.text("tie_break")))}};
}

// The parameter `order` asks for the answer of a device that need not be there.
SumOrder sum_order(const OperatorCall& call, std::string_view op, const at::Tensor& query) {
  const std::string order = call.text("order");
  if (order == "device") return sum_order_on(query.device());
  if (order == "cpu") return SumOrder::left_to_right;
  if (order == "cuda") return SumOrder::middle_last;
  refuse_argument(op, "order", "is '" + order + "'", "cpu, cuda or device");
}

NamedTensors run_ball_query(const OperatorCall& call) {
  const at::Tensor query = call.array("query");
  const Neighbourhood found =
      ball_query(query, call.array("support"), call.number("radius"), call.integer("nsample"),
                 sum_order(call, "ball_query", query));
  return {{"index", found.index}, {"count", found.count}};
}

NamedTensors run_cylinder_query(const OperatorCall& call) {
  const Neighbourhood found = cylinder_query(
      call.array("query"), call.array("support"), call.array("rotation"), call.number("radius"),
      call.number("hmin"), call.number("hmax"), call.integer("nsample"));
  return {{"index", found.index}, {"count", found.count}};
}

NamedTensors run_nested_cylinder_query(const OperatorCall& call) {
  const at::Tensor hmax = call.array("hmax").to(at::kCPU, at::kDouble).contiguous();
  if (hmax.dim() > 1)
    refuse_argument("nested_cylinder_query", "hmax", "has shape " + shape_text(hmax), "(H,)");
  const double* ends = hmax.const_data_ptr<double>();
  const Neighbourhood found = nested_cylinder_query(
      call.array("query"), call.array("support"), call.array("rotation"), call.number("radius"),
      call.number("hmin"), {ends, ends + hmax.numel()}, call.integer("nsample"));
  return {{"index", found.index}, {"count", found.count}};
}

NamedTensors run_knn(const OperatorCall& call) {
  const at::Tensor query = call.array("query");
  const NearestNeighbours found =
      knn(query, call.array("support"), call.integer("k"), sum_order(call, "knn", query));
  return {{"distance", found.distance}, {"squared", found.squared}, {"index", found.index}};
}

NamedTensors run_inverse_distance_weights(const OperatorCall& call) {
  return {{"weight", inverse_distance_weights(call.array("distance"))}};
}

NamedTensors run_inverse_squared_distance_weights(const OperatorCall& call) {
  return {{"weight", inverse_squared_distance_weights(call.array("squared"))}};
}

NamedTensors run_three_interpolate(const OperatorCall& call) {
  return {{"value",
           three_interpolate(call.array("features"), call.array("index"), call.array("weight"))}};
}

NamedTensors run_voxelize(const OperatorCall& call) {
  const Voxels voxels = voxelize(call.array("points"), call.number("voxel_size"));
  return {{"coords", voxels.coords}, {"first", voxels.first}, {"inverse", voxels.inverse}};
}

NamedTensors run_serialization_code(const OperatorCall& call) {
  return {{"code", serialization_code(call.array("coords"), call.optional_array("batch"),
                                      call.integer("depth"),
                                      parse_serialization_order(call.text("order")))}};
}

NamedTensors run_serialization_decode(const OperatorCall& call) {
  const SerializedVoxels voxels = serialization_decode(
      call.array("code"), call.integer("depth"), parse_serialization_order(call.text("order")));
  return {{"coords", voxels.coords}, {"batch", voxels.batch}};
}

NamedTensors run_grasp_views(const OperatorCall& call) {
  at::Tensor angles = call.optional_array("angles");
  if (!angles.defined()) angles = in_plane_angles();
  const at::Tensor views = template_views(call.integer("num_views"));
  NamedTensors outputs{
      {"template_views", views},
      {"angles", angles},
      {"view_angle_rotations", approach_rotations(views.neg(), angles).flatten(2)}};
  if (const at::Tensor approach = call.optional_array("approach"); approach.defined())
    outputs["rotations"] = approach_rotations(approach, angles).flatten(2);
  return outputs;
}

NamedTensors run_grasp_nms(const OperatorCall& call) {
  return {{"kept", grasp_nms(call.array("grasps"), call.number("translation_thresh"),
                             call.number("rotation_thresh"))}};
}

NamedTensors run_collision_detection(const OperatorCall& call) {
  const Collisions found =
      collision_detection(call.array("grasps"), call.array("cloud"),
                          {call.number("voxel_size"), call.number("approach_dist"),
                           call.number("collision_thresh"), call.number("empty_thresh")});
  return {{"collision_mask", found.collision_mask},
          {"empty_mask", found.empty_mask},
          {"ious", found.ious}};
}

// Coordinates, features and kernel of one layer, as the sparse-convolution libraries take them.
NamedTensors run_sparse_convolution(const OperatorCall& call) {
  const SparseWeights weights = sparse_weights(call.array("kernel"), call.optional_array("bias"));
  const SparseLayer layer = sparse_layer(
      call.array("in_coords"), call.optional_array("out_coords"), weights.offsets(),
      {call.integer("stride"), call.integer("tensor_stride"), call.boolean("transposed")});
  return {{"out_coords", layer.out->coords()},
          {"out_feats", sparse_convolution(call.array("in_feats"), weights, layer.map)}};
}

constexpr Operator kOperators[] = {
    {"furthest_point_sample", run_furthest_point_sample},
    {"ball_query", run_ball_query},
    {"cylinder_query", run_cylinder_query},
    {"nested_cylinder_query", run_nested_cylinder_query},
    {"knn", run_knn},
    {"inverse_distance_weights", run_inverse_distance_weights},
    {"inverse_squared_distance_weights", run_inverse_squared_distance_weights},
    {"three_interpolate", run_three_interpolate},
    {"voxelize", run_voxelize},
    {"serialization_code", run_serialization_code},
    {"serialization_decode", run_serialization_decode},
    {"grasp_views", run_grasp_views},
    {"grasp_nms", run_grasp_nms},
    {"collision_detection", run_collision_detection},
    {"sparse_convolution", run_sparse_convolution},
};

}  // namespace

std::span<const Operator> operators() {
  return kOperators;
}

NamedTensors run_operator(std::string_view name, OperatorCall::Values values) {
  const OperatorDescription* description = find_operator_description(name);
  for (const Operator& entry : kOperators)
    if (description != nullptr && entry.name == description->name)
      return entry.run(OperatorCall(*description, std::move(values)));
  refuse_argument("ops", "operator", "is '" + std::string(name) + "'", "one of the list");
}

std::vector<const AnyKernelList*> selectable_kernel_lists() {
  return {&furthest_point_sample_kernels(), &ball_query_kernels(),
          &cylinder_query_kernels(),        &knn_kernels(),
          &sparse_convolution_kernels(),    &rotated_iou_kernels(),
          &rotated_nms_kernels()};
}

}  // namespace grasppanda::ops
