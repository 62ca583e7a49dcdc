// Images of 20 000 x 20 000 pixels through the real program: decoded in strips, cut into tiles,
// within memory that is far below their size.
#include <fstream>

#include "tests/catch.h"
#include "tests/cli/infer_setup.h"
#include "tests/support/huge_images.h"

using namespace grasppanda::tests;
namespace fs = std::filesystem;

namespace {

constexpr std::uint16_t kSide = 20000;  // 1.2 GB as 8-bit RGB
constexpr std::uint64_t kMostMemory = std::uint64_t{3} << 30;

/// The record of a run over one image; its peak memory is far below what the decoded image takes.
void check_large(const std::string& name, const std::string& bytes) {
  GP_NEED_DATA(weights, "goldens/yolo_obb/tiny_yolov8.pt");
  const ScratchFolder scratch;
  std::ofstream(scratch.path() / name, std::ios::binary) << bytes;
  fs::create_symlink(weights, scratch.path() / "w.pt");
  scratch.file("run.yaml",
               "model: {name: yolo_obb, checkpoint: w.pt}\n"
               "detect: {tiling: {min_side: 1500, window: 4000, overlap: 0}}\n"
               "output: {formats: [json]}\n");
  const Finished finished =
      run_program({"infer", "-c", "run.yaml", name, "--no-progress"},
                  {.folder = scratch.path(), .limit = std::chrono::seconds(300)});
  CAPTURE(finished.err);
  REQUIRE(finished.status == 0);
  const fs::path run = scratch.path() / finished.out.substr(0, finished.out.size() - 1);
  const auto input = json_file(run / "summary.json")["inputs"][0];
  CHECK(input["image"]["width"] == kSide);
  CHECK(input["image"]["height"] == kSide);
  CHECK(input["tiles"].size() == 25);
  const auto peak = json_file(run / "env.json")["peak_memory_bytes"].get<std::uint64_t>();
  CHECK(peak < kMostMemory);
  CHECK(peak < std::uint64_t{3} * kSide * kSide);
}

}  // namespace

TEST_CASE("a PNG of 20 000 pixels a side is read in strips", "[cli][infer]") {
  check_large("large.png", huge_png(kSide));
}

TEST_CASE("a JPEG of 20 000 pixels a side is read in strips", "[cli][infer]") {
  check_large("large.jpg", huge_jpeg(kSide));
}

TEST_CASE("a TIFF of 20 000 pixels a side is read in strips", "[cli][infer]") {
  check_large("large.tif", huge_tiff(kSide));
}
