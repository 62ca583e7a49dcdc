// Label and result files of DOTA, and the troublesome ones.
#include <algorithm>
#include <map>

#include "lib/datasets/dota_truth.h"
#include "lib/datasets/grasp_dump.h"
#include "lib/datasets/grasp_truth.h"
#include "lib/io/format_error.h"
#include "tests/catch.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {
namespace {

using Catch::Matchers::Contains;
using datasets::DotaReading;

}  // namespace

TEST_CASE("label lines, one by one") {
  const auto read = [](std::string_view text, DotaReading reading = DotaReading::strict) {
    return datasets::parse_dota_labels(text, "l.txt", reading);
  };
  const auto objects = read(
      "imagesource:x\r\ngsd:null\r\n\r\n1 2 3 4 5 6 7 8 ship 1\r\n"
      "-1.5 2 3 4 5 6 7 8 plane");
  REQUIRE(objects.size() == 2);
  CHECK(objects[0].class_name == "ship");
  CHECK(objects[0].difficult == 1);
  CHECK(objects[1].class_name == "plane");
  CHECK(objects[1].corners[0] == geometry::Vec2{-1.5, 2});
  CHECK(read("1, 2, 3, 4, 5, 6, 7, 8, small, vehicle, 2")[0].class_name == "small,vehicle");
  CHECK_THROWS_WITH(read("\n1 2 3 4 5 6 7 8 large vehicle 0"),
                    Contains("l.txt:2:") && Contains("large vehicle"));
  CHECK(read("1 2 3 4 5 6 7 8 large vehicle 0\nnonsense", DotaReading::tolerant)[0].class_name ==
        "large vehicle");
  for (const char* bad : {"1 2 3 4 5 6 7 8", "1 2 x 4 5 6 7 8 ship 0", "1 2 3 4 5 6 7 inf ship 0",
                          "1 2 3 4 5 6 7 8 ship maybe"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(read(bad), io::FormatError);
  }
}

TEST_CASE("the troublesome label files") {
  GP_NEED_DATA(data, "data/troubles/dota_labels");
  const std::map<std::string, int> counts = {{"plain", 3},
                                             {"header_gsd", 3},
                                             {"header_gsd_null", 3},
                                             {"crlf", 3},
                                             {"no_final_newline", 3},
                                             {"blank_lines", 3},
                                             {"empty", 0},
                                             {"header_only", 0},
                                             {"no_difficulty", 1},
                                             {"class_with_space", -1},
                                             {"eight_fields", -1},
                                             {"word_for_number", -1},
                                             {"negative_coordinates", 1},
                                             {"bow_tie", 2},
                                             {"zero_area", 2},
                                             {"clockwise_and_counter", 2},
                                             {"not_a_rectangle", 1},
                                             {"unknown_class", 2}};
  int seen = 0;
  for (const auto& [name, count] : counts) {
    const auto file = data / (name + ".txt");
    CAPTURE(name);
    REQUIRE(std::filesystem::exists(file));
    ++seen;
    if (count < 0) {
      CHECK_THROWS_AS(datasets::read_dota_labels(file), io::FormatError);
    } else {
      CHECK(datasets::read_dota_labels(file).size() == static_cast<std::size_t>(count));
    }
  }
  CHECK(seen == 18);
}

TEST_CASE("result rows, and the line that stands for none") {
  const auto rows = datasets::parse_task1(
      "P0000 0.0000 0.00 0.00 1.00 0.00 1.00 1.00 0.00 1.00\n\nP.v2.final 0.5 1 2 3 4 5 6 7 8\n",
      "t.txt");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].image == "P.v2.final");
  CHECK_THROWS_WITH(datasets::parse_task1("P1 0.5 1 2 3 4 5 6 7\n", "t.txt"), Contains("t.txt:1:"));
}

TEST_CASE("the list of images: names, doubles, labels that are not there") {
  const ScratchFolder scratch;
  scratch.file("labelTxt/b.txt", "");
  scratch.file("labelTxt/a.v2.txt", "");
  CHECK(datasets::list_dota_images(scratch.path()) == std::vector<std::string>{"a.v2", "b"});
  scratch.file("imageset.txt", "b\n");
  CHECK(datasets::list_dota_images(scratch.path()) == std::vector<std::string>{"b"});
  scratch.file("imageset.txt", "b\nb\n");
  CHECK_THROWS_WITH(datasets::list_dota_images(scratch.path()), Contains("twice"));
  scratch.file("imageset.txt", "c\n");
  CHECK_THROWS_WITH(datasets::list_dota_images(scratch.path()), Contains("no label file"));
}

TEST_CASE("predictions of a run are read by class") {
  const ScratchFolder scratch;
  scratch.file("P1.json",
               R"({"detections": [{"class": "ship", "score": 0.5,
                   "corners": [0, 0, 1, 0, 1, 1, 0, 1]}]})");
  scratch.file("coco.json", "[]");
  const auto classes = datasets::read_stored_detections(scratch.path());
  REQUIRE(classes.size() == 1);
  CHECK(classes[0].rows.at(0).image == "P1");
  scratch.file("P2.json", R"({"detections": [{"class": "ship"}]})");
  CHECK_THROWS_WITH(datasets::read_stored_detections(scratch.path()),
                    Contains("P2.json: detection 0"));
}

TEST_CASE("the troublesome dumps of grasps") {
  GP_NEED_DATA(data, "data/troubles/grasps");
  const auto count = [&](const char* name) {
    return datasets::read_grasp_dump(data / name).count();
  };
  CHECK(count("base_float32.npy") == 60);
  CHECK(count("float64.npy") == 60);
  CHECK(count("none.npy") == 0);
  CHECK(count("one.npy") == 1);
  CHECK(count("equal_scores.npy") == 60);
  CHECK(datasets::read_grasp_dump(data / "fortran_order.npy").rows ==
        datasets::read_grasp_dump(data / "base_float32.npy").rows);
  CHECK_THROWS_WITH(count("rect_7_columns.npy"), Contains("(60, 7)") && Contains("17"));
  CHECK_THROWS_WITH(count("nan_rotation.npy"), Contains("row 7"));
  CHECK_THROWS_WITH(count("not_a_rotation.npy"), Contains("row 3"));
}

TEST_CASE("annotations that are broken are refused with the line") {
  const ScratchFolder scratch;
  const auto read = [&](const std::string& object) {
    return datasets::read_object_poses(scratch.file("a.xml", "<scene>\n" + object + "</scene>"));
  };
  const std::string good =
      "<obj><obj_id>3</obj_id><n>x</n><p>y</p><pos>0.1 0.2 0.3</pos><ori>2 0 0 0</ori></obj>\n";
  const auto poses = read(good);
  REQUIRE(poses.size() == 1);
  CHECK(poses[0].id == 3);
  CHECK(poses[0].camera_from_object ==
        std::array<float, 16>{1, 0, 0, 0.1F, 0, 1, 0, 0.2F, 0, 0, 1, 0.3F, 0, 0, 0, 1});
  CHECK_THROWS_WITH(read("<obj><obj_id>3</obj_id></obj>"), Contains("a.xml:2:"));
  CHECK_THROWS_AS(read("<obj><i>-1</i><n/><p/><pos>0 0 0</pos><ori>1 0 0 0</ori></obj>"),
                  io::FormatError);
  CHECK_THROWS_AS(read("<obj><i>1</i><n/><p/><pos>0 0</pos><ori>1 0 0 0</ori></obj>"),
                  io::FormatError);
  CHECK_THROWS_AS(read("<obj><i>1</i><n/><p/><pos>0 0 0</pos><ori>0 0 0 0</ori></obj>"),
                  io::FormatError);
}

TEST_CASE("splits of the test set") {
  CHECK(datasets::in_split(99, "train"));
  CHECK(datasets::in_split(100, "seen"));
  CHECK(datasets::in_split(130, "similar"));
  CHECK(datasets::in_split(189, "novel"));
  CHECK_FALSE(datasets::in_split(190, "test"));
  CHECK(datasets::in_split(5, "all"));
  CHECK_FALSE(datasets::in_split(5, "test"));
}

TEST_CASE("an image whose name holds a blank is known as one word, too") {
  const tests::ScratchFolder scratch;
  for (const char* name : {"de mo", "a_b", "a b"}) {
    scratch.file("labelTxt/" + std::string(name) + ".txt", "");
  }
  const datasets::DotaTruth truth =
      datasets::read_dota_truth(scratch.path(), datasets::DotaReading::strict);
  CHECK(truth.images.size() == 3);
  CHECK(truth.index.at("de_mo") == truth.index.at("de mo"));
  CHECK(truth.index.at("a_b") != truth.index.at("a b"));  // names come first
}

}  // namespace grasppanda::tests
