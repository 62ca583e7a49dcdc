#include "app/option_list.h"

#include <algorithm>
#include <string>

#include "app/report_error.h"

namespace grasppanda::app {

OptionRecord config_option() {
  return {
      .name = "--config",
      .letter = 'c',
      .value = "FILE",
      .group = Group::in,
      .help = "run config (YAML)",
      .more = "Checked as a whole before anything else happens. Paths in it are relative to it.",
      .offers = Offers::configs};
}

OptionRecord checkpoint_option() {
  return {.name = "--checkpoint",
          .value = "FILE",
          .group = Group::in,
          .help = "weights to load",
          .more =
              "What the file is (.pth, .tar, .pt, .safetensors) is told by its content. Nothing "
              "in it is executed.",
          .key = "model.checkpoint",
          .offers = Offers::files};
}

OptionRecord set_option() {
  return {.name = "--set",
          .value = "KEY=VALUE",
          .group = Group::how,
          .help = "override one config key; repeatable",
          .more =
              "The value is read as YAML and checked like one in the file: --set "
              "'input.limit_box=[-0.3, 0.3, -0.2, 0.2, 0.3, 1.0]'. Of several for one key, and "
              "of options that mirror it, the last counts.",
          .repeatable = true,
          .offers = Offers::keys};
}

OptionRecord device_option(bool mirrors_config) {
  return {.name = "--device",
          .value = "DEVICE",
          .group = Group::how,
          .help = "auto, cpu, cuda, cuda:N",
          .more =
              "A device that is asked for by name and is not there ends the program with status "
              "4; auto takes what there is.",
          .key = mirrors_config ? "runtime.device" : "",
          .fallback = "auto",
          .choices = {"auto", "cpu", "cuda"},
          .open_choices = true};
}

OptionRecord threads_option(bool mirrors_config) {
  return {.name = "--threads",
          .value = "N",
          .group = Group::how,
          .help = "0: all cores",
          .key = mirrors_config ? "runtime.threads" : "",
          .fallback = "0",
          .least = 0};
}

OptionRecord seed_option() {
  return {.name = "--seed",
          .value = "N",
          .group = Group::how,
          .help = "of every random draw",
          .more =
              "Every input starts its draws from this number, so that neither other inputs nor "
              "--limit and --resume change a result.",
          .key = "runtime.seed"};
}

OptionRecord out_option() {
  return {.name = "--out",
          .value = "DIR",
          .group = Group::out,
          .help = "parent of run directories",
          .key = "output.dir",
          .offers = Offers::folders};
}

OptionRecord shard_option() {
  return {.name = "--shard",
          .value = "I/N",
          .group = Group::in,
          .help = "part I, from 0, of N: every N-th input; see grasppanda merge",
          .more =
              "For N processes or machines, each with the same inputs and another I; "
              "grasppanda merge joins their run directories to one."};
}

OptionRecord json_option() {
  return {.name = "--json",
          .group = Group::out,
          .help = "one JSON object on standard output, also on failure",
          .negated = "--no-json"};
}

std::vector<OptionRecord> logging_options(bool long_running) {
  std::vector<OptionRecord> all = {
      {.name = "--quiet",
       .letter = 'q',
       .group = Group::logging,
       .help = "warnings and errors only; -qq: errors only",
       .negated = "--no-quiet",
       .repeatable = true},
      {.name = "--verbose",
       .letter = 'v',
       .group = Group::logging,
       .help = "also which kernel ran and why not a better one; -vv: more",
       .negated = "--no-verbose",
       .repeatable = true},
      {.name = "--log-file",
       .value = "FILE",
       .group = Group::logging,
       .help = "every message goes to this file, too, also what -q hides",
       .offers = Offers::files}};
  if (long_running)
    all.push_back({.name = "--no-progress",
                   .group = Group::logging,
                   .help = "no progress on standard error",
                   .negated = "--progress"});
  all.push_back({.name = "--color",
                 .value = "WHEN",
                 .group = Group::logging,
                 .help = "colour messages: auto, always, never",
                 .more = "auto: on a terminal, unless NO_COLOR is set or TERM is 'dumb'.",
                 .fallback = "auto",
                 .choices = {"auto", "always", "never"}});
  all.push_back({.name = "--help",
                 .letter = 'h',
                 .group = Group::logging,
                 .help = "this help; -h: in short"});
  all.push_back({.name = "--version",
                 .letter = 'V',
                 .group = Group::logging,
                 .help = "version of the program"});
  return all;
}

void check_resumed(const Invocation& invocation) {
  const std::vector<std::string> set = invocation.all("--set");
  const bool moved = std::ranges::any_of(
      set, [](const std::string& text) { return text.starts_with("output.dir="); });
  if (invocation.has("--out") || moved)
    throw UsageError(invocation.command + ": " + (moved ? "output.dir" : "--out") +
                     " cannot be given with --resume: the run stays in its directory");
  if (invocation.has("--shard"))
    throw UsageError(invocation.command +
                     ": --shard cannot be given with --resume: the run knows its part");
}

std::vector<OptionRecord> options(std::initializer_list<OptionRecord> own,
                                  std::vector<OptionRecord> shared) {
  std::vector<OptionRecord> all(own);
  for (OptionRecord& option : shared) all.push_back(std::move(option));
  return all;
}

}  // namespace grasppanda::app
