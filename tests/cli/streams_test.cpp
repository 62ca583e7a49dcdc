// stdout is the answer, stderr the conversation; colour; closed pipes; the library that is missing.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/cli/program.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {

namespace {

bool has_escape(const std::string& text) {
  return text.find('\033') != std::string::npos;
}

}  // namespace

TEST_CASE("no escape sequence unless a terminal takes it", "[cli]") {
  using Environment = std::map<std::string, std::string>;
  const std::vector<std::string> mistake = {"infr"};
  const auto on_terminal = [&](Environment environment, std::vector<std::string> arguments) {
    return run_program(arguments, {.environment = std::move(environment), .terminal = true});
  };
  CHECK_FALSE(has_escape(run_program(mistake).err));
  CHECK_FALSE(has_escape(run_program({"help", "infer"}).out));
  const Finished coloured = on_terminal({{"TERM", "xterm"}}, mistake);
  CHECK(coloured.status == 2);
  CHECK_THAT(coloured.out, Catch::Matchers::Contains("grasppanda: \033[1;31merror\033[0m: "));
  CHECK_FALSE(has_escape(on_terminal({{"TERM", "xterm"}, {"NO_COLOR", "1"}}, mistake).out));
  CHECK(has_escape(on_terminal({{"TERM", "xterm"}, {"NO_COLOR", ""}}, mistake).out));
  CHECK_FALSE(has_escape(on_terminal({{"TERM", "dumb"}}, mistake).out));
  CHECK_FALSE(has_escape(on_terminal({{"TERM", "xterm"}}, {"--color", "never", "infr"}).out));
  CHECK(has_escape(
      run_program({"--color=always", "infr"}, {.environment = {{"NO_COLOR", "1"}}}).err));
  CHECK(has_escape(run_program({"env", "x", "--color", "always"}).err));
}

TEST_CASE("a reader that stops reading is no error; a full disk is one", "[cli]") {
  CHECK(run_shell("\"$GRASPPANDA\" completion fish | head -1; echo ${PIPESTATUS[0]}").out ==
        "complete -c grasppanda -f\n0\n");
  CHECK(run_shell("\"$GRASPPANDA\" completion fish | true; echo ${PIPESTATUS[0]}").out == "0\n");
  CHECK(run_shell("\"$GRASPPANDA\" --version >&-").status == 0);
  if (!std::filesystem::exists("/dev/full")) GP_SKIP("no /dev/full on this system");
  const Finished full = run_shell("\"$GRASPPANDA\" --version > /dev/full");
  CHECK(full.status == 3);
  CHECK(full.err == "grasppanda: error: standard output cannot be written; is the disk full?\n");
}

TEST_CASE("without its library the program still answers what it can, else status 3", "[cli]") {
  const ScratchFolder folder;
  const auto alone = folder.path() / "bin/grasppanda";
  std::filesystem::create_directories(alone.parent_path());
  std::filesystem::copy_file(built_program(), alone);
  CHECK(run_program({"--version"}, {.program = alone}).status == 0);
  const Finished env = run_program({"env"}, {.program = alone});
  CHECK(env.status == 3);
  CHECK(env.out == "");
  const std::string here = std::filesystem::canonical(folder.path()).string();
  CHECK(env.err == "grasppanda: error: libgrasppanda.so is neither in " + here + "/bin nor in " +
                       here + "/lib; build or install grasppanda as a whole\n");

  folder.file("lib/libgrasppanda.so", "not a library");
  const Finished broken = run_program({"env", "--json"}, {.program = alone});
  CHECK(broken.status == 3);
  CHECK_THAT(broken.err, Catch::Matchers::StartsWith("grasppanda: error: " + here +
                                                     "/lib/libgrasppanda.so cannot be opened: "));
  CHECK(std::count(broken.err.begin(), broken.err.end(), '\n') == 1);
  const auto answer = nlohmann::json::parse(broken.out);
  CHECK(answer["schema"] == "grasppanda.env/1");
  CHECK(answer["error"]["kind"] == "library");
}

TEST_CASE("the option --log-file", "[cli]") {
  const ScratchFolder folder;
  const Finished finished =
      run_program({"train", "--log-file", "x.txt"}, {.folder = folder.path()});
  CHECK(finished.status == 2);
  // Whatever stands behind `train` is not looked at, and nothing is written.
  CHECK(std::filesystem::is_empty(folder.path()));
  const Finished unwritable = run_program({"completion", "bash", "--log-file", "/dev/null/log.txt"},
                                          {.folder = folder.path()});
  CHECK(unwritable.status == 3);
  CHECK(unwritable.out == "");
  CHECK(unwritable.err ==
        "grasppanda: error: log file /dev/null/log.txt cannot be written: Not a directory\n");
}

}  // namespace grasppanda::tests
