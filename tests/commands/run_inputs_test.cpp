// The loop of a run, driven by a model without weights.
#include "app/commands/run_inputs.h"

#include <csignal>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/interrupt.h"
#include "app/log.h"
#include "lib/datasets/inputs.h"
#include "lib/io/format_error.h"
#include "lib/io/npy.h"
#include "models/checkpoint_error.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using app::RunInputs;
using nlohmann::ordered_json;
using tests::read_bytes;
using tests::ScratchFolder;

namespace {

// One grasp at every point; the first number of the cloud decides what else happens.
class FakeModel final : public models::GraspModel {
 public:
  models::GraspOutput predict(const models::GraspInput& input,
                              const models::StageObserver& observe) override {
    ++calls;
    seeds.push_back(input.seed);
    if (busy.count() > 0) std::this_thread::sleep_for(busy);
    if (interrupt_at == calls) std::raise(SIGINT);
    models::GraspOutput output;
    const at::Tensor cloud = input.cloud.contiguous();
    const double mark = cloud.size(0) > 0 ? cloud[0][0].item<double>() : 0;
    if (mark == 10) throw models::InputError("no table plane found; set model.up");
    if (mark == 11) throw std::logic_error("an index went astray\nwith a second line");
    if (mark != 12) {
      for (std::int64_t i = 0; i < cloud.size(0); ++i) {
        geometry::Grasp grasp{.score = 1.0F / static_cast<float>(i + 1)};
        for (std::size_t k = 0; k < 3; ++k) {
          grasp.translation[k] = cloud[i][static_cast<std::int64_t>(k)].item<float>();
        }
        output.grasps.push_back(grasp);
      }
    }
    output.accounting.counts = {{"sampled", cloud.size(0)},
                                {"grasps", static_cast<std::int64_t>(output.grasps.size())}};
    output.accounting.seconds = {{"prepare", 0.0}, {"network", busy.count() / 1000.0}};
    if (observe) observe("points", cloud.to(at::kFloat));
    if (input.network_points) network_points = *input.network_points;
    return output;
  }

  std::chrono::milliseconds busy{0};
  int calls = 0, interrupt_at = 0;
  std::vector<std::uint64_t> seeds;
  at::Tensor network_points;
};

struct Loop {
  ScratchFolder scratch;
  RunInputs job;
  FakeModel model;
  app::Invocation invocation;

  Loop() {
    app::start_log(-2, false);
    for (const char* format : {"npy", "json"}) {
      job.predict.writers.push_back(run::find_writer(format));
    }
  }

  /// A cloud file whose first coordinate tells the model what to do.
  void add_cloud(const std::string& name, double mark, std::int64_t points = 3) {
    std::vector<float> xyz(static_cast<std::size_t>(3 * points), 0.5F);
    if (points > 0) xyz[0] = static_cast<float>(mark);
    const std::filesystem::path file = scratch.path() / (name + ".npy");
    std::filesystem::create_directories(file.parent_path());
    io::write_npy(file, io::make_array({points, 3}, xyz));
    add(name, file);
  }
  void add(const std::string& name, const std::filesystem::path& file,
           datasets::InputRef::Kind kind = datasets::InputRef::Kind::cloud_file) {
    datasets::InputRef input;
    input.name = name;
    input.source = file;
    input.kind = kind;
    job.places.push_back(job.inputs.size());
    job.inputs.push_back(input);
  }

  struct Result {
    app::RunOutcome outcome;
    run::InputCounts counts;
    std::filesystem::path path;
    ordered_json summary;
    std::string failures;
  };
  Result run() {
    const run::RunDirectory directory =
        run::RunDirectory::create(scratch.path() / "runs", "infer", "fake", 1767322445);
    run::Summary summary(directory,
                         {.command = "infer", .model = "fake", .started = "", .warnings = {}},
                         job.inputs.size());
    const auto begin = std::chrono::steady_clock::now();
    Result result;
    result.outcome = app::run_inputs(job, model, directory, summary, invocation);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    summary.write(run::RunStatus::complete, {.total = passed.count()});
    result.counts = summary.counts();
    result.path = directory.path();
    result.summary = ordered_json::parse(read_bytes(directory.path() / "summary.json"));
    result.failures = read_bytes(directory.path() / "failures.jsonl");
    return result;
  }
};

std::int64_t rows_of(const std::filesystem::path& file) {
  return io::read_npy(file).shape.at(0);
}

}  // namespace

TEST_CASE("one bad input does not stop the others") {
  Loop loop;
  loop.add_cloud("a/first", 1);
  loop.add("b/broken", loop.scratch.file("b.npy", "no array"));
  loop.add_cloud("c", 10);
  loop.add_cloud("d", 2, 5);
  const Loop::Result result = loop.run();
  CHECK(result.counts.done == 2);
  CHECK(result.counts.failed == 2);
  CHECK(rows_of(result.path / "predictions/a/first.npy") == 3);
  CHECK(rows_of(result.path / "predictions/d.npy") == 5);
  CHECK_FALSE(std::filesystem::exists(result.path / "predictions/b"));
  CHECK_FALSE(std::filesystem::exists(result.path / "predictions/c.npy"));

  const std::size_t line_end = result.failures.find('\n');
  const ordered_json first = ordered_json::parse(result.failures.substr(0, line_end));
  const ordered_json second = ordered_json::parse(result.failures.substr(line_end + 1));
  CHECK(first["kind"] == "format");
  CHECK(first["error"].get<std::string>().find("b.npy") != std::string::npos);
  CHECK(second["kind"] == "input");
  CHECK(second["error"].get<std::string>().find("no table plane found") != std::string::npos);
  CHECK(second["error"].get<std::string>().find("c.npy") != std::string::npos);
  CHECK(result.summary["inputs"][0]["predictions"] == "predictions/a/first.npy");
  CHECK(result.summary["inputs"][1]["status"] == "failed");
  CHECK(result.summary["inputs"][1]["predictions"].is_null());
}

TEST_CASE("a fault of ours in one input is told apart and stays on one line") {
  Loop loop;
  loop.add_cloud("a", 11);
  loop.add_cloud("b", 1);
  const Loop::Result result = loop.run();
  CHECK(result.outcome.internal_failure);
  CHECK(result.counts.done == 1);
  const ordered_json failure = ordered_json::parse(result.failures);
  CHECK(failure["kind"] == "internal");
  CHECK(failure["error"].get<std::string>().find('\n') == std::string::npos);
}

TEST_CASE("empty results are files in their documented form, with one warning") {
  Loop loop;
  loop.add_cloud("nothing kept", 12);
  loop.add_cloud("no points", 1, 0);
  const Loop::Result result = loop.run();
  CHECK(result.counts.empty == 2);
  for (const ordered_json& input : result.summary["inputs"]) {
    CHECK(input["status"] == "empty");
    CHECK(input["warnings"].size() == 1);
    const std::filesystem::path file = result.path / input["predictions"].get<std::string>();
    CHECK(io::read_npy(file).shape == std::vector<std::int64_t>{0, 17});
  }
  CHECK(result.summary["inputs"][0]["warnings"][0].get<std::string>().find("'grasps'") !=
        std::string::npos);
  CHECK(result.summary["inputs"][1]["cloud"]["points"] == 0);
  CHECK(result.summary["inputs"][1]["cloud"]["mean"].is_null());
}

TEST_CASE("every file that was read or written has its stamp") {
  Loop loop;
  loop.add_cloud("a", 1);
  const Loop::Result result = loop.run();
  REQUIRE(result.outcome.read.size() == 1);
  CHECK(result.outcome.read[0].path == (loop.scratch.path() / "a.npy").string());
  CHECK(result.outcome.read[0].sha256 == run::stamp_file(loop.scratch.path() / "a.npy", "").sha256);
  REQUIRE(result.outcome.written.size() == 2);
  for (const run::FileStamp& stamp : result.outcome.written) {
    CHECK(run::stamp_file(result.path / stamp.path, "").sha256 == stamp.sha256);
  }
}

TEST_CASE("times add up to the wall time") {
  Loop loop;
  loop.model.busy = std::chrono::milliseconds(40);
  for (int i = 0; i < 5; ++i) loop.add_cloud("c" + std::to_string(i), 1, 2000);
  const Loop::Result result = loop.run();
  for (const ordered_json& input : result.summary["inputs"]) {
    CHECK(input["seconds"]["network"].get<double>() >= 0.04);
  }
  const ordered_json& seconds = result.summary["seconds"];
  double sum = seconds["record"].get<double>();
  for (const char* part : {"first_input", "other_inputs"}) {
    for (const auto& [name, value] : seconds[part].items()) {
      sum += (name == "overlapped" ? -1 : 1) * value.get<double>();
    }
  }
  CHECK(sum == Approx(seconds["total"].get<double>()).epsilon(0.05));
}

TEST_CASE("inputs are read while the model works") {
  Loop loop;
  loop.model.busy = std::chrono::milliseconds(40);
  for (int i = 0; i < 4; ++i) loop.add_cloud("c" + std::to_string(i), 1, 20000);
  const Loop::Result result = loop.run();
  const ordered_json& inputs = result.summary["inputs"];
  for (std::size_t i = 2; i < 4; ++i) {
    const double work = inputs[i]["seconds"]["read"].get<double>();
    REQUIRE(work > 0);
    CHECK(inputs[i]["overlapped_seconds"].get<double>() >= 0.5 * work);
  }
}

TEST_CASE("an interrupt finishes the input at hand and no more") {
  Loop loop;
  app::handle_interrupts(app::OnInterrupt::finish_input);
  loop.model.interrupt_at = 2;
  for (int i = 0; i < 5; ++i) loop.add_cloud("c" + std::to_string(i), 1);
  const Loop::Result result = loop.run();
  app::handle_interrupts(app::OnInterrupt::end_at_once);
  CHECK(result.outcome.interrupted);
  CHECK(loop.model.calls == 2);
  CHECK(result.counts.done == 2);
  CHECK(result.counts.pending() == 3);
  CHECK(rows_of(result.path / "predictions/c1.npy") == 3);
  CHECK_FALSE(std::filesystem::exists(result.path / "predictions/c2.npy"));
}
