#include "lib/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "lib/io/format_error.h"
#include "lib/io/sha256.h"
#include "tests/catch.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda::io;
namespace fs = std::filesystem;

namespace {

/// A scratch folder that counts what lies in it.
struct TemporaryFolder {
  grasppanda::tests::ScratchFolder scratch;
  fs::path path = scratch.path();
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), {}));
  }
};

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("atomic file: the name that is written aside is known again") {
  const grasppanda::tests::ScratchFolder scratch;
  const AtomicFile file(scratch.path() / "a b.npy");
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path())) {
    CHECK(is_name_aside(entry.path().filename().string()));
    ++seen;
  }
  CHECK(seen == 1);
  for (const char* name : {"a.npy", ".part", ".1-2.part", "a.1-2.part", ".a.npy.1-.part",
                           ".a.npy.-2.part", ".a.npy.12.part", ".a.npy.1-2.part2", ".hidden"}) {
    INFO(name);
    CHECK_FALSE(is_name_aside(name));
  }
}

TEST_CASE("a file has its name only when it is whole") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "out.txt";
  {
    AtomicFile file(path);
    file.write("half");
    CHECK_FALSE(fs::exists(path));
    CHECK(folder.files() == 1);
    file.write(" and half");
    file.commit();
  }
  CHECK(content(path) == "half and half");
  CHECK(folder.files() == 1);
}

TEST_CASE("what is not committed leaves the old file and nothing else") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "out.txt";
  write_file_atomically(path, "old");
  {
    AtomicFile file(path);
    file.write("new");
  }
  CHECK(content(path) == "old");
  CHECK(folder.files() == 1);
  write_file_atomically(path, "new");
  CHECK(content(path) == "new");
}

TEST_CASE("a link stays a link, a pipe is written to, a folder is refused") {
  const TemporaryFolder folder;
  const fs::path real = folder.path / "real", link = folder.path / "link";
  write_file_atomically(real, "old");
  fs::create_symlink("real", link);
  write_file_atomically(link, "new");
  CHECK(fs::is_symlink(link));
  CHECK(content(real) == "new");
  const fs::path pipe = folder.path / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reading_end = ::open(pipe.c_str(), O_RDWR);
  write_file_atomically(pipe, "x");
  char byte = 0;
  CHECK(::read(reading_end, &byte, 1) == 1);
  CHECK(byte == 'x');
  CHECK(fs::is_fifo(pipe));
  ::close(reading_end);
  CHECK_THROWS_AS(write_file_atomically(folder.path, "x"), FormatError);
  CHECK_THROWS_AS(write_file_atomically(folder.path / "none" / "x", "x"), FormatError);
}

TEST_CASE("SHA-256 of FIPS 180-2's examples") {
  const std::string abc = "abc";
  CHECK(sha256_hex(std::as_bytes(std::span(abc))) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const TemporaryFolder folder;
  write_file_atomically(folder.path / "a", std::string(1000000, 'a'));
  CHECK(sha256_file_hex(folder.path / "a") ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  write_file_atomically(folder.path / "b", std::string((1 << 21) + 1, 'a'));
  const std::string many((1 << 21) + 1, 'a');
  CHECK(sha256_file_hex(folder.path / "b") == sha256_hex(std::as_bytes(std::span(many))));
  CHECK_THROWS_AS(sha256_file_hex(folder.path / "none"), FormatError);
  CHECK_THROWS_AS(sha256_file_hex(folder.path), FormatError);
}
