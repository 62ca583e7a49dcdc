// `infer --resume`: nothing is redone, nothing changes.
#include <fstream>

#include "tests/catch.h"
#include "tests/cli/infer_setup.h"
#include "tests/support/damaged_bytes.h"

using namespace grasppanda::tests;
namespace fs = std::filesystem;

namespace {

using Catch::Matchers::Contains;

fs::path three_frames(const InferFolder& folder) {
  write_made_frame(folder / "in/a", 10);
  write_made_frame(folder / "in/b", 20);
  write_made_frame(folder / "in/c", 30);
  return folder / "in";
}

}  // namespace

TEST_CASE("the options --limit and --resume change nothing and redo nothing", "[cli][infer]") {
  const InferFolder folder("[npy]");
  three_frames(folder);
  const fs::path whole = folder.run_of(folder.infer({"in"}));
  const fs::path run = folder.run_of(folder.infer({"in", "--limit", "1"}));
  CHECK(fs::exists(run / "predictions/a.npy"));
  CHECK_FALSE(fs::exists(run / "predictions/b.npy"));
  const auto written = fs::last_write_time(run / "predictions/a.npy");

  // From another folder: the run knows where its inputs lie.
  fs::create_directories(folder / "elsewhere");
  const Finished resumed =
      run_program({"infer", "--resume", run.string(), "--no-progress"},
                  {.folder = folder / "elsewhere", .limit = std::chrono::seconds(300)});
  CHECK(resumed.err == "");
  CHECK(resumed.status == 0);
  CHECK(resumed.out == run.string() + "\n");
  CHECK(fs::last_write_time(run / "predictions/a.npy") == written);
  const auto summary = json_file(run / "summary.json");
  CHECK(summary["status"] == "complete");
  CHECK(summary["inputs"].size() == 3);
  CHECK(summary["counts"]["kept_from_earlier_run"] == 1);
  for (const char* file : {"predictions/a.npy", "predictions/b.npy", "predictions/c.npy"}) {
    CHECK(read_bytes(run / file) == read_bytes(whole / file));
  }
  // The manifest covers both processes.
  CHECK(json_file(run / "manifest.json")["inputs"].size() == 6);

  // A result that went missing is made again; nothing else is.
  fs::remove(run / "predictions/b.npy");
  CHECK(folder.program({"infer", "--resume", run.string()}).status == 0);
  CHECK(read_bytes(run / "predictions/b.npy") == read_bytes(whole / "predictions/b.npy"));
  CHECK(fs::last_write_time(run / "predictions/a.npy") == written);
}

TEST_CASE("an interrupt keeps what is finished, exits 130, and the run goes on", "[cli][infer]") {
  const InferFolder folder("[npy]");
  three_frames(folder);
  // Job control on: a shell's background process ignores Ctrl-C otherwise.
  const Finished finished = run_shell(
      "set -m; \"$GRASPPANDA\" infer -c run.yaml in --no-progress & "
      "until ls runs/infer/*/predictions/a.npy >/dev/null 2>&1; do sleep 0.02; done; "
      "kill -INT $!; wait $!; echo status $?",
      {.folder = folder.path(), .limit = std::chrono::seconds(300)});
  CHECK_THAT(finished.out, Contains("status 130"));
  CHECK_THAT(finished.err, Contains("--resume"));
  const fs::path run = folder.path() / finished.out.substr(0, finished.out.find('\n'));
  const auto interrupted = json_file(run / "summary.json");
  CHECK(interrupted["status"] == "interrupted");
  const std::size_t done = interrupted["inputs"].size();
  CHECK(done >= 1);
  CHECK(done < 3);
  for (const auto& input : interrupted["inputs"]) {
    CHECK(fs::exists(run / input["predictions"].get<std::string>()));
  }
  CHECK(folder.program({"infer", "--resume", run.string()}).status == 0);
  const auto resumed = json_file(run / "summary.json");
  CHECK(resumed["status"] == "complete");
  CHECK(resumed["counts"]["kept_from_earlier_run"] == done);
}

TEST_CASE("a killed run says it was running, and goes on", "[cli][infer]") {
  const InferFolder folder("[npy]");
  three_frames(folder);
  run_shell(
      "set -m; \"$GRASPPANDA\" infer -c run.yaml in --no-progress & "
      "until grep -q '\"status\":\"done\"' runs/infer/*/summary.json 2>/dev/null; do sleep 0.02; "
      "done; "
      "kill -KILL $!; wait $!",
      {.folder = folder.path(), .limit = std::chrono::seconds(300)});
  fs::path run;
  for (const auto& entry : fs::directory_iterator(folder / "runs/infer")) run = entry.path();
  REQUIRE_FALSE(run.empty());
  std::ofstream(run / "predictions/.b.npy.9984-7.part") << "half of a fi";
  CHECK(json_file(run / "summary.json")["status"] == "running");
  CHECK(folder.program({"infer", "--resume", run.string()}).status == 0);
  const auto resumed = json_file(run / "summary.json");
  CHECK(resumed["status"] == "complete");
  CHECK(resumed["counts"]["done"] == 3);
  CHECK(resumed["counts"]["kept_from_earlier_run"] >= 1);
  CHECK_FALSE(fs::exists(run / "predictions/.b.npy.9984-7.part"));
}

TEST_CASE("one run, one configuration; new inputs may join", "[cli][infer]") {
  const InferFolder folder("[npy]");
  write_made_frame(folder / "in/a", 10);
  write_made_frame(folder / "more/z", 30);
  const fs::path run = folder.run_of(folder.infer({"in/a"}));
  const Finished other = folder.infer({"--resume", run.string(), "--seed", "9"});
  CHECK(other.status == 2);
  CHECK_THAT(other.err, Contains("seed: 9") && Contains("seed: 0"));
  CHECK(json_file(run / "summary.json")["status"] == "complete");

  // The same frame again is the same input; another one of its name is another input.
  write_made_frame(folder / "more/a", 25);
  CHECK(folder.infer({"--resume", run.string(), "in/a", "more/a", "more/z"}).status == 0);
  CHECK(fs::exists(run / "predictions/a-2.npy"));
  CHECK(fs::exists(run / "predictions/z.npy"));
  CHECK(json_file(run / "summary.json")["inputs"].size() == 3);

  CHECK(folder.infer({"--resume", "in"}).status == 3);
  CHECK(folder.infer({"--resume", "nowhere"}).status == 3);
}

TEST_CASE("one run, one set of weights: a replaced checkpoint is refused", "[cli][infer]") {
  const InferFolder folder("[npy]");
  three_frames(folder);
  fs::copy_file(fs::canonical(folder / "w.safetensors"), folder / "mine.safetensors");
  const fs::path run =
      folder.run_of(folder.infer({"in", "--limit", "1", "--checkpoint", "mine.safetensors"}));
  const std::string environment = read_bytes(run / "env.json");
  const std::string manifest = read_bytes(run / "manifest.json");
  std::string other = read_bytes(folder / "mine.safetensors");
  other[other.size() - 4] ^= 1;  // the last digits of one weight
  std::ofstream(folder / "mine.safetensors", std::ios::binary) << other;

  const std::vector<std::string> resume = {"infer", "--resume", run.string(), "--no-progress"};
  std::vector<std::string> dry = resume;
  dry.emplace_back("--dry-run");
  for (const auto& arguments : {resume, dry}) {
    const Finished refused = folder.program(arguments);
    CHECK(refused.status == 2);
    CHECK(refused.out == "");
    CHECK_THAT(refused.err, Contains("the weights are not those of the run") &&
                                Contains("mine.safetensors") && Contains("env.json"));
  }
  CHECK(read_bytes(run / "env.json") == environment);
  CHECK(read_bytes(run / "manifest.json") == manifest);
  CHECK_FALSE(fs::exists(run / "predictions/b.npy"));

  // Without the record of the weights nothing says what the kept results were made with.
  fs::remove(run / "env.json");
  CHECK(folder.program(resume).status == 3);
}

TEST_CASE("a failed input is tried again", "[cli][infer]") {
  const InferFolder folder("[npy]");
  write_made_frame(folder / "in/a", 10);
  write_broken_frame(folder / "in/b");
  const Finished first = folder.infer({"in"});
  CHECK(first.status == 1);
  const fs::path run = folder.run_of(first);
  write_made_frame(folder / "in/b", 30);
  CHECK(folder.program({"infer", "--resume", run.string()}).status == 0);
  CHECK(fs::exists(run / "predictions/b.npy"));
  CHECK(read_bytes(run / "failures.jsonl").empty());
}
