#include "lib/io/npz.h"

#include <zlib.h>

#include <fstream>
#include <string>
#include <vector>

#include "lib/io/atomic_file.h"
#include "lib/io/format_error.h"
#include "lib/io/npy.h"
#include "tests/catch.h"
#include "tests/support/shared_bytes.h"

using namespace grasppanda::io;
using Catch::Matchers::Contains;

namespace {

struct TemporaryFile {
  std::filesystem::path path;
  explicit TemporaryFile(const std::string& name)
      : path(std::filesystem::temp_directory_path() / ("grasppanda_npz_test_" + name)) {}
  ~TemporaryFile() { std::filesystem::remove(path); }
  std::string bytes() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

std::vector<std::pair<std::string, Array>> some_arrays() {
  return {{"cloud", make_array<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6})},
          {"a/slashed name", make_array<std::int64_t>({}, std::vector<std::int64_t>{-9})},
          {"empty", make_array<float>({0, 17}, std::vector<float>{})}};
}

}  // namespace

TEST_CASE("npz: what is written is read back, in order, in place") {
  const TemporaryFile file("round_trip");
  write_npz(file.path, some_arrays());
  const NpzReader reader(file.path);
  CHECK(reader.names() == std::vector<std::string>{"cloud", "a/slashed name", "empty"});
  CHECK(reader.contains("cloud"));
  CHECK_FALSE(reader.contains("cloud.npy"));
  const Array cloud = reader.read("cloud");
  CHECK(describe(cloud) == "float32 (2, 3)");
  CHECK(cloud.as<float>()[5] == 6);
  CHECK(reinterpret_cast<std::uintptr_t>(cloud.data.get()) % 64 == 0);
  CHECK(reader.read("a/slashed name").as<std::int64_t>()[0] == -9);
  CHECK(describe(reader.read("empty")) == "float32 (0, 17)");
  CHECK_THROWS_WITH(reader.read("clod"), Contains("holds no array 'clod'") && Contains("'cloud'"));
}

TEST_CASE("npz: an array outlives reader and file") {
  Array cloud;
  {
    const TemporaryFile file("outlives");
    write_npz(file.path, some_arrays());
    cloud = NpzReader(file.path).read("cloud");
  }
  CHECK(cloud.as<float>()[0] == 1);
}

TEST_CASE("npz: equal arrays give equal bytes; equal names are refused") {
  const TemporaryFile first("first"), second("second");
  write_npz(first.path, some_arrays());
  write_npz(second.path, some_arrays());
  CHECK(first.bytes() == second.bytes());
  auto arrays = some_arrays();
  arrays.push_back(arrays.front());
  CHECK_THROWS_AS(write_npz(first.path, arrays), std::invalid_argument);
}

TEST_CASE("npz: an archive without arrays") {
  const TemporaryFile file("none");
  write_npz(file.path, {});
  CHECK(NpzReader(file.path).names().empty());
}

TEST_CASE("npz: other files are called what they are") {
  const TemporaryFile file("other");
  const auto refusal = [&](const std::string& bytes) {
    write_file_atomically(file.path, bytes);
    try {
      NpzReader reader(file.path);
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK_THAT(refusal(""), Contains("an empty file"));
  CHECK_THAT(refusal("<!DOCTYPE html><html>"), Contains("an HTML page"));
  CHECK_THAT(refusal(npy_bytes(some_arrays()[0].second)), Contains("a NumPy array"));
  CHECK_THAT(refusal("PK\3\4"), Contains("cut off"));
}

TEST_CASE("npz: every cut and every damaged byte is refused or harmless") {
  const TemporaryFile file("damaged");
  write_npz(file.path, some_arrays());
  const std::string whole = file.bytes();
  int refused = 0;
  const auto try_bytes = [&](const std::string& bytes) {
    try {
      const NpzReader reader(grasppanda::tests::shared_bytes(bytes), "x.npz");
      for (const std::string& name : reader.names()) reader.read(name);
    } catch (const FormatError&) {
      ++refused;
    }
  };
  for (std::size_t length = 0; length < whole.size(); length += 7)
    try_bytes(whole.substr(0, length));
  CHECK(refused == static_cast<int>((whole.size() + 6) / 7));
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    try_bytes(damaged);
  }
}

TEST_CASE("npz: goldens of NumPy are read and written back entry for entry") {
  GP_NEED_DATA(path, "goldens/ops/clouds.npz");
  const NpzReader reader(path);
  REQUIRE(reader.names().size() > 100);
  std::size_t nonempty = 0;
  for (const std::string& name : reader.names()) {
    const Array array = reader.read(name);
    nonempty += array.numel() > 0;
    const SharedBytes entry = reader.read_entry(name);
    REQUIRE(npy_bytes(array) == entry.text());
  }
  CHECK(nonempty > 100);
}
