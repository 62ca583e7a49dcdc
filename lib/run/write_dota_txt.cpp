// predictions/detections/Task1_CLASS.txt: what DOTA's evaluation takes. One file a class, a line a
// detection: image, score, four corners.
#include <algorithm>
#include <memory>

#include "lib/io/atomic_file.h"
#include "lib/io/text_numbers.h"
#include "lib/run/detection_text.h"
#include "lib/run/detection_writer.h"
#include "lib/run/run_directory.h"

namespace grasppanda::run {

namespace {

/// A class name as a part of a file's name.
std::string file_part(std::string name) {
  name = hyphenated(std::move(name));
  std::ranges::replace(name, '/', '-');
  return name;
}

}  // namespace

std::vector<std::filesystem::path> write_dota_txt(
    const std::filesystem::path& run, std::span<const std::filesystem::path> predictions,
    std::span<const std::string> classes) {
  const std::filesystem::path folder = "predictions/detections";
  make_folders(run / folder);
  std::vector<std::filesystem::path> files;
  std::vector<std::unique_ptr<io::AtomicFile>> open;
  for (const std::string& name : classes) {
    files.push_back(folder / ("Task1_" + file_part(name) + ".txt"));
    open.push_back(std::make_unique<io::AtomicFile>(run / files.back()));
  }
  for (const std::filesystem::path& file : predictions) {
    const StoredDetections stored = read_detections(run / file);
    std::vector<std::string> lines(classes.size());
    for (const DetectionEntry& entry : stored.detections) {
      const auto index = static_cast<std::size_t>(entry.class_index);
      if (index >= lines.size()) continue;
      lines[index] += io::as_one_word(stored.name) + ' ' + fixed(entry.score, 6);
      for (const double number : corner_numbers(entry.box)) lines[index] += ' ' + fixed(number, 4);
      lines[index] += '\n';
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].empty()) open[i]->write(lines[i]);
    }
  }
  for (const auto& file : open) file->commit();
  return files;
}

}  // namespace grasppanda::run
