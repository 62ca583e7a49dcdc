#include "lib/run/run_directory.h"

#include <set>
#include <thread>
#include <vector>

#include "lib/io/format_error.h"
#include "lib/run/leftovers.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using grasppanda::io::FormatError;
using grasppanda::run::RunDirectory;
using grasppanda::tests::read_bytes;
using grasppanda::tests::ScratchFolder;

namespace {

constexpr std::time_t kNow = 1767322445;  // one fixed second

std::string message_of(auto&& action) {
  try {
    action();
  } catch (const FormatError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("run directory: what a killed process left beside its files is removed, nothing else") {
  const ScratchFolder scratch;
  const auto run = RunDirectory::create(scratch.path(), "infer", "m", kNow);
  run.write("ply/base.ply", "whole");
  run.write("ply/.base.ply.9984-7.part", "half");
  run.write(".summary.json.9984-12.part", "half");
  run.write("ply/base.part", "mine");
  grasppanda::run::remove_leftovers(run);
  CHECK(std::filesystem::exists(run.path() / "ply/base.ply"));
  CHECK(std::filesystem::exists(run.path() / "ply/base.part"));
  CHECK_FALSE(std::filesystem::exists(run.path() / "ply/.base.ply.9984-7.part"));
  CHECK_FALSE(std::filesystem::exists(run.path() / ".summary.json.9984-12.part"));
}

TEST_CASE("a run directory is named by command, model and time") {
  const ScratchFolder scratch;
  const RunDirectory run = RunDirectory::create(scratch.path() / "runs", "infer", "gsnet", kNow);
  CHECK(run.path().parent_path() == scratch.path() / "runs" / "infer");
  const std::string name = run.path().filename().string();
  REQUIRE(name.size() == std::string("gsnet-20260102-030405").size());
  CHECK(name.starts_with("gsnet-202601"));
  CHECK(name[14] == '-');
  CHECK(std::filesystem::is_empty(run.path()));
}

TEST_CASE("runs of one second get folders of their own") {
  const ScratchFolder scratch;
  const RunDirectory first = RunDirectory::create(scratch.path(), "infer", "m", kNow);
  first.write("mark", "first");
  const RunDirectory second = RunDirectory::create(scratch.path(), "infer", "m", kNow);
  const RunDirectory third = RunDirectory::create(scratch.path(), "infer", "m", kNow);
  CHECK(second.path() == first.path().string() + "-2");
  CHECK(third.path() == first.path().string() + "-3");
  CHECK(read_bytes(first.path() / "mark") == "first");
  CHECK(std::filesystem::is_empty(second.path()));
}

TEST_CASE("many threads that start in one second never share a folder") {
  const ScratchFolder scratch;
  std::vector<std::filesystem::path> paths(16);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    threads.emplace_back(
        [&, i] { paths[i] = RunDirectory::create(scratch.path(), "infer", "m", kNow).path(); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(std::set<std::filesystem::path>(paths.begin(), paths.end()).size() == paths.size());
}

TEST_CASE("files of a run get their folders and never leave the run") {
  const ScratchFolder scratch;
  const RunDirectory run = RunDirectory::create(scratch.path(), "infer", "m", kNow);
  run.write("predictions/scene_0100/realsense/0000.npy", "bytes");
  CHECK(read_bytes(run.path() / "predictions/scene_0100/realsense/0000.npy") == "bytes");
  CHECK_THROWS_AS(run.place("../outside"), std::logic_error);
  CHECK_THROWS_AS(run.place("predictions/../../outside"), std::logic_error);
  CHECK_THROWS_AS(run.place("/outside"), std::logic_error);
}

TEST_CASE("a file in the way is named") {
  const ScratchFolder scratch;
  scratch.file("runs", "not a folder");
  const std::string message =
      message_of([&] { RunDirectory::create(scratch.path() / "runs", "infer", "m", kNow); });
  CHECK(message.find((scratch.path() / "runs").string()) != std::string::npos);
}

TEST_CASE("only a run directory can be opened again") {
  const ScratchFolder scratch;
  CHECK(message_of([&] {
          RunDirectory::open(scratch.path() / "none");
        }).find("no such run directory") != std::string::npos);
  CHECK(message_of([&] { RunDirectory::open(scratch.path()); }).find("no summary.json") !=
        std::string::npos);
}

TEST_CASE("a run that is being written is not opened by another") {
  const ScratchFolder scratch;
  std::filesystem::path path;
  {
    const RunDirectory run = RunDirectory::create(scratch.path(), "infer", "m", kNow);
    run.write("summary.json", "{}");
    path = run.path();
    CHECK(message_of([&] { RunDirectory::open(path); }).find("another process") !=
          std::string::npos);
  }
  CHECK(RunDirectory::open(path).path() == path);
}
