// Completion scripts, tried in the shells themselves where they are installed.
#include "tests/catch.h"
#include "tests/cli/program.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {

namespace {

bool installed(const std::string& shell) {
  return run_shell("command -v " + shell).status == 0;
}

/// What bash offers with these words typed; the last one is being completed.
std::string offered(const std::string& words, const std::filesystem::path& folder) {
  const Finished finished =
      run_shell("source <(\"$GRASPPANDA\" completion bash) && COMP_WORDS=(grasppanda " + words +
                    ") && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _grasppanda 2>/dev/null; "
                    "echo \"${COMPREPLY[*]}\"",
                {.folder = folder});
  CHECK(finished.status == 0);
  return finished.out.substr(0, finished.out.find('\n'));
}

}  // namespace

TEST_CASE("bash completion", "[cli]") {
  const ScratchFolder folder;
  folder.file("run one.yaml", "");
  std::filesystem::create_directory(folder.path() / "results");
  const auto offers = [&](const std::string& words) { return offered(words, folder.path()); };
  CHECK(offers("inf") == "infer");
  CHECK(offers("c") == "config checkpoint completion");
  CHECK(offers("config ''") == "show validate");
  CHECK(offers("ops ''") == "run bench check build iou-error");
  CHECK(offers("help tr") == "train");
  CHECK(offers("infer --dr") == "--dry-run");
  CHECK(offers("infer --no-dr") == "--no-dry-run");
  CHECK(offers("infer -c run") == "run one.yaml");
  CHECK(offers("infer --out re") == "results");
  CHECK(offers("infer --device cu") == "cuda");
  // Bash makes three words of --device=cu.
  CHECK(offers("infer --device = cu") == "cuda");
  CHECK(offers("infer --device =") == "auto cpu cuda");
  CHECK(offers("infer --out = re") == "results");
  CHECK(offers("infer --set runtime.ops.f") == "runtime.ops.fps=");
  CHECK(offers("infer --set runtime.ops.fps = re") == "reference");
  CHECK(offers("infer --set runtime.ops.fps =") == "auto reference compiled");
  CHECK(offers("infer --set postprocess.sort = f") == "false");
  CHECK(offers("ops run ball") == "ball_query");
  CHECK(offers("ops run --backend c") == "compiled");
  CHECK(offers("completion z") == "zsh");
  CHECK(offers("rend") == "render");
}

TEST_CASE("zsh completion is a script that zsh reads", "[cli]") {
  if (!installed("zsh")) GP_SKIP("zsh is not installed");
  CHECK(run_shell("\"$GRASPPANDA\" completion zsh > c.zsh && zsh -n c.zsh").status == 0);
}

TEST_CASE("fish completion offers commands, options and values", "[cli]") {
  if (!installed("fish")) GP_SKIP("fish is not installed");
  const auto offers = [](const std::string& line) {
    return run_shell(
               "\"$GRASPPANDA\" completion fish > c.fish && HOME=$PWD fish -c 'source c.fish; "
               "complete -C \"" +
               line + "\"' | cut -f 1")
        .out;
  };
  CHECK(offers("grasppanda inf") == "infer\n");
  CHECK(offers("grasppanda infer --dry") == "--dry-run\n");
  CHECK(offers("grasppanda completion z") == "zsh\n");
}

TEST_CASE("completion scripts hold every command and option", "[cli]") {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    CAPTURE(shell);
    const Finished script = run_program({"completion", shell});
    CHECK(script.status == 0);
    for (const char* word : {"infer", "checkpoint", "convert", "dry-run", "sample-index",
                             "runtime.ops.cylinder_query=", "furthest_point_sample"})
      CHECK_THAT(script.out, Catch::Matchers::Contains(word));
    CHECK(script.out.find("--watch") == std::string::npos);
  }
}

}  // namespace grasppanda::tests
