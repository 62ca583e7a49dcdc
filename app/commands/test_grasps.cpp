// `test` on GraspNet-1Billion.
#include <algorithm>
#include <atomic>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "app/commands/compute_setup.h"
#include "app/commands/data_set_evaluation.h"
#include "app/commands/grasp_metrics.h"
#include "app/commands/stopwatch.h"
#include "app/commands/test_selection.h"
#include "app/interrupt.h"
#include "app/log.h"
#include "app/report_error.h"
#include "app/terminal.h"
#include "lib/datasets/object_cache.h"
#include "lib/io/atomic_file.h"
#include "lib/io/format_error.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

// Grids of the objects that are kept from scene to scene: all 88 of the data set and more.
constexpr std::size_t kObjectBytes = std::size_t{1} << 30;

std::size_t count_views(const std::vector<datasets::SceneViews>& scenes) {
  std::size_t count = 0;
  for (const datasets::SceneViews& scene : scenes) count += scene.views.size();
  return count;
}

// The first `limit` views.
void limit_views(std::vector<datasets::SceneViews>& scenes, std::size_t limit) {
  for (datasets::SceneViews& scene : scenes) {
    if (scene.views.size() > limit) scene.views.resize(limit);
    limit -= scene.views.size();
  }
  std::erase_if(scenes, [](const datasets::SceneViews& scene) { return scene.views.empty(); });
}

// Where parsed objects are kept from run to run; may be deleted at any time.
fs::path object_cache(const Invocation& invocation) {
  const auto find = [&](const char* name) {
    const auto found = invocation.environment.find(name);
    return found == invocation.environment.end() ? std::string() : found->second;
  };
  if (const std::string given = find("GRASPPANDA_CACHE"); !given.empty()) {
    return fs::path(given) / "models";
  }
  const std::string home = find("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache/grasppanda/models";
}

enum class ObjectCheck { are_there, are_readable };

// What evaluate() will read, before anything is computed. Objects that are read are in the cache
// then.
void check_truth(const fs::path& root, const std::vector<datasets::SceneViews>& scenes,
                 ObjectCheck check, const fs::path& cache) {
  std::set<int> objects;
  for (const datasets::SceneViews& scene : scenes) {
    const datasets::SceneTruth truth = datasets::read_scene_truth(scene);
    objects.insert(truth.object_ids.begin(), truth.object_ids.end());
    for (const int view : scene.views) {
      eval::stop_if(interrupted);
      datasets::read_object_poses(datasets::annotation_file(scene, view));
    }
  }
  for (const int id : objects) {
    eval::stop_if(interrupted);
    for (const char* name : {"nontextured.ply", "textured.sdf"}) {
      const fs::path file = datasets::object_folder(root, id) / name;
      std::error_code ignored;
      if (!fs::exists(file, ignored)) {
        throw io::FormatError(file.string() +
                              ": no such file; the evaluation needs it for object " +
                              std::to_string(id));
      }
    }
    if (check == ObjectCheck::are_readable) datasets::read_object_files(root, id, cache);
  }
}

fs::path dump_file(const fs::path& dumps, const datasets::SceneViews& scene, int view) {
  return dumps / (scene.view_name(view) + ".npy");
}

void check_dumps(const fs::path& dumps, const std::vector<datasets::SceneViews>& scenes) {
  std::size_t missing = 0;
  fs::path first;
  for (const datasets::SceneViews& scene : scenes) {
    for (const int view : scene.views) {
      const fs::path file = dump_file(dumps, scene, view);
      std::error_code ignored;
      if (fs::exists(file, ignored)) continue;
      if (missing++ == 0) first = file;
    }
  }
  if (missing == 0) return;
  const std::size_t total = count_views(scenes);
  if (missing == total) {
    throw io::FormatError(first.string() + ": no such file, nor a dump of another view; wanted " +
                          (dumps / "scene_NNNN/CAMERA/NNNN.npy").string());
  }
  throw io::FormatError(first.string() + ": no such file; " + std::to_string(missing) + " of " +
                        std::to_string(total) +
                        " views have no dump; evaluate fewer with --split, --scenes, --cameras and "
                        "--views");
}

class GraspDataSetEvaluation final : public DataSetEvaluation {
 public:
  explicit GraspDataSetEvaluation(const Invocation& invocation)
      : root_(invocation.value("--data")),
        scenes_(datasets::select_scene_views(root_, truth_selection(invocation))),
        want_details_(invocation.has("--details")) {
    if (invocation.has("--limit")) limit_views(scenes_, std::stoull(invocation.value("--limit")));
    // The evaluation of stored predictions reads the objects at once; hours of inference come
    // before it otherwise.
    check_truth(
        root_, scenes_,
        invocation.has("--predictions") ? ObjectCheck::are_there : ObjectCheck::are_readable,
        object_cache(invocation));
  }

  std::vector<std::string> inputs() const override {
    std::vector<std::string> paths;
    for (const datasets::SceneViews& scene : scenes_) {
      for (const int view : scene.views) {
        paths.push_back((root_ / "scenes" / scene.view_name(view)).string());
      }
    }
    return paths;
  }

  std::string description() const override {
    return std::to_string(count_views(scenes_)) + " views of GraspNet-1Billion";
  }

  void check(const fs::path& predictions) override { check_dumps(predictions, scenes_); }

  std::vector<fs::path> files_read(const fs::path& predictions) const override {
    std::vector<fs::path> files;
    for (const datasets::SceneViews& scene : scenes_) {
      for (const int view : scene.views) files.push_back(dump_file(predictions, scene, view));
    }
    return files;
  }

  WrittenFiles evaluate(const fs::path& predictions, const run::RunDirectory& run,
                        const Invocation& invocation) override {
    check_dumps(predictions, scenes_);
    const int threads = set_threads(*invocation.config);
    const std::size_t total = count_views(scenes_);
    Progress progress(invocation, "views", static_cast<std::int64_t>(total));
    std::atomic<std::int64_t> done = 0;
    const std::thread::id here = std::this_thread::get_id();
    const fs::path cache = object_cache(invocation);
    const auto load = [&](int id) {
      eval::stop_if(interrupted);
      return datasets::read_object_files(root_, id, cache);
    };
    eval::ObjectStore objects(load, threads, kObjectBytes);
    eval::GraspEvaluation evaluation(root_, objects, threads);
    std::optional<io::AtomicFile> details;
    if (want_details_) details.emplace(run.place("details.jsonl"));
    std::vector<eval::SceneAccuracy> accuracies;
    WrittenFiles written;
    Stopwatch watch;
    for (const datasets::SceneViews& scene : scenes_) {
      eval::SceneVerdicts verdicts;
      try {
        verdicts = evaluation.evaluate(
            scene,
            [&](int view) {
              return datasets::read_grasp_dump(dump_file(predictions, scene, view));
            },
            [&] {
              const std::int64_t now = ++done;
              if (std::this_thread::get_id() == here) progress.update(now, scene.scene_name());
            },
            interrupted);
      } catch (const eval::Stopped&) {
        written.stopped = true;  // what whole scenes have stays
        return written;
      }
      for (std::size_t i = 0; i < verdicts.verdicts.size(); ++i) {
        if (!verdicts.verdicts[i].kept_rows.empty()) continue;
        log_warning(scene.view_name(scene.views[i]) + ": no grasps; the view's accuracy is 0",
                    "no grasps; the view's accuracy is 0");
      }
      written.names.push_back(write_accuracy(verdicts, run));
      if (details) {
        details->write(grasp_detail_lines(verdicts, datasets::read_scene_truth(scene).object_ids));
      }
      accuracies.push_back(eval::accuracy_of(verdicts));
      progress.update(done, scene.scene_name());
    }
    if (details) {
      details->commit();
      written.names.emplace_back("details.jsonl");
    }
    const double seconds = watch.lap();
    nlohmann::ordered_json metrics = grasp_metrics_json(accuracies, scenes_);
    metrics["seconds"] = {{"load_objects", objects.load_seconds()},
                          {"evaluate", std::max(0.0, seconds - objects.load_seconds())}};
    metrics["threads"] = threads;
    run.write("metrics.json", metrics.dump(1) + "\n");
    written.names.emplace_back("metrics.json");
    std::cout << grasp_metrics_table(metrics);
    return written;
  }

 private:
  fs::path root_;
  std::vector<datasets::SceneViews> scenes_;
  bool want_details_;
};

}  // namespace

std::unique_ptr<DataSetEvaluation> open_grasp_evaluation(const Invocation& invocation) {
  return std::make_unique<GraspDataSetEvaluation>(invocation);
}

}  // namespace grasppanda::app
