#include "app/commands/output_frame.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lib/io/format_error.h"
#include "lib/io/json_file.h"
#include "lib/io/mapped_file.h"
#include "lib/io/npy.h"

namespace grasppanda::app {

namespace {

constexpr double kTolerance = 1e-3;  // matrices are often typed with four digits
constexpr const char* kWanted =
    "; wanted base_from_camera, a 4x4 matrix (rotation, translation in metres, last row 0 0 0 1) "
    "as .npy or JSON";

std::vector<double> numbers_of_json(const nlohmann::json& json, const std::string& name) {
  const nlohmann::json& value =
      json.is_object() && json.contains("base_from_camera") ? json.at("base_from_camera") : json;
  std::vector<double> numbers;
  try {
    for (const nlohmann::json& row : value) {
      if (row.is_array()) {
        std::ranges::copy(row.get<std::vector<double>>(), std::back_inserter(numbers));
      } else {
        numbers.push_back(row.get<double>());
      }
    }
  } catch (const nlohmann::json::exception&) {
    throw io::FormatError(name + ": holds something that is no number" + kWanted);
  }
  return numbers;
}

void require_rigid(const run::Matrix4& m, const std::string& name) {
  const auto refuse = [&name](const std::string& what) {
    throw io::FormatError(name + ": " + what + kWanted);
  };
  if (!std::ranges::all_of(m, [](double x) { return std::isfinite(x); })) {
    refuse("a number is not finite");
  }
  if (m[12] != 0 || m[13] != 0 || m[14] != 0 || m[15] != 1) refuse("the last row is not 0 0 0 1");
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double dot =
          m[i] * m[j] + m[4 + i] * m[4 + j] + m[8 + i] * m[8 + j];  // of columns i and j
      if (std::abs(dot - (i == j ? 1 : 0)) > kTolerance) {
        refuse("the upper left 3x3 is no rotation (its columns are not of length 1 and square)");
      }
    }
  }
  const double determinant = m[0] * (m[5] * m[10] - m[6] * m[9]) -
                             m[1] * (m[4] * m[10] - m[6] * m[8]) +
                             m[2] * (m[4] * m[9] - m[5] * m[8]);
  if (determinant < 0) refuse("the upper left 3x3 is a mirror image, no rotation");
}

}  // namespace

run::Matrix4 read_base_from_camera(const std::filesystem::path& file) {
  const std::string name = file.string();
  const io::SharedBytes bytes = io::map_file(file);
  const std::vector<double> numbers =
      bytes.text().starts_with("\x93NUMPY")
          ? io::to_float64(io::parse_npy(bytes, name))
          : numbers_of_json(io::parse_json(bytes.text(), name), name);
  if (numbers.size() != 16) {
    throw io::FormatError(name + ": holds " + std::to_string(numbers.size()) + " numbers" +
                          kWanted);
  }
  run::Matrix4 matrix{};
  std::ranges::copy(numbers, matrix.begin());
  require_rigid(matrix, name);
  return matrix;
}

}  // namespace grasppanda::app
