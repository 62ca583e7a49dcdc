#include "lib/run/summary.h"

#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "lib/io/format_error.h"

namespace grasppanda::run {

namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kSchema = "grasppanda.summary/1";
// Rewriting may take so much, and this share of the time besides.
constexpr std::chrono::milliseconds kRewriteAllowance{500};
constexpr int kRewriteShare = 50;

double rounded(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

ordered_json seconds_json(const InputSeconds& seconds) {
  return {{"read", rounded(seconds.read)},       {"prepare", rounded(seconds.prepare)},
          {"network", rounded(seconds.network)}, {"postprocess", rounded(seconds.postprocess)},
          {"write", rounded(seconds.write)},     {"overlapped", rounded(seconds.overlapped)}};
}

void accumulate(InputSeconds& sum, const InputSeconds& more) {
  sum.read += more.read;
  sum.prepare += more.prepare;
  sum.network += more.network;
  sum.postprocess += more.postprocess;
  sum.write += more.write;
  sum.overlapped += more.overlapped;
}

}  // namespace

std::string_view status_name(RunStatus status) {
  switch (status) {
    case RunStatus::running:
      return "running";
    case RunStatus::complete:
      return "complete";
    case RunStatus::failed:
      return "failed";
    case RunStatus::interrupted:
      break;
  }
  return "interrupted";
}

Summary::Summary(const RunDirectory& run, SummaryHead head, std::size_t inputs)
    : run_(run),
      head_(std::move(head)),
      counts_{.inputs = inputs},
      entries_(inputs),
      failures_(inputs) {}

void Summary::place(std::size_t index, const InputRecord& record) {
  entries_.at(index) = dump_line(to_json(record));
  failures_.at(index).clear();
  switch (record.status) {
    case InputStatus::done:
      ++counts_.done;
      break;
    case InputStatus::empty:
      ++counts_.empty;
      break;
    case InputStatus::failed:
      ++counts_.failed;
      failures_[index] = failure_line(record) + "\n";
      break;
  }
}

void Summary::keep(std::size_t index, const InputRecord& record) {
  place(index, record);
  ++kept_;
}

void Summary::add(std::size_t index, const InputRecord& record) {
  place(index, record);
  accumulate(added_ == 0 ? first_ : others_, record.seconds);
  ++added_;
  const Clock::duration allowed = kRewriteAllowance + (Clock::now() - begin_) / kRewriteShare;
  if (rewriting_ > allowed) return;
  const Clock::time_point begin = Clock::now();
  write(RunStatus::running);
  rewriting_ += Clock::now() - begin;
}

void Summary::write(RunStatus status, const RunSeconds& seconds) {
  std::string failures;
  for (const std::string& line : failures_) failures += line;
  run_.write("failures.jsonl", failures);

  ordered_json head = {{"schema", kSchema},
                       {"status", status_name(status)},
                       {"command", head_.command},
                       {"model", head_.model},
                       {"started", head_.started},
                       {"finished", nullptr},
                       {"warnings", head_.warnings},
                       {"counts",
                        {{"inputs", counts_.inputs},
                         {"done", counts_.done},
                         {"empty", counts_.empty},
                         {"failed", counts_.failed},
                         {"pending", counts_.pending()},
                         {"kept_from_earlier_run", kept_}}},
                       {"seconds", nullptr}};
  if (!head_.classes.empty()) head["classes"] = head_.classes;
  if (status != RunStatus::running) {
    head["finished"] = iso_time(std::time(nullptr));
    head["seconds"] = {{"setup", rounded(seconds.setup)},
                       {"first_input", seconds_json(first_)},
                       {"other_inputs", seconds_json(others_)},
                       {"record", rounded(std::chrono::duration<double>(rewriting_).count())},
                       {"finish", rounded(seconds.finish)},
                       {"total", rounded(seconds.total)}};
  }
  // The records are kept as text, one a line: rewriting thousands of them costs a copy, not a dump.
  std::string text = head.dump(1, ' ', false, ordered_json::error_handler_t::replace);
  text.resize(text.rfind('\n'));
  text += ",\n \"inputs\": [";
  const char* separator = "\n  ";
  for (const std::string& entry : entries_) {
    if (entry.empty()) continue;
    text += separator;
    text += entry;
    separator = ",\n  ";
  }
  text += "\n ]\n}\n";
  run_.write("summary.json", text);
}

StoredSummary read_summary(const std::filesystem::path& run) {
  const std::filesystem::path file = run / "summary.json";
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  try {
    const ordered_json json = ordered_json::parse(text);
    if (json.at("schema") != kSchema) {
      throw io::FormatError(file.string() + ": schema is " + json.at("schema").dump() +
                            ", wanted \"" + std::string(kSchema) + "\"");
    }
    StoredSummary summary;
    summary.status = json.at("status").get<std::string>();
    SummaryHead& head = summary.head;
    json.at("command").get_to(head.command);
    json.at("model").get_to(head.model);
    json.at("started").get_to(head.started);
    json.at("warnings").get_to(head.warnings);
    if (json.contains("classes")) json.at("classes").get_to(head.classes);
    for (const ordered_json& entry : json.at("inputs")) {
      summary.inputs.push_back(record_from_json(entry));
    }
    return summary;
  } catch (const nlohmann::json::exception&) {
    throw io::FormatError(file.string() + ": is damaged or no summary of a run; start a new run");
  }
}

std::string iso_time(std::time_t now) {
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", &local);
  const std::string_view all = text.data();  // strftime knows +0100, ISO 8601 wants +01:00 here
  std::string result(all.substr(0, all.size() - 2));
  result += ':';
  result += all.substr(all.size() - 2);
  return result;
}

}  // namespace grasppanda::run
