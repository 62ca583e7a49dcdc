#include "lib/io/geotiff.h"

#include "lib/io/format_error.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/hand_made_tiff.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using tests::HandMadeTiff;

namespace {

constexpr std::uint16_t kScale = 33550, kTie = 33922, kMatrix = 34264, kKeys = 34735;

/// A directory of GeoKeys: raster type (1 area, 2 point) and the code of a system.
std::vector<std::uint16_t> keys(std::uint16_t raster, std::uint16_t system, std::uint16_t code) {
  return {1, 1, 0, 2, 1025, 0, 1, raster, system, 0, 1, code};
}

std::optional<io::GeoReference> reference_of(const HandMadeTiff& tiff) {
  const tests::ScratchFolder scratch;
  return io::read_geo_reference(scratch.file("a.tif", tiff.bytes()));
}

}  // namespace

TEST_CASE("GeoTIFF: scale and tie point, pixel is area") {
  HandMadeTiff tiff;
  tiff.doubles = {{kScale, {0.5, 0.25, 0}}, {kTie, {2, 1, 0, 500000, 4000000, 0}}};
  tiff.shorts = {{kKeys, keys(1, 3072, 32633)}};
  const auto geo = reference_of(tiff);
  REQUIRE(geo);
  CHECK(geo->epsg == 32633);
  CHECK(geo->world(2, 1) == std::array<double, 2>{500000, 4000000});
  CHECK(geo->world(0, 0) == std::array<double, 2>{499999, 4000000.25});
  CHECK(geo->world(4, 3) == std::array<double, 2>{500001, 3999999.5});
}

TEST_CASE("GeoTIFF: pixel is point means centres") {
  HandMadeTiff tiff;
  tiff.doubles = {{kScale, {2, 2, 0}}, {kTie, {0, 0, 0, 10, 20, 0}}};
  tiff.shorts = {{kKeys, keys(2, 2048, 4326)}};
  const auto geo = reference_of(tiff);
  REQUIRE(geo);
  CHECK(geo->epsg == 4326);
  CHECK(geo->world(0.5, 0.5) == std::array<double, 2>{10, 20});
}

TEST_CASE("GeoTIFF: a turned raster by its matrix; a system of the user's own has no code") {
  HandMadeTiff tiff;
  tiff.doubles = {{kMatrix, {0.6, 0.8, 0, 100, 0.8, -0.6, 0, 200, 0, 0, 0, 0, 0, 0, 0, 1}}};
  tiff.shorts = {{kKeys, keys(1, 3072, 32767)}};
  const auto geo = reference_of(tiff);
  REQUIRE(geo);
  CHECK_FALSE(geo->epsg);
  CHECK(geo->world(10, 0)[0] == Approx(106));
  CHECK(geo->world(10, 0)[1] == Approx(208));
  CHECK(geo->world(0, 10)[1] == Approx(194));
}

TEST_CASE("GeoTIFF: without tags, with useless ones, of another format") {
  CHECK_FALSE(reference_of({}));
  HandMadeTiff tiff;
  tiff.doubles = {{kScale, {0, 0, 0}}, {kTie, {0, 0, 0, 1, 1, 0}}};
  CHECK_FALSE(reference_of(tiff));
  tiff.doubles = {{kScale, {1, 1, 0}}};  // a scale alone
  CHECK_FALSE(reference_of(tiff));
  tiff.doubles = {{kTie, {0, 0, 0, 1, 1, 0, 3, 0, 0, 4, 1, 0}}};  // control points alone
  CHECK_FALSE(reference_of(tiff));
  HandMadeTiff whole_numbers;  // a tag of another type than the standard's
  whole_numbers.shorts = {{kScale, {1, 1, 0}}, {kTie, {0, 0, 0, 1, 1, 0}}};
  CHECK_FALSE(reference_of(whole_numbers));
  const tests::ScratchFolder scratch;
  CHECK_FALSE(io::read_geo_reference(scratch.file("a.png", "\x89PNG\r\n\x1a\n")));
  CHECK_THROWS_AS(io::read_geo_reference(scratch.path() / "none.tif"), io::FormatError);
}

TEST_CASE("GeoTIFF: damaged files do no harm") {
  HandMadeTiff tiff;
  tiff.doubles = {{kScale, {0.5, 0.25, 0}}, {kTie, {2, 1, 0, 500000, 4000000, 0}}};
  tiff.shorts = {{kKeys, keys(1, 3072, 32633)}};
  const std::string whole = tiff.bytes();
  const tests::ScratchFolder scratch;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const auto file = scratch.file("a.tif", tests::with_wrong_bytes(whole, seed));
    CHECK_NOTHROW(io::read_geo_reference(file));
  }
  for (const std::size_t size : tests::cut_lengths(whole.size(), 50)) {
    CHECK_NOTHROW(io::read_geo_reference(scratch.file("b.tif", whole.substr(0, size))));
  }
}
