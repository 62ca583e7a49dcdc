// `infer` with the real program: what is refused, how, and that nothing is left behind.
#include <fstream>

#include "tests/catch.h"
#include "tests/cli/infer_setup.h"
#include "tests/support/damaged_bytes.h"

using namespace grasppanda::tests;
namespace fs = std::filesystem;

namespace {

using Catch::Matchers::Contains;

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("a dry run checks everything and writes nothing", "[cli][infer]") {
  const InferFolder folder;
  write_made_frame(folder / "in/a");
  const Finished good = folder.infer({"in", "--dry-run", "--no-progress"});
  CHECK(good.err == "");
  CHECK(good.status == 0);
  for (const char* part :
       {"contact_graspnet", "names and shapes fit", "cpu", "1 to do", "nothing was written"}) {
    CHECK_THAT(good.out, Contains(part));
  }
  write_broken_frame(folder / "in/b");
  const Finished mixed = folder.infer({"in", "--dry-run", "--no-progress"});
  CHECK(mixed.status == 1);
  CHECK_THAT(mixed.err, Contains("in/b/depth.npy"));
  CHECK(folder.infer({"in/b", "--dry-run"}).status == 3);
  CHECK(folder.infer({"in", "--dry-run", "--checkpoint", "run.yaml"}).status == 3);
  CHECK_FALSE(fs::exists(folder / "runs"));
}

TEST_CASE("unusable weights are status 3 and leave no run directory", "[cli][infer]") {
  const InferFolder folder;
  write_made_frame(folder / "frame");
  std::ofstream(folder / "page.pth") << "<!DOCTYPE html><html></html>";
  for (const char* file : {"page.pth", "missing.pth", "run.yaml"}) {
    const Finished refused = folder.infer({"frame", "--checkpoint", file});
    CHECK(refused.status == 3);
    CHECK(refused.out == "");
    CHECK(lines(refused.err) == 1);
    CHECK_THAT(refused.err, Contains(file));
  }
  CHECK_FALSE(fs::exists(folder / "runs"));
}

TEST_CASE("every trouble checkpoint is refused before anything runs", "[cli][infer]") {
  GP_NEED_DATA(troubles, "data/troubles/checkpoints");
  const InferFolder folder;
  write_made_frame(folder / "frame");
  int seen = 0;
  for (const auto& entry : fs::directory_iterator(troubles)) {
    if (entry.path().extension() == ".json") continue;
    INFO(entry.path());
    const Finished refused = folder.infer({"frame", "--checkpoint", entry.path().string()});
    CHECK(refused.status == 3);
    CHECK(lines(refused.err) == 1);
    CHECK(refused.err.starts_with("grasppanda: error: "));
    CHECK_THAT(refused.err, Contains(entry.path().filename().string()));
    ++seen;
  }
  CHECK(seen == 20);
  CHECK_FALSE(fs::exists(folder / "runs"));
  CHECK_FALSE(fs::exists(folder / "pwned.txt"));
}

TEST_CASE("a device that is asked for and not there is status 4", "[cli][infer]") {
  const InferFolder folder;
  write_made_frame(folder / "frame");
  const Finished refused = folder.infer({"frame", "--device", "cuda:99"});
  CHECK(refused.status == 4);
  CHECK(lines(refused.err) == 1);
  CHECK_THAT(refused.err, Contains("'cuda:99' is not available"));
  CHECK_FALSE(fs::exists(folder / "runs"));
}

TEST_CASE("where nothing can be written one line says so", "[cli][infer]") {
  const InferFolder folder("[npy]");
  write_made_frame(folder / "frame");
  std::ofstream(folder / "taken") << "a file";
  const Finished refused = folder.infer({"frame", "--out", "taken", "--no-progress"});
  CHECK(refused.status == 3);
  CHECK(lines(refused.err) == 1);
  CHECK_THAT(refused.err, Contains("taken"));
  CHECK(refused.out == "");
}

TEST_CASE("a full disk ends the run with one line and the status failed", "[cli][infer]") {
  if (!fs::exists("/dev/full")) GP_SKIP("no /dev/full on this system");
  const InferFolder folder("[npy]");
  write_made_frame(folder / "in/a", 10);
  write_made_frame(folder / "in/b", 30);
  const fs::path run = folder.run_of(folder.infer({"in", "--limit", "1"}));
  fs::create_symlink("/dev/full", run / "predictions/b.npy");
  const Finished full = folder.program({"infer", "--resume", run.string(), "--no-progress"});
  CHECK(full.status == 3);
  CHECK(full.out == "");
  CHECK(lines(full.err) == 1);
  CHECK_THAT(full.err, Contains("b.npy") && Contains("No space left"));
  CHECK(json_file(run / "summary.json")["status"] == "failed");
  CHECK(input_of(run, "a")["status"] == "done");
}

TEST_CASE("an option's file that is wrong is named", "[cli][infer]") {
  const InferFolder folder;
  write_made_frame(folder / "frame");
  std::ofstream(folder / "index.npy") << "none";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--sample-index", "index.npy"},
        std::vector<std::string>{"--set", "output.frame=index.npy"}}) {
    std::vector<std::string> all = {"frame"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Finished refused = folder.infer(all);
    CHECK(refused.status == 3);
    CHECK(lines(refused.err) == 1);
    CHECK_THAT(refused.err, Contains("index.npy"));
  }
  CHECK_FALSE(fs::exists(folder / "runs"));
}
