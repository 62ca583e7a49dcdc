#include "lib/ops/operator_names.h"

namespace grasppanda::ops {
namespace {

using A = ArrayDescription;
using P = ParameterDescription;
using enum ParameterKind;

constexpr A kPoints[] = {{"points", "(B, N, 3) float"}};
constexpr A kQuerySupport[] = {{"query", "(B, M, 3) float"}, {"support", "(B, N, 3) float"}};
constexpr A kNeighbourhood[] = {{"index", "(B, M, nsample) int64"}, {"count", "(B, M) int64"}};
constexpr P kOrder = {"order", text, "device", "cpu | cuda | device: how three squares are added"};

constexpr A kSamples[] = {{"index", "(B, num_samples) int64"}};
constexpr P kSampleParameters[] = {
    {"num_samples", integer, "", "picks per cloud"},
    {"skip_near_origin", boolean, "false", "never pick points within 1e-3 square metres"},
    {"tie_break", text, "lowest_index", "lowest_index | pointnet2_cuda"}};

constexpr P kBallParameters[] = {
    {"radius", number, "", "metres"}, {"nsample", integer, "", "slots per query"}, kOrder};

constexpr A kCylinderInputs[] = {{"query", "(B, M, 3) float"},
                                 {"support", "(B, N, 3) float"},
                                 {"rotation", "(B, M, 3, 3) float"}};
constexpr P kCylinderParameters[] = {{"radius", number, "", "metres"},
                                     {"hmin", number, "", "metres along the axis"},
                                     {"hmax", number, "", "metres along the axis"},
                                     {"nsample", integer, "", "slots per query"}};

constexpr A kNestedInputs[] = {{"query", "(B, M, 3) float"},
                               {"support", "(B, N, 3) float"},
                               {"rotation", "(B, M, 3, 3) float"},
                               {"hmax", "(H,) metres along the axis"}};
constexpr P kNestedParameters[] = {{"radius", number, "", "metres"},
                                   {"hmin", number, "", "metres along the axis"},
                                   {"nsample", integer, "", "slots per query"}};
constexpr A kNested[] = {{"index", "(B, H, M, nsample) int64"}, {"count", "(B, H, M) int64"}};

constexpr P kNeighbourParameters[] = {{"k", integer, "", "neighbours, at most N"}, kOrder};
constexpr A kNeighbours[] = {
    {"distance", "(B, M, k) float"}, {"squared", "(B, M, k) float"}, {"index", "(B, M, k) int64"}};

constexpr A kDistance[] = {{"distance", "(B, N, K) float"}};
constexpr A kSquared[] = {{"squared", "(B, N, K) float"}};
constexpr A kWeight[] = {{"weight", "(B, N, K) float"}};

constexpr A kInterpolationInputs[] = {{"features", "(B, C, M) float"},
                                      {"index", "(B, N, 3) int64 or int32"},
                                      {"weight", "(B, N, 3) float"}};
constexpr A kInterpolated[] = {{"value", "(B, C, N) float"}};

constexpr P kVoxelParameters[] = {{"voxel_size", number, "", "metres"}};
constexpr A kVoxels[] = {{"coords", "(V, 4) int32: batch, ix, iy, iz"},
                         {"first", "(V,) int64"},
                         {"inverse", "(B*N,) int64"}};

constexpr A kSerializationInputs[] = {{"coords", "(N, 3) int32 or int64"},
                                      {"batch", "(N,) int64", false}};
constexpr P kSerializationParameters[] = {
    {"depth", integer, "", "bits per axis, 1 to 16"},
    {"order", text, "", "z | z-trans | hilbert | hilbert-trans"}};
constexpr A kCode[] = {{"code", "(N,) int64"}};
constexpr A kDecoded[] = {{"coords", "(N, 3) int64"}, {"batch", "(N,) int64"}};

constexpr A kViewInputs[] = {{"angles", "(A,) float32 radians; default 12 steps of pi/12", false},
                             {"approach", "(n, 3) float32 vectors, for `rotations`", false}};
constexpr P kViewParameters[] = {{"num_views", integer, "300", "template views"}};
constexpr A kViews[] = {{"template_views", "(V, 3) float32"},
                        {"angles", "(A,) float32"},
                        {"view_angle_rotations", "(V, A, 9) float32"},
                        {"rotations", "(n, A, 9) float32 of `approach`, if given", false}};

constexpr A kNmsInputs[] = {{"grasps", "(n, 17) float32 or float64"}};
constexpr P kNmsParameters[] = {{"translation_thresh", number, "0.03", "metres"},
                                {"rotation_thresh", number, "0.5235987755982988", "radians"}};
constexpr A kKept[] = {{"kept", "(k,) int64"}};

constexpr A kCollisionInputs[] = {{"grasps", "(n, 17) float32 or float64"},
                                  {"cloud", "(N, 3) float32 or float64"}};
constexpr P kCollisionParameters[] = {{"voxel_size", number, "0.005", "metres"},
                                      {"approach_dist", number, "0.03", "metres"},
                                      {"collision_thresh", number, "0.05", "overlap"},
                                      {"empty_thresh", number, "0.01", "share of volume"}};
constexpr A kCollisions[] = {{"collision_mask", "(n,) bool"},
                             {"empty_mask", "(n,) bool"},
                             {"ious", "(5, n) float64: global, left, right, bottom, shifting"}};

constexpr A kTwoSets[] = {{"boxes1", "(N, 5) float: cx, cy, w, h, angle"},
                          {"boxes2", "(M, 5) float"}};
constexpr P kSampleCount = {"num_samples", integer, "auto",
                            "points per box, a perfect square; auto: by the sizes of the boxes"};
constexpr P kIouParameters[] = {
    {"aligned", boolean, "0", "0: every pair, (N, M); 1: box k with box k, (N,)"},
    {"method", text, "exact", "exact | sampled"},
    {"ratio", text, "iou", "iou | iof (of the first box; exact only)"},
    kSampleCount};
constexpr A kIou[] = {{"iou", "(N, M) or (N,) float"}};
constexpr A kCountedSets[] = {{"boxes1", "(N, 5) float"}, {"boxes2", "(M, 5) float", false}};
constexpr P kCountParameters[] = {{"purpose", text, "iou", "iou | nms"}, kSampleCount};
constexpr A kCount[] = {{"num_samples", "() int64"}};

constexpr A kRotatedScored[] = {{"boxes", "(N, 5) float: cx, cy, w, h, angle"},
                                {"scores", "(N,) float"},
                                {"labels", "(N,) int64", false}};
constexpr P kMostDetections = {"max_detections", integer, "all", "the best are returned"};
constexpr P kIouThreshold = {"iou_threshold", number, "", "0 to 1"};
constexpr P kRotatedNmsParameters[] = {
    kIouThreshold,
    {"method", text, "exact", "exact | sampled"},
    kMostDetections,
    {"at_equality", boolean, "false", "suppress from the threshold on, not only above it"},
    {"degenerate", text, "package", "package | keep: boxes without a polygon"}};
constexpr A kUprightScored[] = {{"boxes", "(N, 4) float: x1, y1, x2, y2"},
                                {"scores", "(N,) float"}};
constexpr A kHbbScored[] = {{"boxes", "(N, 5) float: cx, cy, w, h, angle"},
                            {"scores", "(N,) float"}};
constexpr P kHorizontalParameters[] = {kIouThreshold, kMostDetections};

constexpr A kRotatedBoxes[] = {{"boxes", "(N, 5) float: cx, cy, w, h, angle"}};
constexpr A kEnclosing[] = {{"hbb", "(N, 4) float32: x1, y1, x2, y2"}};

constexpr A kMatchInputs[] = {{"anchors", "(N, 5) float"},
                              {"gt", "(M, 5) float"},
                              {"ignore", "(I, 5) float", false},
                              {"look_alike", "(L, 5) float", false}};
constexpr P kMatchParameters[] = {
    {"mode", text, "hbb", "hbb | sampled | rotated"},
    {"pos", number, "auto", "positive from here on; auto: 0.7, rotated 0.5"},
    {"neg", number, "auto", "background below; auto: 0.3, rotated 0.4"},
    {"min_pos_iou", number, "auto",
     "least overlap of an object's best anchor; auto: 0.3, rotated 0"},
    {"match_low_quality", boolean, "true", "every object gets its best anchor"},
    {"ignore_iou", number, "auto", "auto: pos"},
    {"look_alike_iou", number, "auto", "auto: pos"}};
constexpr A kMatches[] = {{"labels", "(N,) int64: 1, 0 or -1"},
                          {"gt_index", "(N,) int64, -1: none"}};

constexpr A kRotatedRoiInputs[] = {{"boxes", "(K, 5) float32, image pixels"},
                                   {"strides", "(levels,) image pixels a pixel of each map"},
                                   {"feat0", "(B, C, H, W) float32, finest map"},
                                   {"feat1", "(B, C, H, W) float32", false},
                                   {"feat2", "(B, C, H, W) float32", false},
                                   {"feat3", "(B, C, H, W) float32", false},
                                   {"batch", "(K,) int64; default 0", false}};
constexpr A kRoiInputs[] = {{"boxes_xyxy", "(K, 4) float32, image pixels"},
                            {"strides", "(levels,) image pixels a pixel of each map"},
                            {"feat0", "(B, C, H, W) float32, finest map"},
                            {"feat1", "(B, C, H, W) float32", false},
                            {"feat2", "(B, C, H, W) float32", false},
                            {"feat3", "(B, C, H, W) float32", false},
                            {"batch", "(K,) int64; default 0", false}};
constexpr P kRoiParameters[] = {{"output_size", integer, "7", "cells a side"},
                                {"sampling_ratio", integer, "0", "points a cell; 0: adaptive"}};
constexpr P kRotatedRoiParameters[] = {
    {"variant", text, "oriented_det", "mmcv | oriented_det"},
    {"output_size", integer, "7", "cells a side"},
    {"sampling_ratio", integer, "2", "points a cell; 0: adaptive (mmcv only)"}};
constexpr A kHorizontalAligned[] = {
    {"horizontal_align", "(K, C, output_size, output_size) float32"}};
constexpr A kRotatedAligned[] = {{"rotated_align", "(K, C, output_size, output_size) float32"}};

constexpr A kLossInputs[] = {{"pred", "(N, 5) float"},
                             {"target", "(N, 5) float"},
                             {"weight", "(N,) float, for mean and sum", false}};
constexpr A kBoxPairs[] = {{"pred", "(N, 5) float"}, {"target", "(N, 5) float"}};
constexpr A kLoss[] = {{"loss", "(N,) float, or () where reduced"},
                       {"grad", "(N, 5) float: of the sum of `loss` by `pred`"}};
constexpr P kReduction = {"reduction", text, "none", "none | mean | sum"};
constexpr P kKfiouParameters[] = {{"fun", text, "none", "none | ln | exp"}, kReduction};
constexpr P kProbiouParameters[] = {{"mode", text, "l1", "l1 | l2"}, kReduction};
constexpr P kRiouParameters[] = {{"kind", text, "sampled", "sampled | convex"}, kReduction};
constexpr P kAngleParameters[] = {{"lambda", number, "1", "how soon it fades for long boxes"},
                                  kReduction};
constexpr P kAuxiliaryParameters[] = {
    {"roi_box_reg_iou_loss_type", text, "riou", "riou | kfiou | probiou"},
    {"roi_box_reg_kfiou_fun", text, "none", "none | ln | exp"},
    {"roi_box_reg_probiou_mode", text, "l1", "l1 | l2"},
    {"roi_box_reg_iou_weight", number, "1", "factor"}};

constexpr A kSparseInputs[] = {
    {"in_coords", "(N, 4) int32: batch, x, y, z, each row once"},
    {"in_feats", "(N, in) float"},
    {"kernel", "(offsets, in, out) float, 1, 8, 27 or 125 offsets; or (in, out)"},
    {"bias", "(out,) or (1, out) float", false},
    {"out_coords", "(M, 4) int32, must be given when transposed", false}};
constexpr P kSparseParameters[] = {
    {"stride", integer, "1", "1, or 2 with 8 offsets"},
    {"tensor_stride", integer, "1", "of in_coords"},
    {"transposed", boolean, "false", "transposed convolution to half the tensor stride"}};
constexpr A kSparseOutputs[] = {{"out_coords", "(M, 4) int32"}, {"out_feats", "(M, out) float"}};

constexpr OperatorDescription kOperators[] = {
    {"furthest_point_sample", "fps", "point", "picks points that are far from each other", kPoints,
     kSampleParameters, kSamples},
    {"ball_query", "ball_query", "point", "first points inside a ball around each query",
     kQuerySupport, kBallParameters, kNeighbourhood},
    {"cylinder_query", "cylinder_query", "point", "first points inside a cylinder at each query",
     kCylinderInputs, kCylinderParameters, kNeighbourhood},
    {"nested_cylinder_query", "nested_cylinder_query", "point",
     "first points inside each of several nested cylinders", kNestedInputs, kNestedParameters,
     kNested},
    {"knn", "knn", "point", "nearest points of each query", kQuerySupport, kNeighbourParameters,
     kNeighbours},
    {"inverse_distance_weights",
     "inverse_distance_weights",
     "point",
     "interpolation weights from distances",
     kDistance,
     {},
     kWeight},
    {"inverse_squared_distance_weights",
     "inverse_squared_distance_weights",
     "point",
     "interpolation weights from squared distances",
     kSquared,
     {},
     kWeight},
    {"three_interpolate",
     "three_interpolate",
     "point",
     "features interpolated between three neighbours",
     kInterpolationInputs,
     {},
     kInterpolated},
    {"voxelize", "voxelize", "point", "cells of a voxel grid and the points in them", kPoints,
     kVoxelParameters, kVoxels},
    {"serialization_code", "serialization_code", "point", "codes along a space-filling curve",
     kSerializationInputs, kSerializationParameters, kCode},
    {"serialization_decode", "serialization_decode", "point", "voxels from curve codes", kCode,
     kSerializationParameters, kDecoded},
    {"grasp_views", "grasp_views", "grasp", "template views and gripper rotations", kViewInputs,
     kViewParameters, kViews},
    {"grasp_nms", "grasp_nms", "grasp", "non-maximum suppression of grasps", kNmsInputs,
     kNmsParameters, kKept},
    {"collision_detection", "collision_detection", "grasp", "grasps that would touch the scene",
     kCollisionInputs, kCollisionParameters, kCollisions},
    {"rotated_iou", "rotated_iou", "rotated", "overlap of rotated boxes", kTwoSets, kIouParameters,
     kIou},
    {"rotated_iou_sample_count", "rotated_iou_sample_count", "rotated",
     "points per box of the sampled overlap", kCountedSets, kCountParameters, kCount},
    {"rotated_nms", "rotated_nms", "rotated", "non-maximum suppression of rotated boxes",
     kRotatedScored, kRotatedNmsParameters, kKept},
    {"horizontal_nms", "horizontal_nms", "rotated", "non-maximum suppression of upright boxes",
     kUprightScored, kHorizontalParameters, kKept},
    {"hbb_nms", "hbb_nms", "rotated", "suppression by the upright boxes around rotated ones",
     kHbbScored, kHorizontalParameters, kKept},
    {"enclosing_boxes",
     "enclosing_boxes",
     "rotated",
     "upright boxes around rotated ones",
     kRotatedBoxes,
     {},
     kEnclosing},
    {"match_anchors", "match_anchors", "rotated", "which object an anchor is to find", kMatchInputs,
     kMatchParameters, kMatches},
    {"roi_align", "roi_align", "rotated", "features of upright boxes", kRoiInputs, kRoiParameters,
     kHorizontalAligned},
    {"rotated_roi_align", "rotated_roi_align", "rotated", "features of rotated boxes",
     kRotatedRoiInputs, kRotatedRoiParameters, kRotatedAligned},
    {"kfiou_loss", "kfiou_loss", "rotated", "loss by the overlap of Gaussians, Kalman update",
     kLossInputs, kKfiouParameters, kLoss},
    {"probiou_loss", "probiou_loss", "rotated", "loss by the distance of Gaussians", kLossInputs,
     kProbiouParameters, kLoss},
    {"riou_loss", "riou_loss", "rotated", "one minus the overlap", kLossInputs, kRiouParameters,
     kLoss},
    {"aspect_gated_angle_loss", "aspect_gated_angle_loss", "rotated",
     "loss on the angle that fades for long boxes", kLossInputs, kAngleParameters, kLoss},
    {"mean_auxiliary_box_reg_loss", "mean_auxiliary_box_reg_loss", "rotated",
     "mean loss on decoded boxes", kBoxPairs, kAuxiliaryParameters, kLoss},
    {"sparse_convolution", "sparse_convolution", "sparse", "convolution of a sparse voxel tensor",
     kSparseInputs, kSparseParameters, kSparseOutputs},
};

}  // namespace

std::span<const OperatorDescription> operator_descriptions() {
  return kOperators;
}

const OperatorDescription* find_operator_description(std::string_view name) {
  for (const OperatorDescription& description : kOperators)
    if (name == description.name || name == description.short_name) return &description;
  return nullptr;
}

}  // namespace grasppanda::ops
