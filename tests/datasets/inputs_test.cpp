#include "lib/datasets/inputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "lib/datasets/input_names.h"
#include "lib/datasets/masked_cloud.h"
#include "lib/io/format_error.h"
#include "lib/io/npy.h"
#include "lib/io/utf8.h"
#include "tests/catch.h"
#include "tests/io/hand_made_png.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using namespace grasppanda::datasets;
namespace fs = std::filesystem;

namespace {

const fs::path kFrame = fs::path(GRASPPANDA_SOURCE_DIR) / "tests/data/frame";

/// A copy of the fixture frame, colour made up when `color_side` is not 0.
fs::path copy_frame(const tests::ScratchFolder& scratch, const std::string& name) {
  const fs::path folder = scratch.path() / name;
  fs::create_directories(folder.parent_path());
  fs::copy(kFrame, folder);
  return folder;
}

std::vector<std::string> names(const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const InputRef& input : list_inputs(arguments)) names.push_back(input.name);
  return names;
}

std::string refusal(const std::string& argument) {
  try {
    list_inputs({argument});
  } catch (const io::FormatError& error) {
    return error.what();
  }
  return {};
}

std::string open_refusal(const InputRef& input, const OpenSettings& settings = {}) {
  try {
    open_input(input, settings);
  } catch (const io::FormatError& error) {
    return error.what();
  }
  return {};
}

using Names = std::vector<std::string>;
constexpr const char* kCloud = "1 2 3\n4 5 6\n";

}  // namespace

TEST_CASE("natural order: numbers in names count by value") {
  CHECK(natural_less("view2", "view10"));
  CHECK_FALSE(natural_less("view10", "view2"));
  CHECK(natural_less("a", "b"));
  CHECK(natural_less("a", "a1"));
  CHECK(natural_less("1a", "1b"));
  CHECK(natural_less("007", "8"));
  CHECK(natural_less("99999999999999999998", "99999999999999999999"));
  CHECK(natural_less("01", "1") != natural_less("1", "01"));
  CHECK_FALSE(natural_less("x", "x"));
}

TEST_CASE("inputs: names keep dots, underscores, spaces and letters of every alphabet") {
  const tests::ScratchFolder scratch;
  for (const char* name : {"scene.v2.final", "P0001__1__0___0", "with space and \xc3\xbc"}) {
    CHECK(names({copy_frame(scratch, name).string()}) == Names{name});
    CHECK(names({scratch.file(std::string("clouds/") + name + ".xyz", kCloud).string()}) ==
          Names{name});
  }
  CHECK(names({(scratch.path() / "scene.v2.final").string() + "/"}) == Names{"scene.v2.final"});
  CHECK(names({(scratch.path() / "clouds/../scene.v2.final/.").string()}) ==
        Names{"scene.v2.final"});
}

TEST_CASE("inputs: a folder gives its frames and clouds in natural order, not deeper") {
  const tests::ScratchFolder scratch;
  for (const char* name : {"frame10", "frame2", "deep/frame1", ".hidden"}) {
    copy_frame(scratch, name);
  }
  scratch.file("cloud.xyz", kCloud);
  scratch.file("readme.txt", "1 2 3\n");
  scratch.file("results.json", "{}");
  CHECK(names({scratch.path().string()}) == Names{"cloud", "frame2", "frame10"});
}

TEST_CASE("inputs: equal names get -2, -3, and never a name that is taken") {
  const tests::ScratchFolder scratch;
  const std::string a = copy_frame(scratch, "a/frame").string();
  const std::string b = copy_frame(scratch, "b/frame").string();
  const std::string second = copy_frame(scratch, "c/frame-2").string();
  CHECK(names({a, b}) == Names{"frame", "frame-2"});
  CHECK(names({a, b, a}) == Names{"frame", "frame-2", "frame-3"});
  CHECK(names({a, b, second}) == Names{"frame", "frame-3", "frame-2"});
  // A run may write predictions/coco.json of its own.
  CHECK(names({copy_frame(scratch, "d/coco").string()}) == Names{"coco-2"});
}

TEST_CASE("inputs: list files are relative to themselves") {
  const tests::ScratchFolder scratch;
  copy_frame(scratch, "data/one frame");
  copy_frame(scratch, "data/sub/two");
  scratch.file("data/three.xyz", kCloud);
  const auto list = scratch.file("data/list.txt",
                                 "\xef\xbb\xbf# frames\r\n\r\none frame\r\n  sub/two  \r\n"
                                 "three.xyz\r\n" +
                                     (scratch.path() / "data/three.xyz").string());
  const auto inputs = list_inputs({list.string()});
  REQUIRE(inputs.size() == 4);
  CHECK(names({list.string()}) == Names{"one frame", "sub/two", "three", "three-2"});
  CHECK(masked_cloud(open_input(inputs[1], {}), {}).points() == 20103);
  CHECK(open_input(inputs[2], {}).cloud->points() == 2);
}

TEST_CASE("inputs: one bad line or argument does not stop the others") {
  const tests::ScratchFolder scratch;
  copy_frame(scratch, "good");
  const auto list = scratch.file("list", "nowhere\ngood\nother.list\n");
  scratch.file("other.list", "good\n");
  const auto inputs = list_inputs({list.string()});
  REQUIRE(inputs.size() == 3);
  CHECK(open_refusal(inputs[0]) ==
        list.string() + ":1: " + (scratch.path() / "nowhere").string() + ": does not exist");
  CHECK(open_refusal(inputs[2]).find("lists do not nest") != std::string::npos);
  CHECK(open_refusal(inputs[1]).empty());
  const auto arguments = list_inputs({"/no/such/folder", (scratch.path() / "good").string()});
  REQUIRE(arguments.size() == 2);
  CHECK(open_refusal(arguments[0]) == "/no/such/folder: does not exist");
}

TEST_CASE("inputs: nothing usable is an error that names the first and counts the rest") {
  const tests::ScratchFolder scratch;
  CHECK(refusal("/no/such/folder") == "/no/such/folder: does not exist");
  CHECK(refusal(scratch.path().string()).find("holds no input") != std::string::npos);
  CHECK(refusal(scratch.file("empty.txt", "").string()).find("is an empty file") !=
        std::string::npos);
  CHECK(refusal(scratch.file("none.txt", "# nothing\n").string()).find("without a path") !=
        std::string::npos);
  CHECK(
      refusal(scratch.file("x.bin", std::string("\0\1\2", 3)).string()).find("is something else") !=
      std::string::npos);
  CHECK(refusal((kFrame / "depth.png").string()).find("--depth FILE") != std::string::npos);
  CHECK(list_inputs({}).empty());
  CHECK_THROWS_WITH(list_inputs({"/no/a", "/no/b"}),
                    "/no/a: does not exist (none of the 2 inputs can be used)");
}

TEST_CASE("inputs: a pipe is refused at once and does not stop its neighbours") {
  const tests::ScratchFolder scratch;
  copy_frame(scratch, "in/good");
  for (const char* name : {"in/pipe", "in/pipe.ply"}) {
    REQUIRE(mkfifo((scratch.path() / name).c_str(), 0600) == 0);
  }
  CHECK(
      refusal((scratch.path() / "in/pipe").string()).ends_with("/in/pipe: is not a regular file"));
  CHECK(refusal("/dev/null") == "/dev/null: is not a regular file");
  // Beside a frame: what is named like a cloud is told, what is named like nothing is none.
  auto inputs = list_inputs({(scratch.path() / "in").string()});
  REQUIRE(inputs.size() == 2);
  CHECK(inputs[0].name == "good");
  CHECK(open_refusal(inputs[0]).empty());
  CHECK(open_refusal(inputs[1]).ends_with("/in/pipe.ply: is not a regular file"));
  inputs = list_inputs({scratch.file("in/list", "pipe\ngood\n").string()});
  REQUIRE(inputs.size() == 2);
  CHECK(open_refusal(inputs[0]).ends_with("/in/pipe: is not a regular file"));
  CHECK(open_refusal(inputs[1]).empty());
}

TEST_CASE("inputs: a list's text is its paths without blanks, comments and marks") {
  const auto lines = list_lines("\xef\xbb\xbf# head\r\n\n  a b \t\r\n\t# more\n/c\n   \nd#e");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].number == 3);
  CHECK(lines[0].path == "a b");
  CHECK(lines[1].path == "/c");
  CHECK(lines[2].number == 7);
  CHECK(lines[2].path == "d#e");
}

TEST_CASE("inputs: a path that is not UTF-8 is refused, its neighbours are not") {
  const tests::ScratchFolder scratch;
  copy_frame(scratch, "in/a");
  copy_frame(scratch, "in/b\xff");
  const auto inputs = list_inputs({(scratch.path() / "in").string()});
  REQUIRE(inputs.size() == 2);
  CHECK(open_refusal(inputs[0]).empty());
  CHECK(open_refusal(inputs[1]).find("/in/b\\xff: this path is not valid UTF-8") !=
        std::string::npos);
  CHECK(inputs[1].name == "b\\xff");
  CHECK(io::is_valid_utf8(inputs[1].source.string()));
}

TEST_CASE("inputs: a folder that may not be read says so") {
  if (geteuid() == 0) GP_SKIP("the superuser may read every folder");
  const tests::ScratchFolder scratch;
  fs::create_directory(scratch.path() / "closed");
  fs::permissions(scratch.path() / "closed", fs::perms::none);
  CHECK(refusal((scratch.path() / "closed").string()).find("Permission denied") !=
        std::string::npos);
}

TEST_CASE("inputs: pictures of other sizes are refused by their headers, before any is decoded") {
  const tests::ScratchFolder scratch;
  const fs::path folder = copy_frame(scratch, "frame");
  const InputRef input = list_inputs({folder.string()})[0];
  // Headers without a picture behind them: whoever decodes first complains about that instead.
  const auto header = [](std::uint32_t width, std::uint32_t height, int bits, int colour) {
    std::string data = tests::big_endian32(width) + tests::big_endian32(height);
    data += static_cast<char>(bits);
    data += static_cast<char>(colour);
    return "\x89PNG\r\n\x1a\n" + tests::png_chunk("IHDR", data + std::string(3, '\0')) +
           tests::png_chunk("IDAT", "");
  };
  const std::string depth = tests::read_bytes(folder / "depth.png");
  scratch.file("frame/color.png", header(20000, 20000, 8, 2));
  CHECK(open_refusal(input).find("color.png: colour picture of 20000 x 20000 pixels, but the depth "
                                 "has 256 x 192") != std::string::npos);
  fs::remove(folder / "color.png");
  scratch.file("frame/depth.png", header(20000, 20000, 16, 0));
  CHECK(open_refusal(input).find("workspace_mask.png: mask of 256 x 192 pixels, but the depth has "
                                 "20000 x 20000") != std::string::npos);
  scratch.file("frame/depth.png", depth);
  CloudSettings settings;
  settings.object_mask = scratch.file("object.png", header(20000, 20000, 8, 0));
  CHECK_THROWS_WITH(masked_cloud(open_input(input, {}), settings),
                    Catch::Matchers::Contains("object mask of 20000 x 20000 pixels"));
}

TEST_CASE("inputs: a folder that is half a frame says which half is missing") {
  const tests::ScratchFolder scratch;
  const fs::path folder = copy_frame(scratch, "frame");
  const InputRef input = list_inputs({folder.string()})[0];
  fs::remove(folder / "depth.png");
  CHECK(list_inputs({folder.string()}).size() == 1);
  CHECK(open_refusal(input).find("no depth.png or depth.npy") != std::string::npos);
}

TEST_CASE("inputs: of two metas or two depths one is used, with a warning") {
  const tests::ScratchFolder scratch;
  const fs::path folder = copy_frame(scratch, "frame");
  const InputRef input = list_inputs({folder.string()})[0];
  CHECK(open_input(input, {}).warnings.empty());
  scratch.file("frame/meta.json", R"({"fx": 9, "fy": 8, "cx": 7, "cy": 6, "factor_depth": 500})");
  const Frame frame = open_input(input, {});
  CHECK(frame.depth->factor == 1000);
  CHECK(frame.warnings == Names{"holds both meta.mat and meta.json; meta.mat is used"});
  fs::remove(folder / "meta.mat");
  CHECK(open_input(input, {}).warnings.empty());
}

TEST_CASE("inputs: intrinsics and depth unit from the settings win over the meta") {
  const tests::ScratchFolder scratch;
  const fs::path folder = copy_frame(scratch, "frame");
  const InputRef input = list_inputs({folder.string()})[0];
  OpenSettings settings;
  settings.intrinsics = geometry::Intrinsics{300, 301, 100, 90};
  Frame frame = open_input(input, settings);
  CHECK(frame.intrinsics.fy == 301);
  CHECK(frame.depth->factor == 1000);
  settings.depth_scale = 500;
  fs::remove(folder / "meta.mat");
  frame = open_input(input, settings);
  CHECK(frame.depth->factor == 500);
  settings.intrinsics.reset();
  settings.intrinsics_file = scratch.file("k.json", R"({"fx": 9, "fy": 8, "cx": 7, "cy": 6})");
  CHECK(open_input(input, settings).intrinsics.fx == 9);
  settings.intrinsics_file = scratch.file(
      "k.json", R"({"fx": 9, "fy": 8, "cx": 7, "cy": 6, "width": 640, "height": 480})");
  CHECK(open_refusal(input, settings).find("640 x 480 pixels, but the depth has 256 x 192") !=
        std::string::npos);
  settings.intrinsics_file.reset();
  settings.intrinsics = geometry::Intrinsics{300, 301, 638, 90};
  REQUIRE(open_input(input, settings).warnings.size() == 1);
  CHECK(open_input(input, settings).warnings[0].find("principal point (638.0, 90.0)") == 4);
  settings.intrinsics = geometry::Intrinsics{300, 0, 100, 90};
  CHECK(open_refusal(input, settings).find("input.intrinsics: focal lengths") == 0);
}

TEST_CASE("inputs: a depth file with its own intrinsics needs no folder") {
  const tests::ScratchFolder scratch;
  InputRef input{"pair", kFrame / "depth.png", InputRef::Kind::depth_file, {}, {}};
  OpenSettings settings;
  CHECK(open_refusal(input).find("no intrinsics") != std::string::npos);
  settings.intrinsics_file = kFrame / "meta.mat";  // brings the depth unit, too
  CHECK(masked_cloud(open_input(input, settings), {}).points() == 48644);
  settings.workspace_mask = OpenSettings::Mask::file;
  settings.workspace_mask_file = kFrame / "workspace_mask.png";
  const Frame frame = open_input(input, settings);
  CHECK(masked_cloud(frame, {}).points() == 20103);
  CHECK(frame.files.size() == 3);
  settings.color_file = kFrame / "workspace_mask.png";
  CHECK(open_input(input, settings).color->channels == 3);
}

TEST_CASE("inputs: the workspace mask can be switched off") {
  OpenSettings settings;
  settings.workspace_mask = OpenSettings::Mask::none;
  const Frame frame = open_input(list_inputs({kFrame.string()})[0], settings);
  CHECK_FALSE(frame.workspace.has_value());
  CHECK(masked_cloud(frame, {}).points() == 48644);
}

TEST_CASE("inputs: damaged frames are refused or read, never worse") {
  const tests::ScratchFolder scratch;
  const fs::path folder = copy_frame(scratch, "frame");
  const InputRef input = list_inputs({folder.string()})[0];
  std::size_t refused = 0;
  for (const char* part : {"depth.png", "meta.mat", "workspace_mask.png"}) {
    const std::string whole = tests::read_bytes(kFrame / part);
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
      scratch.file(std::string("frame/") + part, tests::with_wrong_bytes(whole, seed));
      try {
        masked_cloud(open_input(input, {}), {});
      } catch (const io::FormatError&) {
        ++refused;
      }
    }
    scratch.file(std::string("frame/") + part, whole);
  }
  CHECK(refused > 60);
}
