// `grasppanda dota merge`.
#include <charconv>
#include <filesystem>
#include <iostream>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/new_folder.h"
#include "app/report_error.h"
#include "lib/datasets/dota_merge.h"
#include "lib/datasets/input_names.h"
#include "lib/io/atomic_file.h"
#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

double iou_from(const Invocation& invocation) {
  const std::string text = invocation.value("--iou", "0.3");
  double iou = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), iou);
  if (error != std::errc() || stop != text.data() + text.size() || !(iou >= 0 && iou <= 1)) {
    throw UsageError("--iou: '" + text + "' is no overlap from 0 to 1");
  }
  return iou;
}

bool holds_quads(const fs::path& file) {
  return file.filename().string().starts_with("Task1_");
}

std::vector<fs::path> result_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::path& file : datasets::sorted_children(folder)) {
    const bool result = holds_quads(file) || file.filename().string().starts_with("Task2_");
    if (result && file.extension() == ".txt") files.push_back(file);
  }
  if (files.empty()) {
    throw io::FormatError(folder.string() + ": no Task1_CLASS.txt or Task2_CLASS.txt in it");
  }
  return files;
}

struct Merged {
  std::string text;
  std::size_t read = 0, kept = 0;
};

template <class Row>
Merged merged(std::vector<Row> rows, double iou, const fs::path& file) {
  Merged result{.text = {}, .read = rows.size()};
  const auto kept = datasets::merge_tiles(std::move(rows), iou, file.string());
  result.kept = kept.size();
  result.text = datasets::result_text(kept);
  return result;
}

}  // namespace

ExitCode run_dota_merge(const Invocation& invocation) {
  const double iou = iou_from(invocation);
  const std::vector<fs::path> files = result_files(invocation.arguments.at(0));
  // Every file is read before the first is written: half a set of results looks like a whole one.
  std::vector<Merged> results;
  std::size_t read = 0, kept = 0;
  for (const fs::path& file : files) {
    const io::SharedBytes bytes = io::map_file(file);
    results.push_back(holds_quads(file)
                          ? merged(datasets::parse_task1(bytes.text(), file.string()), iou, file)
                          : merged(datasets::parse_task2(bytes.text(), file.string()), iou, file));
    read += results.back().read;
    kept += results.back().kept;
  }
  const fs::path out = invocation.arguments.at(1);
  make_new_folder(out);
  for (std::size_t i = 0; i < files.size(); ++i) {
    io::write_file_atomically(out / files[i].filename(), results[i].text);
  }
  std::cout << files.size() << " files, " << read << " rows of tiles, " << kept
            << " rows of images\n";
  return ExitCode::done;
}

}  // namespace grasppanda::app
