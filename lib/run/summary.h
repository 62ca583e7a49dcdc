// summary.json and failures.jsonl: what a run did, rewritten as it goes.
#pragma once

#include <chrono>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/run/input_record.h"
#include "lib/run/run_directory.h"

namespace grasppanda::run {

enum class RunStatus { running, complete, failed, interrupted };
std::string_view status_name(RunStatus status);

struct SummaryHead {
  std::string command, model;
  std::string started;                 // ISO 8601
  std::vector<std::string> warnings;   // of the run as a whole: checkpoint, device
  std::vector<std::string> classes{};  // of a detector, by index; in the file only where there are
};

/// Wall time of the run outside of its inputs.
struct RunSeconds {
  double setup = 0;   // from the start of the process to the first input
  double finish = 0;  // from the last input on
  double total = 0;
};

struct InputCounts {
  std::size_t inputs = 0, done = 0, empty = 0, failed = 0;
  std::size_t pending() const { return inputs - done - empty - failed; }
};

/// Both files exist from the first write(). An added record is on the disk at once as long as all
/// rewriting took less than half a second and 2 % of the time. With very many short inputs it may
/// wait, so a process that is killed loses the record (not the files) of the last few; write() puts
/// everything there.
class Summary {
 public:
  /// `inputs`: how many there are; records stand in their order. Throws io::FormatError.
  Summary(const RunDirectory& run, SummaryHead head, std::size_t inputs);

  /// A record of an earlier process that is still valid (resume).
  void keep(std::size_t index, const InputRecord& record);
  /// A record of this process. Throws io::FormatError.
  void add(std::size_t index, const InputRecord& record);
  /// Throws io::FormatError.
  void write(RunStatus status, const RunSeconds& seconds = {});

  InputCounts counts() const { return counts_; }
  const std::vector<std::string>& warnings() const { return head_.warnings; }
  void warn(std::string text) { head_.warnings.push_back(std::move(text)); }

 private:
  void place(std::size_t index, const InputRecord& record);

  const RunDirectory& run_;
  SummaryHead head_;
  InputCounts counts_;
  std::size_t kept_ = 0, added_ = 0;
  std::vector<std::string> entries_, failures_;  // per input, as they stand in the files
  InputSeconds first_, others_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::duration rewriting_{};
};

/// What an earlier process wrote.
struct StoredSummary {
  SummaryHead head;
  std::string status;  // as status_name says it
  std::vector<InputRecord> inputs;
};
/// Throws io::FormatError for a file that is no summary of ours.
StoredSummary read_summary(const std::filesystem::path& run);

/// "2026-01-02T03:04:05+01:00", local time.
std::string iso_time(std::time_t now);

}  // namespace grasppanda::run
