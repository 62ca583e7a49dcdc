#include "lib/run/detection_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "lib/geometry/float32_rounding.h"
#include "lib/io/format_error.h"
#include "lib/io/json_file.h"

namespace grasppanda::run {

geometry::RotatedBox as_written(const geometry::RotatedBox& le90) {
  using geometry::round_to_float32;
  geometry::RotatedBox box = {round_to_float32(le90.cx), round_to_float32(le90.cy),
                              round_to_float32(le90.w), round_to_float32(le90.h),
                              round_to_float32(le90.angle)};
  if (std::abs(box.angle) >= std::numbers::pi / 2) {
    box.angle = std::nextafter(static_cast<float>(box.angle), 0.0F);
  }
  return box;
}

double shortest(float value) {
  if (!std::isfinite(value)) return value;
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value);
  double result = 0;
  std::from_chars(text, end.ptr, result);
  return result;
}

std::string fixed(double value, int decimals) {
  char text[400];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals);
  return {text, end.ptr};
}

std::array<double, 8> corner_numbers(const geometry::RotatedBox& box) {
  std::array<double, 8> numbers{};
  const geometry::Quad quad = geometry::corners(box);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      numbers[2 * i + axis] = shortest(static_cast<float>(quad[i][axis]));
    }
  }
  return numbers;
}

std::string hyphenated(std::string name) {
  std::ranges::replace(name, ' ', '-');
  return name;
}

StoredDetections read_detections(const std::filesystem::path& file) {
  StoredDetections stored;
  try {
    const nlohmann::json json = io::read_json(file);
    stored.name = json.at("name").get<std::string>();
    stored.width = json.at("image").at("width").get<std::int64_t>();
    stored.height = json.at("image").at("height").get<std::int64_t>();
    if (json.contains("classes")) json.at("classes").get_to(stored.classes);
    for (const nlohmann::json& entry : json.at("detections")) {
      const auto number = [&entry](const char* key) { return entry.at(key).get<double>(); };
      stored.detections.push_back(
          {.box = {number("cx"), number("cy"), number("w"), number("h"), number("angle_rad")},
           .score = entry.at("score").get<float>(),
           .class_index = entry.at("class_index").get<std::int64_t>()});
    }
  } catch (const nlohmann::json::exception&) {
    throw io::FormatError(file.string() +
                          ": is no file of detections of ours (name, image and, of each detection, "
                          "cx, cy, w, h, angle_rad, score, class_index)");
  }
  return stored;
}

}  // namespace grasppanda::run
