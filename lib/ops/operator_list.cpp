#include "lib/ops/operator_list.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <optional>

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
#include "lib/ops/rotated/aspect_gated_angle_loss.h"
#include "lib/ops/rotated/enclosing_boxes.h"
#include "lib/ops/rotated/hbb_nms.h"
#include "lib/ops/rotated/horizontal_nms.h"
#include "lib/ops/rotated/kfiou_loss.h"
#include "lib/ops/rotated/match_anchors.h"
#include "lib/ops/rotated/mean_auxiliary_box_reg_loss.h"
#include "lib/ops/rotated/probiou_loss.h"
#include "lib/ops/rotated/riou_loss.h"
#include "lib/ops/rotated/roi_align.h"
#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/rotated_iou_sample_count.h"
#include "lib/ops/rotated/rotated_nms.h"
#include "lib/ops/rotated/rotated_roi_align.h"
#include "lib/ops/rotated/sampled_iou.h"
#include "lib/ops/rotated/sampled_nms.h"
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

// A whole number, or `word` for nothing.
std::optional<int64_t> optional_integer(const OperatorCall& call, std::string_view name,
                                        std::string_view word) {
  if (call.is_text(name) && call.text(name) == word) return std::nullopt;
  return call.integer(name);
}

std::optional<double> optional_number(const OperatorCall& call, std::string_view name) {
  if (call.is_text(name) && call.text(name) == "auto") return std::nullopt;
  return call.number(name);
}

NamedTensors run_rotated_iou(const OperatorCall& call) {
  const at::Tensor boxes1 = call.array("boxes1"), boxes2 = call.array("boxes2");
  const bool aligned = call.boolean("aligned");
  if (parse_iou_method("rotated_iou", call.text("method")) == IouMethod::sampled) {
    const auto samples = optional_integer(call, "num_samples", "auto");
    return {{"iou", aligned ? aligned_sampled_iou(boxes1, boxes2, samples)
                            : sampled_iou(boxes1, boxes2, samples)}};
  }
  const std::string ratio = call.text("ratio");
  if (ratio != "iou" && ratio != "iof")
    refuse_argument("rotated_iou", "ratio", "is '" + ratio + "'", "iou or iof");
  const OverlapRatio of = ratio == "iou" ? OverlapRatio::iou : OverlapRatio::iof;
  return {
      {"iou", aligned ? aligned_rotated_iou(boxes1, boxes2, of) : rotated_iou(boxes1, boxes2, of)}};
}

NamedTensors run_rotated_iou_sample_count(const OperatorCall& call) {
  const std::string purpose = call.text("purpose");
  if (purpose != "iou" && purpose != "nms")
    refuse_argument("rotated_iou_sample_count", "purpose", "is '" + purpose + "'", "iou or nms");
  return {{"num_samples",
           at::scalar_tensor(
               rotated_iou_sample_count(call.array("boxes1"), call.optional_array("boxes2"),
                                        purpose == "iou" ? SamplePurpose::iou : SamplePurpose::nms,
                                        optional_integer(call, "num_samples", "auto")),
               at::kLong)}};
}

NamedTensors run_rotated_nms(const OperatorCall& call) {
  const std::string degenerate = call.text("degenerate");
  if (degenerate != "package" && degenerate != "keep")
    refuse_argument("rotated_nms", "degenerate", "is '" + degenerate + "'", "package or keep");
  RotatedNmsOptions options;
  options.iou_threshold = call.number("iou_threshold");
  options.method = parse_iou_method("rotated_nms", call.text("method"));
  options.max_detections = optional_integer(call, "max_detections", "all");
  options.at_equality = call.boolean("at_equality");
  if (degenerate == "keep") options.degenerate = DegenerateBoxes::keep;
  return {{"kept", rotated_nms(call.array("boxes"), call.array("scores"), options,
                               call.optional_array("labels"))}};
}

NamedTensors run_horizontal_nms(const OperatorCall& call) {
  return {{"kept",
           horizontal_nms(call.array("boxes"), call.array("scores"), call.number("iou_threshold"),
                          optional_integer(call, "max_detections", "all"))}};
}

NamedTensors run_hbb_nms(const OperatorCall& call) {
  return {{"kept", hbb_nms(call.array("boxes"), call.array("scores"), call.number("iou_threshold"),
                           optional_integer(call, "max_detections", "all"))}};
}

NamedTensors run_enclosing_boxes(const OperatorCall& call) {
  const at::Tensor boxes = call.array("boxes");
  require_rotated_boxes("enclosing_boxes", "boxes", boxes);
  return {{"hbb", enclosing_boxes(boxes)}};
}

NamedTensors run_match_anchors(const OperatorCall& call) {
  MatchOptions options = default_match_options(parse_match_mode(call.text("mode")));
  options.pos = optional_number(call, "pos").value_or(options.pos);
  options.neg = optional_number(call, "neg").value_or(options.neg);
  options.min_pos_iou = optional_number(call, "min_pos_iou").value_or(options.min_pos_iou);
  options.match_low_quality = call.boolean("match_low_quality");
  options.ignore = call.optional_array("ignore");
  options.look_alike = call.optional_array("look_alike");
  options.ignore_iou = optional_number(call, "ignore_iou");
  options.look_alike_iou = optional_number(call, "look_alike_iou");
  const AnchorMatches found = match_anchors(call.array("anchors"), call.array("gt"), options);
  return {{"labels", found.label}, {"gt_index", found.gt_index}};
}

FeaturePyramid feature_pyramid(const OperatorCall& call, std::string_view op) {
  FeaturePyramid pyramid;
  for (const char* name : {"feat0", "feat1", "feat2", "feat3"}) {
    const at::Tensor map = call.optional_array(name);
    if (!map.defined()) break;
    pyramid.levels.push_back(map);
  }
  const at::Tensor strides = call.array("strides").to(at::kCPU, at::kDouble).flatten();
  if (strides.numel() < static_cast<int64_t>(pyramid.levels.size()))
    refuse_argument(op, "strides", "has shape " + shape_text(strides), "one for each feature map");
  for (std::size_t level = 0; level < pyramid.levels.size(); ++level)
    pyramid.strides.push_back(strides[static_cast<int64_t>(level)].item<double>());
  return pyramid;
}

RoiAlignOptions roi_align_options(const OperatorCall& call) {
  return {call.integer("output_size"), call.integer("sampling_ratio")};
}

NamedTensors run_roi_align(const OperatorCall& call) {
  return {
      {"horizontal_align", roi_align(feature_pyramid(call, "roi_align"), call.array("boxes_xyxy"),
                                     call.optional_array("batch"), roi_align_options(call))}};
}

NamedTensors run_rotated_roi_align(const OperatorCall& call) {
  return {{"rotated_align",
           rotated_roi_align(feature_pyramid(call, "rotated_roi_align"), call.array("boxes"),
                             parse_roi_align_variant(call.text("variant")),
                             call.optional_array("batch"), roi_align_options(call))}};
}

// The loss that `compute` makes of pred, and its gradient.
template <class Compute>
NamedTensors with_gradient(const OperatorCall& call, const Compute& compute) {
  const c10::AutoGradMode recording(true);
  at::Tensor pred = call.array("pred").detach().clone();
  if (pred.is_floating_point()) pred.requires_grad_(true);
  const at::Tensor loss = compute(pred, call.array("target"), call.optional_array("weight"));
  if (loss.requires_grad()) loss.sum().backward();
  const at::Tensor grad = pred.grad();
  return {{"loss", loss.detach()}, {"grad", grad.defined() ? grad : at::zeros_like(pred).detach()}};
}

NamedTensors run_kfiou_loss(const OperatorCall& call) {
  const Reduction reduction = parse_reduction("kfiou_loss", call.text("reduction"));
  const KfiouFunction function = parse_kfiou_function(call.text("fun"));
  return with_gradient(
      call, [&](const at::Tensor& pred, const at::Tensor& target, const at::Tensor& weight) {
        return reduced(kfiou_loss(pred, target, function), weight, 1e-6, reduction);
      });
}

NamedTensors run_probiou_loss(const OperatorCall& call) {
  const Reduction reduction = parse_reduction("probiou_loss", call.text("reduction"));
  const ProbiouMode mode = parse_probiou_mode(call.text("mode"));
  return with_gradient(
      call, [&](const at::Tensor& pred, const at::Tensor& target, const at::Tensor& weight) {
        return reduced(probiou_loss(pred, target, mode), weight, 1e-3, reduction);
      });
}

NamedTensors run_riou_loss(const OperatorCall& call) {
  const Reduction reduction = parse_reduction("riou_loss", call.text("reduction"));
  const RiouKind kind = parse_riou_kind(call.text("kind"));
  return with_gradient(
      call, [&](const at::Tensor& pred, const at::Tensor& target, const at::Tensor& weight) {
        return reduced(riou_loss(pred, target, kind), weight, 1e-6, reduction);
      });
}

NamedTensors run_aspect_gated_angle_loss(const OperatorCall& call) {
  const Reduction reduction = parse_reduction("aspect_gated_angle_loss", call.text("reduction"));
  const double lambda = call.number("lambda");
  return with_gradient(
      call, [&](const at::Tensor& pred, const at::Tensor& target, const at::Tensor& weight) {
        return reduced(aspect_gated_angle_loss(pred, target, lambda), weight, 1e-6, reduction);
      });
}

NamedTensors run_mean_auxiliary_box_reg_loss(const OperatorCall& call) {
  const AuxiliaryLossOptions options{parse_auxiliary_loss(call.text("roi_box_reg_iou_loss_type")),
                                     parse_kfiou_function(call.text("roi_box_reg_kfiou_fun")),
                                     parse_probiou_mode(call.text("roi_box_reg_probiou_mode")),
                                     call.number("roi_box_reg_iou_weight")};
  return with_gradient(call,
                       [&](const at::Tensor& pred, const at::Tensor& target, const at::Tensor&) {
                         return mean_auxiliary_box_reg_loss(pred, target, options);
                       });
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
    {"rotated_iou", run_rotated_iou},
    {"rotated_iou_sample_count", run_rotated_iou_sample_count},
    {"rotated_nms", run_rotated_nms},
    {"horizontal_nms", run_horizontal_nms},
    {"hbb_nms", run_hbb_nms},
    {"enclosing_boxes", run_enclosing_boxes},
    {"match_anchors", run_match_anchors},
    {"roi_align", run_roi_align},
    {"rotated_roi_align", run_rotated_roi_align},
    {"kfiou_loss", run_kfiou_loss},
    {"probiou_loss", run_probiou_loss},
    {"riou_loss", run_riou_loss},
    {"aspect_gated_angle_loss", run_aspect_gated_angle_loss},
    {"mean_auxiliary_box_reg_loss", run_mean_auxiliary_box_reg_loss},
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
          &rotated_nms_kernels(),           &sampled_iou_kernels(),
          &sampled_nms_kernels(),           &roi_align_kernels()};
}

}  // namespace grasppanda::ops
