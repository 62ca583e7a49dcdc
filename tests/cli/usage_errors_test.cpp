// A wrong command line: one line on stderr with a way out, nothing on stdout, exit status 2.
#include "tests/catch.h"
#include "tests/cli/program.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {

TEST_CASE("a wrong command line is told in one line", "[cli]") {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"infr"}, "unknown command 'infr'; did you mean 'infer'?"},
      {{"zebra"}, "unknown command 'zebra'; 'grasppanda -h' lists the commands"},
      {{"ops", "rnu"}, "unknown command 'ops rnu'; did you mean 'ops run'?"},
      {{"config", "check"}, "unknown command 'config check'; 'grasppanda -h' lists the commands"},
      {{"help", "confg"}, "unknown command 'confg'; did you mean 'config'?"},
      {{"help", "env", "x"}, "help: wants one command, but got 'x' besides"},
      {{"-v"}, "no command given; 'grasppanda -h' lists the commands"},
      {{"--versio"}, "unknown option '--versio'; did you mean '--version'?"},
      {{"--zebra=3"}, "unknown option '--zebra'; 'grasppanda -h' lists the commands"},
      {{"infer", "-c", "c.yaml", ""}, "infer: an argument is empty (''); was a variable not set?"},
      {{"env", ""}, "env: an argument is empty (''); was a variable not set?"},
      {{"infer"}, "infer: no run config; give one with -c FILE"},
      {{"infer", "-c", "c.yaml"},
       "infer: no input: give frames, clouds, images, folders or list files, or --depth or "
       "--points"},
      {{"infer", "-c"}, "infer: -c wants a value: -c FILE"},
      {{"infer", "-c", "c.yaml", "--out", "--dry-run", "x"},
       "infer: --out wants a value: --out DIR"},
      {{"infer", "-c", "c.yaml", "--dry-run=yes", "x"}, "infer: --dry-run takes no value"},
      {{"infer", "-c", "c.yaml", "--chekpoint", "x"},
       "infer: unknown option '--chekpoint'; did you mean '--checkpoint'?"},
      {{"infer", "-c", "c.yaml", "--zebra=3", "x"},
       "infer: unknown option '--zebra'; 'grasppanda infer -h' lists the options"},
      {{"infer", "-c", "c.yaml", "-z", "x"},
       "infer: unknown option '-z'; 'grasppanda infer -h' lists the options"},
      {{"infer", "-c", "c.yaml", "--watch", "x"},
       "infer: this version has no option '--watch' yet"},
      {{"infer", "-c", "c.yaml", "--limit", "0", "x"},
       "infer: --limit: wants a whole number of at least 1, got '0'"},
      {{"infer", "-c", "c.yaml", "--limit", "3.5", "x"},
       "infer: --limit: wants a whole number of at least 1, got '3.5'"},
      {{"infer", "-c", "c.yaml", "--index", "-1", "x"},
       "infer: --index: wants a whole number of at least 0, got '-1'"},
      {{"infer", "-c", "c.yaml", "--color", "allways", "x"},
       "infer: --color wants auto, always or never, got 'allways'; a colour image goes together "
       "with "
       "--depth FILE"},
      {{"infer", "-c", "c.yaml", "--depth", "d.png", "x"},
       "infer: --depth is the whole input; 'x' cannot be given besides"},
      {{"env", "x"}, "env: takes no arguments, but got 'x' besides"},
      {{"env", "--color", "green"}, "env: --color: wants auto, always or never, got 'green'"},
      {{"completion"}, "completion: wants SHELL (bash, zsh or fish), got nothing"},
      {{"completion", "bassh"},
       "completion: wants bash, zsh or fish, got 'bassh'; did you mean 'bash'?"},
      {{"checkpoint", "convert", "a"}, "checkpoint convert: wants FILE OUT, got 'a' only"},
      {{"ops", "run", "knn", "a.npz"},
       "ops run: wants NAME IN.npz OUT.npz, or --cases FOLDER OUT.npz"},
      {{"ops", "run", "knnn", "a.npz", "b.npz"},
       "ops run: unknown operator 'knnn'; did you mean 'knn'?"},
      {{"ops", "run", "zebra", "a.npz", "b.npz"},
       "ops run: unknown operator 'zebra'; 'grasppanda help ops run' lists the operators"},
      {{"ops", "run", "--cases", "f", "a", "b"},
       "ops run: with --cases FOLDER wants exactly one more path, OUT.npz; got 2"},
      {{"ops", "run", "knn", "a", "b", "--backend", "refrence"},
       "ops run: --backend: wants auto, reference or compiled, got 'refrence'; did you mean "
       "'reference'?"},
      {{"ops", "run", "knn", "a", "b", "--device", "gpu"},
       "ops run: --device: wants auto, cpu, cuda or cuda:N, got 'gpu'; did you mean 'cpu'?"},
      {{"checkpoint", "inspect", "a", "--set", "x=1"},
       "checkpoint inspect: --set changes a run config; give one with -c FILE"},
      {{"config", "show"}, "config show: wants one run config: grasppanda config show CONFIG"},
      {{"train", "--cfg", "x.py"},
       "training is not part of this program; train with the public projects and run their "
       "checkpoints here (docs/cli.md, 'train')"},
      {{"test", "-c", "c.yaml"}, "test: no data set; name its root folder with --data ROOT"},
      {{"test", "--data", "d", "--predictions", "p", "--checkpoint", "w"},
       "test: --checkpoint is for a model that is run; with --predictions there is none"},
      {{"dota", "split"}, "dota split: wants ROOT OUT, got nothing"},
      {{"merge", "a"}, "merge: no place for the merged run; name a new folder with --out DIR"},
      {{"render", "run", "--best", "-1"},
       "render: --best: wants a whole number of at least 0, got '-1'"},
  };
  for (const auto& [arguments, message] : cases) {
    std::string typed;
    for (const std::string& argument : arguments) typed += " " + argument;
    DYNAMIC_SECTION("grasppanda" << typed) {
      const ScratchFolder folder;
      const Finished finished = run_program(arguments, {.folder = folder.path()});
      CHECK(finished.status == 2);
      CHECK(finished.out == "");
      CHECK(finished.err == "grasppanda: error: " + message + "\n");
      CHECK(std::filesystem::is_empty(folder.path()));
    }
  }
}

TEST_CASE("an odd argument does not reach the terminal as it is", "[cli]") {
  const Finished finished = run_program({"\033[31mred"});
  CHECK(finished.err ==
        "grasppanda: error: unknown command '\\x1b[31mred'; 'grasppanda -h' lists the commands\n");
}

}  // namespace grasppanda::tests
