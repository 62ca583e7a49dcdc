// Grasp evaluation of one view: from a dump to a score for every grasp that counts, and the
// accuracy table. Rules: docs/evaluation.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/datasets/grasp_dump.h"
#include "lib/datasets/object_files.h"
#include "lib/eval/force_closure.h"
#include "lib/eval/matrix4.h"
#include "lib/eval/parallel_items.h"
#include "lib/eval/point_set.h"

namespace grasppanda::eval {

/// An object as the evaluation needs it, whatever the view.
struct ObjectModel {
  explicit ObjectModel(datasets::ObjectFiles files);
  PointSet points;  // thinned, model frame
  DistanceGrid distances;
};

/// One view. The k-th pose is that of the k-th object.
struct ViewScene {
  std::span<const ObjectModel* const> objects;
  std::span<const Matrix4f> camera_from_object;
  Matrix4d camera_from_table{};
};

struct GraspVerdict {
  std::int64_t row = 0;    // in the dump, from 0
  std::size_t object = 0;  // in the view
  bool collision = false;  // of the gripper with the scene
  bool empty = false;      // too little between the fingers
  bool tested = false;     // neither: then closing axis and closure are there
  ClosingAxis axis;
  ForceClosure closure;  // score -1 for grasps that were not tested
};

inline constexpr int kTopK = 50;
/// acc[k][j]: of the best k + 1 grasps the share that holds at kFrictions[j].
using AccuracyTable = std::array<std::array<double, 6>, kTopK>;

struct ViewVerdict {
  std::vector<std::int64_t> kept_rows;  // after non-maximum suppression, in its order
  std::vector<std::size_t> assigned;    // object of each
  std::vector<GraspVerdict> ranked;     // what counts, best score first
  AccuracyTable accuracy{};
};

/// The result does not depend on `workers`. Throws EvaluationError naming `name` and the row when
/// the closing direction of a tested grasp is not of unit length (within 1e-5).
ViewVerdict evaluate_view(const ViewScene& scene, const datasets::GraspDump& dump,
                          const std::string& name, Workers& workers);

}  // namespace grasppanda::eval
