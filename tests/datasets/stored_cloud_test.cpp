#include "lib/datasets/stored_cloud.h"

#include <string>

#include "lib/datasets/inputs.h"
#include "lib/io/format_error.h"
#include "lib/io/npy.h"
#include "lib/io/npz.h"
#include "lib/io/ply.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using namespace grasppanda::datasets;

namespace {

Frame open_path(const std::filesystem::path& path, const OpenSettings& settings = {}) {
  return open_input({"x", path, InputRef::Kind::cloud_file, {}, {}}, settings);
}

std::string refusal(const std::filesystem::path& path, const OpenSettings& settings = {}) {
  try {
    open_path(path, settings);
  } catch (const io::FormatError& error) {
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

io::Array floats(std::vector<std::int64_t> shape) {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>(i) + 0.5f);
  return io::make_array<float>(std::move(shape), values);
}

}  // namespace

TEST_CASE("stored clouds: npy of three or six columns, stacks by index") {
  const tests::ScratchFolder scratch;
  const auto npy = scratch.path() / "cloud.npy";
  io::write_npy(npy, floats({4, 3}));
  CHECK(open_path(npy).cloud->xyz ==
        std::vector<double>{.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5});
  CHECK(open_path(npy).files == std::vector<std::filesystem::path>{npy});
  io::write_npy(npy, floats({1, 2, 3}));
  CHECK(open_path(npy).cloud->points() == 2);
  io::write_npy(npy, io::make_array<double>({1, 6}, std::vector<double>{1, 2, 3, 255, 0, 7}));
  CHECK(open_path(npy).cloud->rgb == std::vector<std::uint8_t>{255, 0, 7});

  io::write_npy(npy, floats({2, 2, 3}));
  OpenSettings settings;
  CHECK(contains(refusal(npy), "stack of 2 clouds; choose one with --index"));
  settings.array_index = 1;
  CHECK(open_path(npy, settings).cloud->xyz == std::vector<double>{6.5, 7.5, 8.5, 9.5, 10.5, 11.5});
  settings.array_index = 2;
  CHECK(contains(refusal(npy, settings), "no cloud 2"));
  settings.array_index = -1;
  CHECK(contains(refusal(npy, settings), "no cloud -1"));

  io::write_npy(npy, floats({4, 4}));
  CHECK(contains(refusal(npy), "float32 (4, 4)"));
  io::write_npy(npy, floats({0, 3}));
  CHECK(open_path(npy).cloud->points() == 0);
  io::write_npy(npy, floats({0, 5, 3}));
  CHECK(contains(refusal(npy), "stack of 0 clouds"));
}

TEST_CASE("stored clouds: an archive's only cloud is found, of several one is named") {
  const tests::ScratchFolder scratch;
  const auto npz = scratch.path() / "scene.npz";
  io::write_npz(npz, {{"mean", floats({3})}, {"pose", floats({4, 4})}, {"points", floats({5, 3})}});
  CHECK(open_path(npz).cloud->points() == 5);
  io::write_npz(npz, {{"a", floats({5, 3})}, {"b", floats({2, 6, 3})}});
  OpenSettings settings;
  CHECK(contains(refusal(npz), "choose with --array: a, b"));
  settings.array_name = "b";
  CHECK(contains(refusal(npz, settings), "array 'b': is a stack"));
  settings.array_index = 0;
  CHECK(open_path(npz, settings).cloud->points() == 6);
  settings.array_name = "c";
  CHECK(contains(refusal(npz, settings), "'c'"));
  io::write_npz(npz, {{"mean", floats({3})}});
  CHECK(contains(refusal(npz), "it holds mean"));
}

TEST_CASE("stored clouds: an entry that cannot be loaded does not hide the cloud beside it") {
  const tests::ScratchFolder scratch;
  const auto npz = scratch.path() / "scene.npz";
  io::write_npz(npz, {{"arr_0", floats({2, 5, 3})}, {"arr_5", floats({1, 3})}});
  std::string bytes = tests::read_bytes(npz);
  const auto second = bytes.rfind("'<f4', ");  // as a pickled dict would stand there
  REQUIRE(second != std::string::npos);
  bytes.replace(second, 7, "'|O',  ");
  scratch.file("scene.npz", bytes);
  OpenSettings settings;
  settings.array_index = 0;
  CHECK(open_path(npz, settings).cloud->points() == 5);
  settings.array_name = "arr_0";
  CHECK(open_path(npz, settings).cloud->points() == 5);
  settings.array_name = "arr_5";
  CHECK(refusal(npz, settings) != "accepted");
}

TEST_CASE("stored clouds: content decides, the suffix only where content is silent") {
  const tests::ScratchFolder scratch;
  const auto wrong_name = scratch.path() / "really_npy.ply";
  io::write_npy(wrong_name, floats({4, 3}));
  CHECK(is_cloud_file(wrong_name));
  CHECK(open_path(wrong_name).cloud->points() == 4);
  const auto ply = scratch.path() / "mesh.dat";
  io::write_ply(ply, {{1, 2, 3}, {}, {}, {}});
  CHECK(is_cloud_file(ply));
  CHECK(open_path(ply).cloud->xyz == std::vector<double>{1, 2, 3});
  CHECK(is_cloud_file(scratch.file("numbers.txt", "# x y z\n0.1 0.2 0.3\n")));
  CHECK_FALSE(is_cloud_file(scratch.file("list.txt", "frame_1\n")));
  CHECK_FALSE(is_cloud_file(scratch.file("numbers.list", "0100\n0101\n")));

  CHECK(contains(refusal(scratch.file("e.xyz", "")), "an empty file"));
  CHECK(contains(refusal(scratch.file("e.ply", "")), "an empty file"));
  CHECK(contains(refusal(scratch.file("e.ply", "solid")), "does not start with 'ply'"));
  CHECK(contains(refusal(scratch.file("e.npy", "solid")), "e.npy"));
  CHECK(contains(refusal(scratch.file("e.npz", "solid")), "e.npz"));
  CHECK(contains(refusal(scratch.file("e.pcd", "solid")), "PCD"));
  CHECK(contains(refusal(scratch.file("e.xyz", "<html></html>")), "an HTML page"));
  CHECK(open_path(scratch.file("c.xyz", "# nothing yet\n")).cloud->points() == 0);
}
