#include "lib/datasets/stored_cloud.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <span>
#include <string>

#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"
#include "lib/io/npy.h"
#include "lib/io/npz.h"
#include "lib/io/pcd.h"
#include "lib/io/ply.h"
#include "lib/io/text_numbers.h"
#include "lib/io/xyz.h"

namespace grasppanda::datasets {
namespace {

using io::Content;
namespace fs = std::filesystem;

std::string lower_suffix(const fs::path& path) {
  std::string suffix = path.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return suffix;
}

/// Is the first line that says anything made of three numbers or more?
bool starts_with_numbers(std::string_view text) {
  io::TextLines lines(text);
  std::string_view line;
  while (lines.next(line)) {
    line = line.substr(0, line.find('#'));
    int numbers = 0;
    double value = 0;
    for (auto word = io::next_word(line, ",;"); !word.empty(); word = io::next_word(line, ",;")) {
      if (!io::parse_number(word, value)) return false;
      ++numbers;
    }
    if (numbers > 0) return numbers >= 3;
  }
  return false;
}

bool has_cloud_shape(const io::Array& array) {
  return (array.shape.size() == 2 || array.shape.size() == 3) &&
         (array.shape.back() == 3 || array.shape.back() == 6) && !array.is_text &&
         array.dtype != io::DType::boolean;
}

/// The array of an archive that is the cloud; `label` receives what it is called in messages.
io::Array choose_array(const io::NpzReader& archive, const OpenSettings& settings,
                       std::string& label) {
  if (!settings.array_name.empty()) {
    io::Array array = archive.read(settings.array_name);
    label += " array " + io::in_quotes(settings.array_name);
    return array;
  }
  std::vector<std::string> candidates;
  io::Array chosen;
  for (const std::string& name : archive.names()) {
    io::Array array;
    try {
      array = archive.read(name);
    } catch (const io::FormatError&) {
      continue;  // pickled or damaged: no cloud, and none of our business unless asked for
    }
    if (!has_cloud_shape(array)) continue;
    candidates.push_back(name);
    chosen = std::move(array);
  }
  if (candidates.size() == 1) {
    label += " array " + io::in_quotes(candidates[0]);
    return chosen;
  }
  std::string names;
  for (const std::string& name : candidates.empty() ? archive.names() : candidates) {
    names += (names.empty() ? "" : ", ") + name;
  }
  throw io::FormatError(label + ": " +
                        (candidates.empty()
                             ? "no array of shape (N, 3) or (N, 6); it holds "
                             : "several arrays could be the cloud; choose with --array: ") +
                        (names.empty() ? "nothing" : names));
}

io::PointCloud cloud_from_array(const io::Array& array, const std::string& label,
                                const OpenSettings& settings) {
  if (!has_cloud_shape(array)) {
    throw io::FormatError(label + ": holds " + io::describe(array) +
                          "; a cloud wants (N, 3) or (N, 6), or a stack of such");
  }
  const bool stack = array.shape.size() == 3;
  const std::int64_t clouds = stack ? array.shape[0] : 1;
  if (!settings.array_index && clouds != 1) {
    throw io::FormatError(label + ": is a stack of " + std::to_string(clouds) +
                          " clouds; choose one with --index, from 0");
  }
  const std::int64_t index = settings.array_index.value_or(0);
  if (index < 0 || index >= clouds) {
    throw io::FormatError(label + ": there is no cloud " + std::to_string(index) + "; it holds " +
                          std::to_string(clouds) + ", counted from 0");
  }
  const std::vector<double> values = io::to_float64(array);
  const auto width = static_cast<std::size_t>(array.shape.back());
  const std::size_t each = values.size() / static_cast<std::size_t>(clouds);
  return io::cloud_from_rows(
      std::span(values).subspan(static_cast<std::size_t>(index) * each, each), width);
}

Content content_or_unknown(const fs::path& path) {
  try {
    return io::content_of(io::map_file(path).span());
  } catch (const io::FormatError&) {
    return Content::unknown;
  }
}

}  // namespace

bool is_cloud_file(const fs::path& path) {
  std::array<char, 4096> head;
  std::size_t read = 0;
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) {  // opening a pipe would wait for its writer
    std::ifstream stream(path, std::ios::binary);
    stream.read(head.data(), head.size());
    read = static_cast<std::size_t>(stream.gcount());
  }
  const std::string_view text(head.data(), read);
  switch (io::content_of(std::as_bytes(std::span(text)))) {
    case Content::npy:
    case Content::zip:
    case Content::ply:
    case Content::pcd:
      return true;
    case Content::unknown:
      break;
    case Content::empty:
      break;
    default:
      return false;
  }
  const std::string suffix = lower_suffix(path);
  for (const char* known : {".ply", ".pcd", ".npy", ".npz", ".xyz"}) {
    if (suffix == known) return true;  // opening it says what is wrong
  }
  return starts_with_numbers(text.substr(0, text.rfind('\n')));
}

bool is_archive_file(const fs::path& path) {
  return content_or_unknown(path) == Content::zip;
}

bool is_array_file(const fs::path& path) {
  const Content content = content_or_unknown(path);
  return content == Content::zip || content == Content::npy;
}

Frame open_stored_cloud(const InputRef& input, const OpenSettings& settings) {
  const fs::path& path = input.source;
  const io::SharedBytes file = io::map_file(path);
  std::string label = path.string();
  Frame frame;
  frame.name = input.name;
  frame.source = path;
  frame.files.push_back(path);
  const std::string suffix = lower_suffix(path);
  Content content = io::content_of(file.span());
  if (content == Content::empty) throw io::FormatError(label + ": is an empty file");
  if (content == Content::unknown) {  // named after a format: its own reader says what is wrong
    content = suffix == ".ply"   ? Content::ply
              : suffix == ".pcd" ? Content::pcd
              : suffix == ".npy" ? Content::npy
              : suffix == ".npz" ? Content::zip
                                 : Content::unknown;
  }
  switch (content) {
    case Content::ply:
      frame.cloud = io::parse_ply(file.span(), label);
      break;
    case Content::pcd:
      frame.cloud = io::parse_pcd(file.span(), label);
      break;
    case Content::npy:
      frame.cloud = cloud_from_array(io::parse_npy(file, label), label, settings);
      break;
    case Content::zip: {
      const io::Array array = choose_array(io::NpzReader(path), settings, label);
      frame.cloud = cloud_from_array(array, label, settings);
      break;
    }
    default:
      frame.cloud = io::parse_xyz(file.text(), label);
  }
  return frame;
}

}  // namespace grasppanda::datasets
