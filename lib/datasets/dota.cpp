#include "lib/datasets/dota.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "lib/datasets/input_names.h"
#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"
#include "lib/io/text_numbers.h"

namespace grasppanda::datasets {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string_view>;

Words words_of(std::string_view line) {
  Words words;
  for (std::string_view word = io::next_word(line); !word.empty(); word = io::next_word(line)) {
    words.push_back(word);
  }
  return words;
}

Words comma_fields(std::string_view line) {
  Words fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t comma = std::min(line.find(',', begin), line.size());
    std::string_view field = line.substr(begin, comma - begin);
    while (!field.empty() && (field.front() == ' ' || field.front() == '\t'))
      field.remove_prefix(1);
    while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
    fields.push_back(field);
    begin = comma + 1;
  }
  return fields;
}

std::optional<geometry::Quad> quad_from(std::span<const std::string_view> words) {
  geometry::Quad quad;
  for (std::size_t i = 0; i < 8; ++i) {
    double value = 0;
    if (!io::parse_number(words[i], value) || !std::isfinite(value)) return {};
    quad[i / 2][i % 2] = value;
  }
  return quad;
}

std::optional<int> whole_number(std::string_view word) {
  int value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || stop != word.data() + word.size()) return {};
  return value;
}

std::string joined(std::span<const std::string_view> words, const char* between) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

// `x1, y1, ..., y4, class, difficult`: ten fields or more, numbers where numbers belong.
std::optional<DotaObject> comma_object(std::string_view line) {
  const Words fields = comma_fields(line);
  if (fields.size() < 10) return {};
  const std::optional<geometry::Quad> quad = quad_from(fields);
  const std::optional<int> difficult = whole_number(fields.back());
  if (!quad || !difficult) return {};
  return DotaObject{*quad, joined(std::span(fields).subspan(8, fields.size() - 9), ","),
                    *difficult};
}

std::optional<DotaObject> space_object(std::string_view line, DotaReading reading) {
  const Words words = words_of(line);
  if (words.size() < 9 || (reading == DotaReading::strict && words.size() > 10)) return {};
  const std::optional<geometry::Quad> quad = quad_from(words);
  if (!quad) return {};
  if (words.size() == 9) return DotaObject{*quad, std::string(words[8]), 0};
  const std::optional<int> difficult = whole_number(words.back());
  if (!difficult) return {};
  return DotaObject{*quad, joined(std::span(words).subspan(8, words.size() - 9), " "), *difficult};
}

// Some editors put a mark in front of UTF-8.
std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\f\v") == line.npos;
}

[[noreturn]] void refuse_line(const std::string& name, std::int64_t number, std::string_view line,
                              const char* wanted) {
  throw io::FormatError(name + ":" + std::to_string(number) + ": " + io::in_quotes(line) +
                        " is no " + wanted);
}

}  // namespace

std::vector<DotaObject> parse_dota_labels(std::string_view text, const std::string& name,
                                          DotaReading reading) {
  std::vector<DotaObject> objects;
  io::TextLines lines(without_mark(text));
  for (std::string_view line; lines.next(line);) {
    if (is_blank(line) || line.starts_with("imagesource:") || line.starts_with("gsd:")) continue;
    std::optional<DotaObject> object;
    if (line.find(',') != line.npos) object = comma_object(line);
    if (!object) object = space_object(line, reading);
    if (object) {
      objects.push_back(std::move(*object));
    } else if (reading == DotaReading::strict) {
      refuse_line(name, lines.number(), line,
                  "object; wanted x1 y1 x2 y2 x3 y3 x4 y4 class [difficult]");
    }
  }
  return objects;
}

std::vector<DotaObject> read_dota_labels(const fs::path& file, DotaReading reading) {
  return parse_dota_labels(io::map_file(file).text(), file.string(), reading);
}

std::vector<DotaDetection> parse_task1(std::string_view text, const std::string& name) {
  std::vector<DotaDetection> rows;
  io::TextLines lines(without_mark(text));
  for (std::string_view line; lines.next(line);) {
    if (is_blank(line)) continue;
    const Words words = words_of(line);
    std::optional<geometry::Quad> quad;
    double score = 0;
    if (words.size() == 10 && io::parse_number(words[1], score) && std::isfinite(score)) {
      quad = quad_from(std::span(words).subspan(2));
    }
    if (!quad) {
      refuse_line(name, lines.number(), line, "result; wanted image score x1 y1 x2 y2 x3 y3 x4 y4");
    }
    // What some tools write for a class without detections.
    if (words[0] == "P0000" && score == 0) continue;
    rows.push_back({std::string(words[0]), score, *quad});
  }
  return rows;
}

std::vector<DotaDetection> read_task1(const fs::path& file) {
  return parse_task1(io::map_file(file).text(), file.string());
}

std::vector<Task1File> list_task1(const fs::path& folder) {
  constexpr std::string_view prefix = "Task1_";
  std::vector<Task1File> files;
  for (const fs::path& file : sorted_children(folder)) {
    const std::string name = file.stem().string();
    if (file.extension() == ".txt" && name.starts_with(prefix) && name.size() > prefix.size()) {
      files.push_back({name.substr(prefix.size()), file});
    }
  }
  std::ranges::sort(files, {}, &Task1File::class_name);
  return files;
}

bool has_dota_truth(const fs::path& root) {
  std::error_code ignored;
  return fs::is_directory(root / "labelTxt", ignored);
}

std::vector<std::string> list_dota_images(const fs::path& root) {
  std::vector<std::string> images;
  const fs::path list = root / "imageset.txt";
  std::error_code ignored;
  if (!fs::exists(list, ignored)) {
    for (const fs::path& file : sorted_children(root / "labelTxt")) {
      if (file.extension() == ".txt") images.push_back(file.stem().string());
    }
    std::ranges::sort(images);
    return images;
  }
  const io::SharedBytes bytes = io::map_file(list);
  io::TextLines lines(without_mark(bytes.text()));
  std::set<std::string, std::less<>> seen;
  for (std::string_view line; lines.next(line);) {
    const Words words = words_of(line);
    if (words.empty()) continue;
    const std::string place = list.string() + ":" + std::to_string(lines.number()) + ": ";
    const std::string image = joined(words, " ");
    if (image.find('/') != image.npos) {
      throw io::FormatError(place + io::in_quotes(image) + " is a path; wanted an image's name");
    }
    if (!seen.insert(image).second) {
      throw io::FormatError(place + "the image " + io::in_quotes(image) + " comes twice");
    }
    if (!fs::exists(root / "labelTxt" / (image + ".txt"), ignored)) {
      throw io::FormatError(place + "the image " + io::in_quotes(image) + " has no label file " +
                            (root / "labelTxt" / (image + ".txt")).string());
    }
    images.push_back(image);
  }
  return images;
}

}  // namespace grasppanda::datasets
