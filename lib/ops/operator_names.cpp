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
