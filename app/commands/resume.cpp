#include "app/commands/resume.h"

#include <algorithm>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "app/commands/input_selection.h"
#include "app/report_error.h"
#include "lib/io/format_error.h"
#include "lib/io/json_file.h"
#include "lib/run/input_list.h"
#include "lib/run/summary.h"

namespace grasppanda::app {

namespace {

// Lines that say something about results: no comments, and not where the run directory lies.
std::vector<std::string> telling_lines(std::istream& yaml) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(yaml, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || line[begin] == '#') continue;
    if (line.compare(begin, 4, "dir:") == 0) continue;
    lines.push_back(line.substr(begin));
  }
  return lines;
}

}  // namespace

std::string config_difference(const std::filesystem::path& run, const config::Config& config) {
  const std::filesystem::path file = run / "config.yaml";
  std::ifstream stored(file);
  if (!stored) throw io::FormatError(file.string() + ": is missing; start a new run");
  std::istringstream now(config.to_yaml(false));
  const std::vector<std::string> before = telling_lines(stored), after = telling_lines(now);
  const auto [old_line, new_line] = std::ranges::mismatch(before, after);
  if (old_line == before.end() && new_line == after.end()) return {};
  const auto quoted = [](const auto& line, const auto& end) {
    return line == end ? std::string("nothing") : "'" + *line + "'";
  };
  return quoted(new_line, after.end()) + " instead of " + quoted(old_line, before.end()) + " in " +
         file.string();
}

Resumed resume_run(const std::filesystem::path& run, const Invocation& invocation, Takes takes) {
  const std::string difference = config_difference(run, *invocation.config);
  if (!difference.empty()) {
    throw UsageError("--resume: the configuration is not that of the run: " + difference +
                     "; start a new run, or leave out -c and overrides");
  }
  const run::InputList list = run::read_input_list(run);
  if (invocation.command == "infer" && list.options.contains("--data")) {
    throw UsageError("--resume: " + run.string() +
                     " is a run of test; go on with: grasppanda test --resume " + run.string());
  }
  Resumed resumed{
      .invocation = invocation, .inputs = from_listed(list), .records = {}, .whole = list.whole};
  for (const auto& [option, values] : list.options) {
    resumed.invocation.options.try_emplace(option, values);
  }
  if (names_inputs(invocation)) {
    if (list.options.contains("--shard")) {
      throw UsageError("--resume: " + run.string() +
                       " is one part of several runs (--shard), its inputs stay what they are; "
                       "begin a new run for other inputs");
    }
    resumed.inputs = joined_inputs(std::move(resumed.inputs), typed_inputs(invocation, takes));
  }
  for (run::InputRecord& record : run::read_summary(run).inputs) {
    std::string name = record.name;
    resumed.records.insert_or_assign(std::move(name), std::move(record));
  }
  return resumed;
}

void require_same_weights(const std::filesystem::path& run, const run::FileStamp& checkpoint,
                          bool kept) {
  const std::filesystem::path file = run / "env.json";
  std::string before;
  try {
    before = io::read_json(file).at("checkpoint").at("sha256").get<std::string>();
  } catch (const std::exception&) {
    // Killed before it was written: there is nothing yet that other weights could be mixed with.
    if (!kept) return;
    throw io::FormatError(file.string() +
                          ": does not say which weights made the results of this run; start a new "
                          "run");
  }
  if (before == checkpoint.sha256) return;
  throw UsageError("--resume: the weights are not those of the run: " + checkpoint.path +
                   " has SHA-256 " + checkpoint.sha256 + ", " + file.string() + " names " + before +
                   "; put the old file back, or start a new run");
}

bool still_holds(const run::InputRecord& record, const std::filesystem::path& run,
                 std::span<const run::WriterEntry* const> writers) {
  if (record.status == run::InputStatus::failed) return false;
  return std::ranges::all_of(writers, [&](const run::WriterEntry* writer) {
    const std::string file = writer->file(record.name).generic_string();
    const auto stamp = std::ranges::find(record.written, file, &run::FileStamp::path);
    if (stamp == record.written.end()) return false;
    std::error_code missing;
    const std::uintmax_t size = std::filesystem::file_size(run / file, missing);
    return !missing && size == stamp->size;
  });
}

}  // namespace grasppanda::app
