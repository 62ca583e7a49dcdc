// One case per exit status that can happen without a model at work; `infer` has tests of its own.
#include "tests/catch.h"
#include "tests/cli/program.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {

TEST_CASE("exit status 0: the answer is on stdout, alone", "[cli]") {
  const Finished finished = run_program({"completion", "bash"});
  CHECK(finished.status == 0);
  CHECK(finished.err == "");
  CHECK_FALSE(finished.out.empty());
}

TEST_CASE("exit status 2: nothing was run, nothing was written", "[cli]") {
  const ScratchFolder folder;
  folder.file("run.yaml", "model: {name: contact_graspnet}\nseed: 1\n");
  const Finished finished = run_program(
      {"infer", "-c", "run.yaml", "--log-file", "log.txt", "frame"}, {.folder = folder.path()});
  CHECK(finished.status == 2);
  CHECK(finished.out == "");
  CHECK(finished.err ==
        "grasppanda: error: run.yaml:2:1: seed: unknown key; did you mean 'runtime.seed'?\n");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "log.txt"));

  folder.file("run.yaml", "model: {name: contact_graspnet}\n");
  CHECK(run_program({"infer", "-c", "run.yaml", "frame"}, {.folder = folder.path()}).err ==
        "grasppanda: error: infer: no weights; give --checkpoint FILE or set model.checkpoint in "
        "run.yaml\n");
}

TEST_CASE("exit status 3: a file that cannot be used", "[cli]") {
  if (!library_is_built()) GP_SKIP("libgrasppanda.so is not built");
  const ScratchFolder folder;
  folder.file("weights.pth", "no weights at all");
  const Finished finished =
      run_program({"checkpoint", "inspect", "weights.pth"}, {.folder = folder.path()});
  CHECK(finished.status == 3);
  CHECK(finished.out == "");
  CHECK_THAT(finished.err, Catch::Matchers::StartsWith("grasppanda: error: ") &&
                               Catch::Matchers::Contains("weights.pth"));
  CHECK(std::count(finished.err.begin(), finished.err.end(), '\n') == 1);
}

TEST_CASE("exit status 4: a device that was asked for by name", "[cli]") {
  if (!library_is_built()) GP_SKIP("libgrasppanda.so is not built");
  const ScratchFolder folder;
  const Finished finished = run_program(
      {"ops", "run", "knn", "a.npz", "b.npz", "--device", "cuda:99"}, {.folder = folder.path()});
  CHECK(finished.status == 4);
  CHECK(finished.out == "");
  CHECK_THAT(finished.err, Catch::Matchers::StartsWith("grasppanda: error: "));
  CHECK(std::count(finished.err.begin(), finished.err.end(), '\n') == 1);
  CHECK(std::filesystem::is_empty(folder.path()));
}

}  // namespace grasppanda::tests
