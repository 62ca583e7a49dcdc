#include "lib/datasets/camera_meta.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <vector>

#include "lib/datasets/camera_yaml.h"
#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/json_file.h"
#include "lib/io/mapped_file.h"
#include "lib/io/mat5.h"
#include "lib/io/npy.h"
#include "lib/io/text_numbers.h"

namespace grasppanda::datasets {
namespace {

using geometry::Intrinsics;
using nlohmann::json;

class Source {
 public:
  explicit Source(const std::string& name) : name_(name) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw io::FormatError(name_ + ": " + what);
  }

  Intrinsics matrix(std::span<const double> numbers) const {
    std::array<double, 9> matrix;
    std::copy_n(numbers.begin(), 9, matrix.begin());
    try {
      return geometry::intrinsics_from_matrix(matrix);
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
  }

  Intrinsics numbers(double fx, double fy, double cx, double cy) const {
    try {
      return geometry::checked_intrinsics(fx, fy, cx, cy);
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
  }

  double factor(double value) const {
    if (!std::isfinite(value) || value <= 0) {
      fail("factor_depth is " + std::to_string(value) +
           "; wanted the raw depth units of a metre, for example 1000");
    }
    return value;
  }

 private:
  const std::string& name_;
};

CameraMeta from_mat(std::span<const std::byte> bytes, const std::string& name) {
  constexpr std::array<std::string_view, 2> kWanted{"intrinsic_matrix", "factor_depth"};
  const auto variables = io::parse_mat5(bytes, name, kWanted);
  const Source source(name);
  CameraMeta meta;
  if (const auto found = variables.find("intrinsic_matrix"); found != variables.end()) {
    const io::Array& array = found->second;
    if (array.shape != std::vector<std::int64_t>{3, 3}) {
      source.fail("intrinsic_matrix has shape " + io::shape_text(array.shape) + ", wanted (3, 3)");
    }
    meta.intrinsics = source.matrix(array.as<double>());
  }
  if (const auto found = variables.find("factor_depth"); found != variables.end()) {
    const io::Array& array = found->second;
    if (array.numel() != 1) {
      source.fail("factor_depth has shape " + io::shape_text(array.shape) + ", wanted one number");
    }
    meta.factor_depth = source.factor(array.as<double>()[0]);
  }
  return meta;
}

CameraMeta from_npy(const io::SharedBytes& bytes, const std::string& name) {
  const io::Array array = io::parse_npy(bytes, name);
  const Source source(name);
  CameraMeta meta;
  if (array.numel() == 9) {
    meta.intrinsics = source.matrix(io::to_float64(array));
  } else if (array.numel() == 4) {
    const std::vector<double> k = io::to_float64(array);
    meta.intrinsics = source.numbers(k[0], k[1], k[2], k[3]);
  } else {
    source.fail("holds " + io::describe(array) +
                "; wanted a 3x3 intrinsic matrix or fx, fy, cx, cy");
  }
  return meta;
}

/// The numbers of a value, rows one after the other; fails for anything else in it.
void flatten(const json& value, const std::string& key, const Source& source,
             std::vector<double>& numbers) {
  if (value.is_number() && numbers.size() < 16) {
    numbers.push_back(value.get<double>());
  } else if (value.is_array()) {
    for (const json& item : value) {
      if (item.is_array() ? item.size() > 16 || !std::all_of(item.begin(), item.end(),
                                                             [](auto& v) { return v.is_number(); })
                          : !item.is_number()) {
        source.fail(io::in_quotes(key) + " holds something that is no number");
      }
      flatten(item, key, source, numbers);
    }
  } else {
    source.fail(io::in_quotes(key) + " is not a 3x3 matrix or nine row-major numbers");
  }
}

const json* find(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<Intrinsics> intrinsics_in(const json& object, const Source& source) {
  for (const char* key : {"intrinsic_matrix", "camera_matrix", "K"}) {
    const json* value = find(object, key);
    if (value == nullptr) continue;
    if (value->is_object()) {
      const json* data = find(*value, "data");
      if (data == nullptr) continue;
      value = data;
    }
    std::vector<double> numbers;
    flatten(*value, key, source, numbers);
    if (numbers.size() != 9) {
      source.fail(io::in_quotes(key) + " holds " + std::to_string(numbers.size()) +
                  " numbers; wanted 3x3 or nine row-major numbers");
    }
    return source.matrix(numbers);
  }
  constexpr std::array<const char*, 4> kKeys{"fx", "fy", "cx", "cy"};
  std::array<double, 4> k;
  for (std::size_t i = 0; i < 4; ++i) {
    const json* value = find(object, kKeys[i]);
    if (value == nullptr && i == 0) return std::nullopt;
    if (value == nullptr || !value->is_number()) {
      source.fail(io::in_quotes(kKeys[i]) + " is missing or no number; wanted fx, fy, cx, cy");
    }
    k[i] = value->get<double>();
  }
  return source.numbers(k[0], k[1], k[2], k[3]);
}

std::optional<std::int64_t> side_in(const json& object, const char* key) {
  const json* value = find(object, key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  const double side = value->get<double>();
  if (!(side >= 1 && side <= 1e9) || side != std::floor(side)) return std::nullopt;
  return static_cast<std::int64_t>(side);
}

bool looks_like_json(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

CameraMeta camera_meta_from_json(const json& object, const std::string& name) {
  const Source source(name);
  CameraMeta meta;
  if (object.is_array()) {  // the matrix alone
    meta.intrinsics = intrinsics_in(json{{"intrinsic_matrix", object}}, source);
    return meta;
  }
  if (!object.is_object()) source.fail("holds no object; wanted intrinsic_matrix and factor_depth");
  meta.intrinsics = intrinsics_in(object, source);
  if (const json* factor = find(object, "factor_depth")) {
    if (!factor->is_number()) source.fail("'factor_depth' is no number");
    meta.factor_depth = source.factor(factor->get<double>());
  }
  meta.width = side_in(object, "width");
  meta.height = side_in(object, "height");
  return meta;
}

CameraMeta read_camera_meta(const std::filesystem::path& path) {
  const io::SharedBytes file = io::map_file(path);
  const std::string name = path.string();
  switch (const io::Content content = io::content_of(file.span())) {
    case io::Content::mat5:
    case io::Content::hdf5:
      return from_mat(file.span(), name);
    case io::Content::npy:
      return from_npy(file, name);
    case io::Content::unknown:
      break;
    default:
      throw io::FormatError(name + ": is " + std::string(io::content_words(content)) +
                            "; wanted intrinsics as MAT 5, JSON, YAML or npy");
  }
  const std::string_view text = file.text();
  if (looks_like_json(text)) return camera_meta_from_json(io::parse_json(text, name), name);
  if (text.find('\0') != std::string_view::npos || path.extension() == ".mat") {
    return from_mat(file.span(), name);  // says what is wrong with it
  }
  if (path.extension() == ".json") io::parse_json(text, name);  // likewise
  return camera_meta_from_json(parse_camera_yaml(text, name), name);
}

}  // namespace grasppanda::datasets
