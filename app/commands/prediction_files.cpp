#include "app/commands/prediction_files.h"

#include <algorithm>

#include "lib/run/file_stamp.h"

namespace grasppanda::app {

void write_predictions(const std::string& name, const PredictSettings& settings,
                       const run::RunDirectory& run, run::InputRecord& record,
                       const std::function<void(const run::WriterEntry& writer,
                                                const std::filesystem::path& file)>& write) {
  for (const run::WriterEntry* writer : settings.writers) {
    const std::filesystem::path relative = writer->file(name);
    const std::filesystem::path file = run.place(relative);
    write(*writer, file);
    record.written.push_back(run::stamp_file(file, relative.generic_string()));
    if (writer->folder == "predictions" && record.predictions.empty()) {
      record.predictions = relative.generic_string();
    }
  }
}

bool names_format(const config::Config& config, std::string_view format) {
  const std::vector<std::string> formats = config.texts("output.formats");
  return std::ranges::find(formats, format) != formats.end();
}

void write_detection_sets(const std::vector<const run::DetectionSetEntry*>& sets,
                          const run::RunDirectory& run, const run::InputList& inputs,
                          const std::vector<std::string>& classes,
                          std::vector<run::FileStamp>& written) {
  std::vector<std::filesystem::path> predictions;
  for (const run::ListedInput& input : inputs.inputs) {
    std::filesystem::path file = run::find_writer("json")->file(input.name);
    if (std::filesystem::exists(run.path() / file)) predictions.push_back(std::move(file));
  }
  for (const run::DetectionSetEntry* set : sets) {
    for (const std::filesystem::path& file : set->write(run.path(), predictions, classes)) {
      written.push_back(run::stamp_file(run.path() / file, file.generic_string()));
    }
  }
}

void take_seconds(const models::Accounting& accounting, double all, run::InputSeconds& seconds) {
  double named = 0;
  for (const auto& [name, value] : accounting.seconds) {
    named += value;
    (name == "network"       ? seconds.network
     : name == "postprocess" ? seconds.postprocess
     : name == "read"        ? seconds.read
                             : seconds.prepare) += value;
  }
  seconds.postprocess += std::max(0.0, all - named);
}

}  // namespace grasppanda::app
