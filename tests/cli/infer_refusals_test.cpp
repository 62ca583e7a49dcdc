// `infer` with the real program: what is refused, how, and that nothing is left behind.
#include <cstddef>
#include <fstream>
#include <span>

#include "lib/io/npy.h"
#include "tests/catch.h"
#include "tests/cli/infer_setup.h"
#include "tests/support/damaged_bytes.h"

using namespace grasppanda::tests;
namespace fs = std::filesystem;
namespace io = grasppanda::io;

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

TEST_CASE("an option that nothing could obey is refused, not ignored", "[cli][infer]") {
  const InferFolder folder("[npy]");
  write_made_frame(folder / "frame");
  io::write_npy(folder / "cloud.npy", io::make_array({2, 3}, std::vector<float>(6, 0.5F)));
  io::write_npy(folder / "rows.npy", io::make_array({2}, std::vector<std::int64_t>{0, 1}));
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"frame", "--array", "x"}, "--array: no input is an archive"},
      {{"cloud.npy", "--array", "x"}, "--array: no input is an archive"},
      {{"frame", "--index", "7"}, "--index: no input is an array"},
      {{"--points", "cloud.npy", "--sample-index", "rows.npy"}, "--sample-index cannot be given"},
      {{"--points", "cloud.npy", "--set", "input.object_mask=rows.npy"}, "input.object_mask"},
      {{"--resume", "runs", "--out", "elsewhere"}, "--out cannot be given with --resume"},
      {{"--resume", "runs", "--set", "output.dir=elsewhere"}, "output.dir cannot be given"},
  };
  for (const auto& [arguments, message] : cases) {
    const Finished refused = folder.infer(arguments);
    CHECK(refused.status == 2);
    CHECK(lines(refused.err) == 1);
    CHECK_THAT(refused.err, Contains(message));
  }
  CHECK_FALSE(fs::exists(folder / "runs"));
  // One input that obeys is enough, and what is chosen is looked for.
  const Finished one = folder.infer({"frame", "cloud.npy", "--index", "7", "--no-progress"});
  CHECK(one.status == 1);
  CHECK_THAT(one.err, Contains("there is no cloud 7"));
}

TEST_CASE("a folder for stages that cannot be written is told before anything runs",
          "[cli][infer]") {
  const InferFolder folder("[npy]");
  write_made_frame(folder / "frame");
  std::ofstream(folder / "taken") << "a file";
  for (const char* stages : {"taken", "taken/below", "/proc/x"}) {
    const Finished refused = folder.infer({"frame", "--stages", stages, "--no-progress"});
    CHECK(refused.status == 3);
    CHECK(refused.out == "");
    CHECK(lines(refused.err) == 1);
    CHECK(refused.err.starts_with("grasppanda: error: --stages: " + std::string(stages)));
  }
  CHECK_FALSE(fs::exists(folder / "runs"));

  // Later it is the run that ends, not the input that is to blame.
  fs::create_directory(folder / "stages");
  std::ofstream(folder / "stages/frame") << "in the way";
  const Finished ended = folder.infer({"frame", "--stages", "stages", "--no-progress"});
  CHECK(ended.status == 3);
  CHECK(ended.err.starts_with("grasppanda: error: --stages: "));
  for (const auto& run : fs::directory_iterator(folder / "runs/infer")) {
    CHECK(read_bytes(run.path() / "failures.jsonl").empty());
    CHECK(json_file(run.path() / "summary.json")["status"] == "failed");
  }
}

TEST_CASE("a sample index that is none is told why", "[cli][infer]") {
  const InferFolder folder("[npy]");
  write_made_frame(folder / "frame");
  const auto refusal = [&](const io::Array& array) {
    io::write_npy(folder / "rows.npy", array);
    const Finished refused = folder.infer({"frame", "--sample-index", "rows.npy"});
    CHECK(refused.status == 3);
    CHECK(lines(refused.err) == 1);
    return refused.err;
  };
  const std::vector<std::uint8_t> mask = {1, 0, 1};
  CHECK_THAT(refusal(io::make_array(io::DType::boolean, {3}, std::as_bytes(std::span(mask)))),
             Contains("rows.npy: it is bool (3,), a mask"));
  CHECK_THAT(refusal(io::make_array({3}, std::vector<double>{4, 0.25, 2})),
             Contains("rows.npy: entry 1 is 0.25, no whole number"));
  CHECK_THAT(refusal(io::make_array({2}, std::vector<double>{4, 1e300})), Contains("beyond"));
  CHECK_THAT(refusal(io::make_array({1, 2}, std::vector<std::int64_t>{1, 2})),
             Contains("it is int64 (1, 2)"));
  CHECK_FALSE(fs::exists(folder / "runs"));
  io::write_npy(folder / "rows.npy", io::make_array({3}, std::vector<float>{5, 900, 17}));
  CHECK(folder.infer({"frame", "--sample-index", "rows.npy"}).status == 0);
}

TEST_CASE("intrinsics that are no four numbers are a wrong command line", "[cli][infer]") {
  const InferFolder folder("[npy]");
  write_made_frame(folder / "frame");
  for (const char* given : {"240,239,127", "0,nan,127,5", "1,2,3,4,5", "a,b,c,d"}) {
    const Finished refused = folder.infer({"frame", "--intrinsics", given});
    CHECK(refused.status == 2);
    CHECK(lines(refused.err) == 1);
    CHECK_THAT(refused.err, Contains("--intrinsics wants four numbers FX,FY,CX,CY in pixels, or a "
                                     "file, got '" +
                                     std::string(given) + "'"));
  }
  CHECK_FALSE(fs::exists(folder / "runs"));
  fs::copy_file(folder / "frame/meta.json", folder / "a,b.json");
  CHECK(folder.infer({"frame", "--intrinsics", "a,b.json"}).status == 0);
}

TEST_CASE("a damaged record is told without the words of a library", "[cli][infer]") {
  const InferFolder folder("[npy]");
  write_made_frame(folder / "frame");
  const fs::path run = folder.run_of(folder.infer({"frame"}));
  for (const char* file : {"summary.json", "inputs.json"}) {
    const std::string whole = read_bytes(run / file);
    for (const std::string& damaged : {whole.substr(0, whole.size() / 2), std::string("{}")}) {
      std::ofstream(run / file, std::ios::binary) << damaged;
      const Finished refused = folder.program({"infer", "--resume", run.string()});
      CHECK(refused.status == 3);
      CHECK(lines(refused.err) == 1);
      CHECK_THAT(refused.err, Contains(file) && Contains("damaged"));
      CHECK(refused.err.find("json.exception") == std::string::npos);
    }
    std::ofstream(run / file, std::ios::binary) << whole;
  }
}
