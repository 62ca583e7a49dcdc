#include "lib/eval/grasp_view.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "lib/eval/errors.h"
#include "lib/eval/grasp_suppression.h"
#include "lib/eval/gripper_clearance.h"
#include "lib/eval/scene_cloud.h"
#include "lib/eval/upstream_order.h"

namespace grasppanda::eval {
namespace {

constexpr std::size_t kColumns = geometry::kGraspColumns;
constexpr double kMaxWidth = 0.1;  // metres
constexpr std::size_t kPerObject = 10;
constexpr std::size_t kCut = 49;  // place of the score that every counted grasp reaches
constexpr double kUnitTolerance = 1e-5;

// The dump with widths cut to what the gripper can do.
std::vector<double> limited_rows(const datasets::GraspDump& dump) {
  std::vector<double> rows = dump.rows;
  const double limit =
      dump.is_float32 ? static_cast<double>(static_cast<float>(kMaxWidth)) : kMaxWidth;
  for (std::size_t i = 1; i < rows.size(); i += kColumns) {
    rows[i] = rows[i] < 0 ? 0 : std::min(rows[i], limit);
  }
  return rows;
}

// Rows of each object that count, in the order in which they are tested.
std::vector<std::vector<std::int64_t>> rows_to_test(const std::vector<double>& rows,
                                                    const ViewVerdict& view, std::size_t objects) {
  const auto score_of = [&](std::int64_t row) { return rows[kColumns * row]; };
  std::vector<std::vector<std::int64_t>> of_object(objects);
  for (std::size_t i = 0; i < view.kept_rows.size(); ++i) {
    of_object[view.assigned[i]].push_back(view.kept_rows[i]);
  }
  std::vector<double> all_scores;
  for (std::vector<std::int64_t>& mine : of_object) {
    std::vector<double> scores;
    for (const std::int64_t row : mine) scores.push_back(score_of(row));
    std::vector<std::int64_t> order = quicksort_ascending(scores);
    std::ranges::reverse(order);
    if (order.size() > kPerObject) order.resize(kPerObject);
    std::vector<std::int64_t> best;
    for (const std::int64_t i : order) {
      best.push_back(mine[i]);
      all_scores.push_back(scores[i]);
    }
    mine = std::move(best);
  }
  if (all_scores.empty()) return of_object;
  std::ranges::sort(all_scores, std::greater<>());
  const double least = all_scores[std::min(kCut, all_scores.size() - 1)];
  for (std::vector<std::int64_t>& mine : of_object) {
    std::erase_if(mine, [&](std::int64_t row) { return score_of(row) < least; });
  }
  return of_object;
}

GripperPose gripper_pose(const double* row) {
  GripperPose pose{.width = row[1], .depth = row[3]};
  std::copy_n(row + 4, 9, pose.rotation.begin());
  std::copy_n(row + 13, 3, pose.translation.begin());
  return pose;
}

ClosingAxis closing_axis(const GripperPose& gripper, const Matrix4f& camera_from_object,
                         const std::string& place) {
  const geometry::Mat3& r = gripper.rotation;
  Vec3 centre;
  for (std::size_t i = 0; i < 3; ++i) {
    centre[i] = gripper.translation[i] + gripper.depth * r[3 * i];
  }
  ClosingAxis axis{.width = gripper.width};
  axis.centre = transform(inverse(camera_from_object), centre);
  for (std::size_t i = 0; i < 3; ++i) {  // transposed rotation of the pose
    const Matrix4f& p = camera_from_object;
    axis.direction[i] = (p[i] * r[1] + p[4 + i] * r[4]) + p[8 + i] * r[7];
  }
  const Vec3& v = axis.direction;
  const double length = std::sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
  if (!(std::abs(length - 1) <= kUnitTolerance)) {
    throw EvaluationError(place + ": the closing direction (columns 5, 8, 11) has length " +
                          std::to_string(length) + "; the rotation must be orthonormal to 1e-5");
  }
  for (double& x : axis.direction) x /= length;
  return axis;
}

// The object of every grasp that was kept.
void assign_objects(const SceneCloud& cloud, const std::vector<double>& rows, Workers& workers,
                    ViewVerdict& view) {
  constexpr std::size_t kChunk = 16;  // grasps a thread takes at once
  const std::size_t count = view.kept_rows.size();
  view.assigned.resize(count);
  workers.for_each((count + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    for (std::size_t i = chunk * kChunk; i < std::min(count, (chunk + 1) * kChunk); ++i) {
      const double* t = rows.data() + kColumns * view.kept_rows[i] + 13;
      view.assigned[i] = nearest_object(cloud, {t[0], t[1], t[2]});
    }
  });
}

// Of one grasp that counts: does it touch anything, is there anything to hold, does it hold?
void judge(const ViewScene& scene, const double* row, const PointSet& around,
           const std::string& name, GraspVerdict& verdict) {
  const GripperPose gripper = gripper_pose(row);
  const GripperClearance clearance = gripper_clearance(around, gripper);
  verdict.collision = clearance.collision;
  verdict.empty = clearance.empty;
  verdict.tested = !clearance.collision && !clearance.empty;
  if (verdict.empty) return;
  // Also where it collides, as the public evaluation: an axis that is none is an error here.
  verdict.axis = closing_axis(gripper, scene.camera_from_object[verdict.object],
                              name + ": row " + std::to_string(verdict.row));
  if (verdict.tested) {
    verdict.closure = force_closure(scene.objects[verdict.object]->distances, verdict.axis);
  }
}

AccuracyTable accuracy_of(const std::vector<GraspVerdict>& ranked) {
  AccuracyTable table{};
  std::array<int, 6> holding{};
  for (std::size_t k = 0; k < table.size(); ++k) {
    for (std::size_t j = 0; j < kFrictions.size(); ++j) {
      const double score = k < ranked.size() ? ranked[k].closure.score : kNotHeld;
      if (score > 0 && score <= kFrictions[j]) ++holding[j];
      table[k][j] = static_cast<double>(holding[j]) / static_cast<double>(k + 1);
    }
  }
  return table;
}

}  // namespace

ObjectModel::ObjectModel(datasets::ObjectFiles files)
    : points(voxel_means(files.vertices)),
      distances(files.distances.nodes, files.distances.origin, files.distances.step,
                std::move(files.distances.values)) {}

ViewVerdict evaluate_view(const ViewScene& scene, const datasets::GraspDump& dump,
                          const std::string& name, Workers& workers) {
  ViewVerdict view;
  if (dump.count() == 0 || scene.objects.empty()) return view;
  const std::vector<double> rows = limited_rows(dump);
  std::vector<const PointSet*> models;
  for (const ObjectModel* object : scene.objects) models.push_back(&object->points);
  const SceneCloud cloud =
      make_scene_cloud(models, scene.camera_from_object, scene.camera_from_table);
  // The suppression is one piece of work; meanwhile the other threads look around the objects.
  std::vector<PointSet> around(cloud.objects());
  workers.for_each(1 + around.size(), [&](std::size_t item) {
    if (item == 0) {
      view.kept_rows = suppressed_order(rows);
    } else {
      around[item - 1] = surroundings(cloud, item - 1);
    }
  });
  assign_objects(cloud, rows, workers, view);
  const auto of_object = rows_to_test(rows, view, scene.objects.size());
  std::vector<GraspVerdict> verdicts;
  std::vector<double> keys;
  for (std::size_t object = 0; object < of_object.size(); ++object) {
    for (const std::int64_t row : of_object[object]) {
      verdicts.push_back({.row = row, .object = object, .axis = {}, .closure = {}});
      keys.push_back(-rows[kColumns * row]);
    }
  }
  workers.for_each(verdicts.size(), [&](std::size_t i) {
    judge(scene, rows.data() + kColumns * verdicts[i].row, around[verdicts[i].object], name,
          verdicts[i]);
  });
  for (const std::int64_t i : quicksort_ascending(keys)) view.ranked.push_back(verdicts[i]);
  view.accuracy = accuracy_of(view.ranked);
  return view;
}

}  // namespace grasppanda::eval
