#include "lib/datasets/object_cache.h"

#include "lib/io/ply.h"
#include "tests/catch.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

}  // namespace

TEST_CASE("a cached grid is the parsed one, and may be damaged or gone") {
  const ScratchFolder scratch;
  const std::string text = "2 2 3\n-0.1 0.2 0.3\n0.002\n1 2 3 4 5 6 7 8 9 10 11 0.1\n";
  const fs::path sdf = scratch.file("models/007/textured.sdf", text);
  io::write_ply(scratch.path() / "models/007/nontextured.ply",
                {.xyz = {0, 0, 0, 1, 2, 3}, .rgb = {}, .faces = {}, .edges = {}});
  const fs::path cache = scratch.path() / "deep/cache";
  const io::SdfGrid parsed = datasets::read_object_files(scratch.path(), 7).distances;
  const auto check = [&] {
    const datasets::ObjectFiles files = datasets::read_object_files(scratch.path(), 7, cache);
    CHECK(files.vertices.size() == 6);
    CHECK(files.distances.nodes == parsed.nodes);
    CHECK(files.distances.origin == parsed.origin);
    CHECK(files.distances.step == parsed.step);
    CHECK(files.distances.values == parsed.values);
  };
  check();
  REQUIRE(files_in(cache).size() == 1);
  const fs::path entry = files_in(cache)[0];
  const auto written = fs::last_write_time(entry);
  check();
  CHECK(fs::last_write_time(entry) == written);  // read, not made again

  fs::resize_file(entry, fs::file_size(entry) - 1);
  check();
  check();
  {  // one value changed
    std::fstream stream(entry, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(90);
    stream.put('x');
  }
  check();

  // Another text, another entry.
  scratch.file("models/007/textured.sdf", "2 2 2\n0 0 0\n0.002\n1 2 3 4 5 6 7 8\n");
  CHECK(datasets::read_object_files(scratch.path(), 7, cache).distances.values.size() == 8);
  CHECK(files_in(cache).size() == 2);

  // A cache that is no folder is done without.
  const fs::path file = scratch.file("file", "x");
  CHECK(datasets::read_object_files(scratch.path(), 7, file).distances.values.size() == 8);
  CHECK(fs::exists(sdf));
}

}  // namespace grasppanda::tests
