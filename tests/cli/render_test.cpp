// report.html and `render` with the real program.
#include <algorithm>

#include "lib/io/image.h"
#include "lib/io/ply.h"
#include "tests/catch.h"
#include "tests/cli/detector_setup.h"
#include "tests/cli/infer_setup.h"
#include "tests/support/damaged_bytes.h"

namespace grasppanda::tests {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Json = nlohmann::ordered_json;

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      names.push_back(entry.path().lexically_relative(folder).generic_string());
    }
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("a run has a report, and its pictures can be drawn again", "[cli][infer]") {
  const InferFolder folder("[html]");
  write_made_frame(folder / "in/a", 12);
  write_made_frame(folder / "in/b", 24);
  const fs::path run = folder.run_of(folder.infer({"in"}));
  // What the page is made of is there, too.
  for (const char* file : {"report.html", "pictures/a.png", "ply/b.ply", "predictions/a.json"}) {
    CAPTURE(file);
    CHECK(fs::exists(run / file));
    CHECK_THAT(read_bytes(run / "manifest.json"), Contains(std::string("\"") + file + "\""));
  }
  const std::size_t grasps = json_file(run / "predictions/a.json")["grasps"].size();
  REQUIRE(grasps > 2);

  const Finished same = folder.program({"render", run.string()});
  INFO(same.err);
  CHECK(same.status == 0);
  CHECK(same.out == (run / "rendered").string() + "\n");
  CHECK(files_in(run / "rendered") == std::vector<std::string>{"pictures/a.png", "pictures/b.png",
                                                               "ply/a.ply", "ply/b.ply",
                                                               "report.html"});
  // The same settings, the same bytes.
  for (const char* file : {"pictures/a.png", "pictures/b.png", "ply/a.ply", "report.html"}) {
    CAPTURE(file);
    CHECK(read_bytes(run / "rendered" / file) == read_bytes(run / file));
  }
  // Nothing is written over.
  CHECK(folder.program({"render", run.string()}).status == 2);

  const Finished best = folder.program(
      {"render", run.string(), "--best", "1", "--set", "output.formats=[png,ply]", "--out", "one"});
  CHECK(best.status == 0);
  CHECK(files_in(folder / "one").size() == 4);
  const auto points = [](const fs::path& file) { return io::read_ply(file).points(); };
  const std::int64_t drawn = std::min<std::int64_t>(50, static_cast<std::int64_t>(grasps));
  CHECK(points(run / "ply/a.ply") - points(folder / "one/ply/a.ply") == 32 * (drawn - 1));
  const Finished none = folder.program({"render", run.string(), "--score", "1e9", "--out", "none"});
  CHECK(none.status == 0);
  CHECK(points(run / "ply/a.ply") - points(folder / "none/ply/a.ply") == 32 * drawn);
  CHECK(read_bytes(folder / "none/report.html").find("Best grasps") == std::string::npos);

  CHECK(folder.program({"render", run.string(), "--set", "postprocess.top_k=1"}).status == 2);

  // An input that has changed or is gone is named, the others are drawn.
  write_made_frame(folder / "in/b", 30);
  const Finished changed = folder.program({"render", run.string(), "--out", "changed"});
  CHECK(changed.status == 1);
  CHECK_THAT(changed.err, Contains("in/b") && Contains("is not the file any more"));
  CHECK_FALSE(fs::exists(folder / "changed/pictures/b.png"));
  CHECK_THAT(read_bytes(folder / "changed/report.html"), Contains("is not the file any more"));
  write_made_frame(folder / "in/b", 24);
  fs::remove_all(folder / "in/a");
  const Finished gone = folder.program({"render", run.string(), "--out", "rest"});
  CHECK(gone.status == 1);
  CHECK_THAT(gone.err, Contains("in/a"));
  CHECK(fs::exists(folder / "rest/pictures/b.png"));
  CHECK(folder.program({"render", (folder / "in").string()}).status == 3);
  CHECK(folder.program({"render", run.string(), "--score", "much"}).status == 2);
  CHECK(folder.program({"render", run.string(), "--set", "output.formats=[npy]", "--out", "x"})
            .status == 2);
}

TEST_CASE("pictures of detections can be drawn again", "[cli][images]") {
  const ScratchFolder scratch;
  write_made_checkpoint(scratch.path() / "w.pth", "state_dict", made_mmrotate_retinanet(2), "");
  fs::create_directories(scratch.path() / "in");
  write_made_image(scratch.path() / "in/a.png", 96, 64);
  scratch.file("run.yaml",
               "model: {name: rotated_retinanet, checkpoint: w.pth}\n"
               "detect: {classes: [ship, plane], score_threshold: 0}\n"
               "input: {size: 64}\noutput: {formats: [html]}\n");
  const auto program = [&](std::vector<std::string> words) {
    words.emplace_back("--no-progress");
    return run_program(words, {.folder = scratch.path(), .limit = std::chrono::seconds(300)});
  };
  const Finished finished = program({"infer", "-c", "run.yaml", "in"});
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  const fs::path run = scratch.path() / finished.out.substr(0, finished.out.size() - 1);
  const Finished drawn = program({"render", run.string()});
  INFO(drawn.err);
  CHECK(drawn.status == 0);
  CHECK(files_in(run / "rendered") == std::vector<std::string>{"pictures/a.png", "report.html"});
  CHECK(read_bytes(run / "rendered/pictures/a.png") == read_bytes(run / "pictures/a.png"));
  CHECK(read_bytes(run / "rendered/report.html") == read_bytes(run / "report.html"));
  const Finished few = program({"render", run.string(), "--best", "1", "--out", "few"});
  CHECK(few.status == 0);
  if (json_file(run / "predictions/a.json")["detections"].size() > 1) {
    CHECK(read_bytes(scratch.path() / "few/pictures/a.png") != read_bytes(run / "pictures/a.png"));
  }
}

}  // namespace grasppanda::tests
