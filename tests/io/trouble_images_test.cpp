// Every file of data/troubles/images gets the verdict of its expected.json at the level of reading.

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "lib/io/format_error.h"
#include "lib/io/image.h"
#include "lib/io/json_file.h"
#include "tests/catch.h"

using namespace grasppanda::io;
using nlohmann::json;

namespace {

void check_pixels(const Image& rgb, const json& expected) {
  CHECK(rgb.width == expected["size"][0].get<std::int64_t>());
  CHECK(rgb.height == expected["size"][1].get<std::int64_t>());
  const int tolerance = expected["tolerance"].get<int>();
  REQUIRE(!expected["rgb_at_xy"].empty());
  for (const json& row : expected["rgb_at_xy"]) {
    const auto x = row[0].get<std::int64_t>(), y = row[1].get<std::int64_t>();
    for (std::size_t c = 0; c < 3; ++c) {
      const int got = rgb.pixels[static_cast<std::size_t>(3 * (y * rgb.width + x)) + c];
      INFO("pixel (" << x << ", " << y << "), channel " << c << ", got " << got);
      CHECK(std::abs(got - row[2][c].get<int>()) <= tolerance);
    }
  }
}

}  // namespace

TEST_CASE("trouble images get their verdicts") {
  GP_NEED_DATA(images, "data/troubles/images");
  const json expected = read_json(images / "expected.json");
  CHECK(expected.size() == 20);
  for (const auto& [name, row] : expected.items()) {
    DYNAMIC_SECTION(name << ": " << row["verdict"].get<std::string>()) {
      if (row["verdict"] == "reject") {
        CHECK_THROWS_AS(read_image(images / name), FormatError);
        continue;
      }
      const Image rgb = to_rgb8(read_image(images / name));
      CHECK(rgb.channels == 3);
      CHECK(rgb.pixels.size() == rgb.samples());
      if (row.contains("rgb_at_xy")) check_pixels(rgb, row);
    }
  }
}
