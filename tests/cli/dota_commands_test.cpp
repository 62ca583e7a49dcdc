// `dota split` and `dota merge` with the real program.
#include <algorithm>

#include "lib/io/image.h"
#include "lib/io/png.h"
#include "tests/catch.h"
#include "tests/cli/infer_setup.h"
#include "tests/support/damaged_bytes.h"

namespace grasppanda::tests {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

io::Image flat_picture(std::int64_t width, std::int64_t height) {
  io::Image picture;
  picture.width = width;
  picture.height = height;
  picture.channels = 3;
  picture.bits = 8;
  picture.pixels.assign(static_cast<std::size_t>(3 * width * height), 90);
  return picture;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("dota split: tiles of scaled pictures with their labels", "[cli][dota]") {
  const ScratchFolder scratch;
  io::Image picture;
  picture.width = 50;
  picture.height = 40;
  picture.channels = 3;
  picture.bits = 8;
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 50; ++x) {
      for (const int value : {x * 5, y * 6, 77}) {
        picture.pixels.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  fs::create_directories(scratch.path() / "set/images");
  io::write_png(scratch.path() / "set/images/P1.png", picture);
  scratch.file("set/labelTxt/P1.txt", "imagesource:made\n36 4 44 4 44 10 36 10 ship 0\n");
  const Finished finished = run_program({"dota", "split", "set", "tiles", "--size", "32", "--gap",
                                         "8", "--rate", "1.0,0.5", "--no-progress"},
                                        {.folder = scratch.path()});
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  CHECK(finished.out == "1 images, 5 tiles\n");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(scratch.path() / "tiles/images")) {
    names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  CHECK(names == std::vector<std::string>{"P1__0.5__0___0", "P1__1.0__0___0", "P1__1.0__0___8",
                                          "P1__1.0__18___0", "P1__1.0__18___8"});
  const io::Image tile = io::read_image(scratch.path() / "tiles/images/P1__1.0__18___8.png");
  REQUIRE(tile.width == 32);
  REQUIRE(tile.height == 32);
  CHECK(tile.pixels[0] == 18 * 5);
  CHECK(tile.pixels[1] == 8 * 6);
  // 25 x 20 pixels, black around; half way between two pixels a straight ramp stays straight.
  const io::Image small = io::read_image(scratch.path() / "tiles/images/P1__0.5__0___0.png");
  CHECK(small.pixels[3 * (32 * 5 + 10)] == 102);  // column 20.5 of the picture: 102.5, to even
  CHECK(small.pixels[3 * (32 * 5 + 10) + 2] == 77);
  CHECK(small.pixels[3 * (32 * 5 + 25)] == 0);
  CHECK(small.pixels[3 * (32 * 20 + 10)] == 0);
  CHECK(read_bytes(scratch.path() / "tiles/labelTxt/P1__1.0__18___0.txt") ==
        "18.0 4.0 26.0 4.0 26.0 10.0 18.0 10.0 ship 0\n");
  CHECK(read_bytes(scratch.path() / "tiles/labelTxt/P1__0.5__0___0.txt") ==
        "18.0 2.0 22.0 2.0 22.0 5.0 18.0 5.0 ship 0\n");
  // The object lies beside the first column of tiles.
  CHECK(read_bytes(scratch.path() / "tiles/labelTxt/P1__1.0__0___0.txt") == "");
  // The tiles are a data set of their own.
  scratch.file("found/Task1_ship.txt",
               "P1__1.0__18___0 0.9 18 4 26 4 26 10 18 10\n"
               "P1__0.5__0___0 0.8 18 2 22 2 22 5 18 5\n");
  const Finished tested = run_program({"test", "--data", "tiles", "--predictions", "found"},
                                      {.folder = scratch.path()});
  CHECK(tested.status == 0);
  // And its results come back to the picture, where both are one.
  REQUIRE(run_program({"dota", "merge", "found", "whole"}, {.folder = scratch.path()}).status == 0);
  CHECK(read_bytes(scratch.path() / "whole/Task1_ship.txt") ==
        "P1 0.9 36.0 4.0 44.0 4.0 44.0 10.0 36.0 10.0\n");
}

TEST_CASE("dota merge: rows of tiles become rows of images", "[cli][dota]") {
  const ScratchFolder scratch;
  scratch.file("tiles/Task1_ship.txt",
               "P1__1.0__0___0 0.9 10 10 50 10 50 30 10 30\n"
               "P1__1.0__824___0 0.8 -814 10 -774 10 -774 30 -814 30\n"
               "P1__0.5__0___0 0.7 100 100 120 100 120 110 100 110\n");
  const Finished merged =
      run_program({"dota", "merge", "tiles", "whole"}, {.folder = scratch.path()});
  REQUIRE(merged.status == 0);
  CHECK(read_bytes(scratch.path() / "whole/Task1_ship.txt") ==
        "P1 0.9 10.0 10.0 50.0 10.0 50.0 30.0 10.0 30.0\n"
        "P1 0.7 200.0 200.0 240.0 200.0 240.0 220.0 200.0 220.0\n");
  // Nothing that exists is written over.
  CHECK(run_program({"dota", "merge", "tiles", "whole"}, {.folder = scratch.path()}).status == 2);
  CHECK(run_program({"dota", "split", "tiles", "out"}, {.folder = scratch.path()}).status == 3);
}

TEST_CASE("dota split: what is wrong with one picture leaves the others", "[cli][dota]") {
  const ScratchFolder scratch;
  fs::create_directories(scratch.path() / "set/images");
  for (const char* name : {"good", "unlabelled", "mislabelled"}) {
    io::write_png(scratch.path() / "set/images" / (std::string(name) + ".png"), flat_picture(8, 8));
  }
  scratch.file("set/images/broken.PNG", "no picture");
  for (const char* name : {"good", "broken"}) {
    scratch.file("set/labelTxt/" + std::string(name) + ".txt", "1 1 4 1 4 3 1 3 ship 0\n");
  }
  scratch.file("set/labelTxt/mislabelled.txt", "1 1 4 1 4 3 1 3 ship 0\n1 1 4 1 4 3 ship 0\n");
  const auto split = [&](const std::string& set, const std::string& out) {
    return run_program({"dota", "split", set, out, "--size", "16", "--gap", "2", "--no-progress"},
                       {.folder = scratch.path()});
  };
  const Finished finished = split("set", "tiles");
  CHECK(finished.status == 1);
  CHECK(finished.out == "1 of 4 images, 1 tiles\n");
  CHECK(names_in(scratch.path() / "tiles/images") ==
        std::vector<std::string>{"good__1.0__0___0.png"});
  CHECK(names_in(scratch.path() / "tiles/labelTxt") ==
        std::vector<std::string>{"good__1.0__0___0.txt"});
  CHECK(std::ranges::count(finished.err, '\n') == 3);
  CHECK_THAT(finished.err, Contains("set/images/broken.PNG"));
  CHECK_THAT(finished.err, Contains("set/labelTxt/mislabelled.txt:2"));
  CHECK_THAT(finished.err, Contains("set/labelTxt/unlabelled.txt"));

  fs::remove(scratch.path() / "set/images/good.png");
  CHECK(split("set", "nothing").status == 3);
  CHECK(!fs::exists(scratch.path() / "nothing"));

  // Tiles of both would have one name.
  scratch.file("twins/images/P1.jpg", "");
  scratch.file("twins/images/P1.png", "");
  const Finished twins = split("twins", "twin_tiles");
  CHECK(twins.status == 3);
  CHECK_THAT(twins.err, Contains("P1.jpg") && Contains("P1.png"));
}

TEST_CASE("dota merge: a broken file leaves nothing behind", "[cli][dota]") {
  const ScratchFolder scratch;
  scratch.file("tiles/Task1_plane.txt", "P1__1.0__0___0 0.9 10 10 50 10 50 30 10 30\n");
  scratch.file("tiles/Task1_ship.txt", "P1 0.9 10 10 50 10 50 30 10 30\n");
  const Finished finished =
      run_program({"dota", "merge", "tiles", "whole"}, {.folder = scratch.path()});
  CHECK(finished.status == 3);
  CHECK_THAT(finished.err, Contains("Task1_ship.txt") && Contains("IMAGE__RATE__X___Y"));
  CHECK(!fs::exists(scratch.path() / "whole"));
}

}  // namespace grasppanda::tests
