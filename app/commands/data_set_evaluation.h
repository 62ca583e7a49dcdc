// One kind of evaluation behind `grasppanda test`: the truth of a data set, and the numbers that
// predictions get against it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/run_record.h"
#include "app/invocation.h"
#include "lib/run/run_directory.h"

namespace grasppanda::app {

class DataSetEvaluation {
 public:
  virtual ~DataSetEvaluation() = default;
  /// What a model is run on, as `infer` would be told.
  virtual std::vector<std::string> inputs() const = 0;
  /// "16 views of GraspNet-1Billion".
  virtual std::string description() const = 0;
  /// Whether evaluate() will find what it wants in `predictions`; computes nothing. Throws
  /// io::FormatError.
  virtual void check(const std::filesystem::path& predictions) = 0;
  /// The files of `predictions` that evaluate() reads.
  virtual std::vector<std::filesystem::path> files_read(
      const std::filesystem::path& predictions) const = 0;
  /// `predictions`: a folder of dumps or the `predictions` of a run. Writes metrics.json and what
  /// belongs to it into `run`, prints the table on standard output. Once interrupted() it is
  /// `stopped`, with no metrics.json; of grasps the accuracy of the scenes that were done is there.
  /// Throws io::FormatError, eval::EvaluationError.
  virtual WrittenFiles evaluate(const std::filesystem::path& predictions,
                                const run::RunDirectory& run, const Invocation& invocation) = 0;
};

/// The evaluation of the data set at --data, whichever it is; checks the truth, as the two below
/// do. Throws UsageError, io::FormatError, eval::Stopped.
std::unique_ptr<DataSetEvaluation> open_evaluation(const Invocation& invocation);

/// Evaluates the predictions that are in `run`. Throws io::FormatError when an input failed, too.
WrittenFiles evaluate_run(DataSetEvaluation& evaluation, const run::RunDirectory& run,
                          const run::InputCounts& counts, const Invocation& invocation);

/// Read from the options of the command. Checks the truth, which takes seconds: everything that
/// evaluate() will want of it is there. Throws UsageError, io::FormatError, eval::Stopped once
/// interrupted().
std::unique_ptr<DataSetEvaluation> open_grasp_evaluation(const Invocation& invocation);
std::unique_ptr<DataSetEvaluation> open_detection_evaluation(const Invocation& invocation);

}  // namespace grasppanda::app
