// Which file is the picture of a name.
#include "lib/datasets/dota_images.h"

#include "lib/io/format_error.h"
#include "tests/catch.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {

using Catch::Matchers::Contains;

TEST_CASE("a picture is found whatever the case of its suffix") {
  const ScratchFolder scratch;
  for (const char* file : {"P10.TIFF", "P2.Jpeg", "P1.png", "P1.txt", "notes", ".P3.png"}) {
    scratch.file("images/" + std::string(file), "");
  }
  std::vector<std::string> names;
  for (const auto& image : datasets::list_dota_pictures(scratch.path()))
    names.push_back(image.name);
  CHECK(names == std::vector<std::string>{"P1", "P2", "P10"});
  const auto found = datasets::find_dota_pictures(scratch.path(), {"P10", "P2"});
  REQUIRE(found.size() == 2);
  CHECK(found[0].filename() == "P10.TIFF");
  CHECK(found[1].filename() == "P2.Jpeg");
  CHECK_THROWS_WITH(datasets::find_dota_pictures(scratch.path(), {"P2", "P3"}),
                    Contains("images/P3.png: no such image"));
  CHECK(datasets::list_dota_pictures(scratch.path() / "images").empty());
  scratch.file("images/P2.png", "");
  CHECK_THROWS_AS(datasets::list_dota_pictures(scratch.path()), io::FormatError);
}

}  // namespace grasppanda::tests
