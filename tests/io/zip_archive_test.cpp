#include "lib/io/zip_archive.h"

#include <zlib.h>

#include <string>

#include "lib/io/format_error.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/shared_bytes.h"

using namespace grasppanda::io;
using namespace grasppanda::tests;
using Catch::Matchers::Contains;

namespace {

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}
std::string deflated(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  ::deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

// An archive of one entry, every number of which can be wrong.
struct OneEntry {
  std::string name = "a", packed = "hello", local_extra, central_extra, comment;
  std::uint64_t size = 5, packed_size = 5, offset = 0, directory_shift = 0;
  std::uint32_t crc = 0x3610a686;
  unsigned method = 0, flags = 0, count = 1;

  std::string bytes() const {
    std::string file = std::string("PK\x03\x04") + number(20, 2) + number(flags, 2) +
                       number(method, 2) + number(0, 4) + number(crc, 4) + number(packed_size, 4) +
                       number(size, 4) + number(name.size(), 2) + number(local_extra.size(), 2) +
                       name + local_extra + packed;
    const std::uint64_t start = file.size();
    file += std::string("PK\x01\x02") + number(20, 2) + number(20, 2) + number(flags, 2) +
            number(method, 2) + number(0, 4) + number(crc, 4) + number(packed_size, 4) +
            number(size, 4) + number(name.size(), 2) + number(central_extra.size(), 2) +
            number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) + number(offset, 4) + name +
            central_extra;
    const std::uint64_t length = file.size() - start;
    return file + std::string("PK\x05\x06") + number(0, 4) + number(count, 2) + number(count, 2) +
           number(length, 4) + number(start + directory_shift, 4) + number(comment.size(), 2) +
           comment;
  }
  std::string read() const {
    try {
      const ZipArchive archive(shared_bytes(bytes()), "x");
      return std::string(archive.read(archive.entries().at(0)).text());
    } catch (const FormatError& error) {
      return error.what();
    }
  }
};

}  // namespace

TEST_CASE("zip: stored and deflated entries, comments, sizes in extra fields") {
  CHECK(OneEntry().read() == "hello");
  OneEntry packed;
  const std::string text(1000, 'a');
  packed.packed = deflated(text);
  packed.method = 8;
  packed.size = 1000;
  packed.packed_size = packed.packed.size();
  packed.crc = crc32_of(as_bytes(text));
  CHECK(packed.read() == text);
  OneEntry commented;
  commented.comment = "an archive with PK\x05\x06 in its comment";
  CHECK(commented.read() == "hello");
  OneEntry wide;  // sizes and offset beyond 32 bits stand in the zip64 field
  wide.size = wide.packed_size = wide.offset = 0xffffffff;
  wide.central_extra = number(1, 2) + number(24, 2) + number(5, 8) + number(5, 8) + number(0, 8);
  CHECK(wide.read() == "hello");
  OneEntry unsummed;  // PyTorch can leave the checksum out
  unsummed.crc = 0;
  CHECK(unsummed.read() == "hello");
}

TEST_CASE("zip: stored entries lie in place") {
  const std::string bytes = OneEntry().bytes();
  const SharedBytes file = shared_bytes(bytes);
  const ZipArchive archive(file, "x");
  const SharedBytes content = archive.read(*archive.find("a"));
  CHECK(content.data.get() > file.data.get());
  CHECK(content.data.get() < file.data.get() + file.size);
  CHECK(archive.find("b") == nullptr);
}

TEST_CASE("zip: what is wrong is refused") {
  const auto wrong = [](auto change) {
    OneEntry entry;
    change(entry);
    return entry.read();
  };
  CHECK_THAT(wrong([](auto& e) { e.crc = 1; }), Contains("checksum"));
  CHECK_THAT(wrong([](auto& e) { e.flags = 1; }), Contains("encrypted"));
  CHECK_THAT(wrong([](auto& e) { e.method = 12; }), Contains("method 12"));
  CHECK_THAT(wrong([](auto& e) { e.size = 6; }), Contains("two sizes"));
  CHECK_THAT(wrong([](auto& e) { e.size = e.packed_size = 6; }),
             Contains("reaches into what follows"));
  CHECK_THAT(wrong([](auto& e) { e.offset = 1; }), Contains("damaged"));
  CHECK_THAT(wrong([](auto& e) { e.offset = 0xfffffff0; }), Contains("reaches into what follows"));
  CHECK_THAT(wrong([](auto& e) { e.count = 3; }), Contains("shorter than its number of entries"));
  CHECK_THAT(wrong([](auto& e) { e.directory_shift = 4; }), Contains("outside of the file"));
  CHECK_THAT(wrong([](auto& e) { e.directory_shift = 0x7fffffff; }),
             Contains("outside of the file"));
  CHECK_THAT(wrong([](auto& e) {
               e.size = e.packed_size = 0xffffffff,
               e.central_extra = number(1, 2) + number(4, 2) + number(5, 4);
             }),
             Contains("zip64 field is too short"));
  CHECK_THAT(wrong([](auto& e) {
               e.size = e.packed_size = 0xffffffff,
               e.central_extra = number(1, 2) + number(16, 2) + std::string(16, '\xff');
             }),
             Contains("reaches into what follows"));
  CHECK_THAT(wrong([](auto& e) { e.method = 8, e.size = 100; }), Contains("is damaged"));
  CHECK_THAT(wrong([](auto& e) { e.method = 8, e.size = 0xfffffffe; }), Contains("claims to grow"));
}

TEST_CASE("zip: bombs are told by their numbers") {
  // A gigabyte of zeros in a megabyte: within what deflate can do, beyond what data do.
  OneEntry bomb;
  bomb.packed = std::string(1 << 20, 'x');
  bomb.method = 8;
  bomb.packed_size = bomb.packed.size();
  bomb.size = std::uint64_t{1} << 30;
  CHECK_THAT(bomb.read(), Contains("claims to grow from 1048576 to 1073741824"));
  // Two entries over the same data.
  const std::string first = OneEntry().bytes();
  const std::size_t start = first.find("PK\x01\x02"), end = first.find("PK\x05\x06");
  std::string central = first.substr(start, end - start), second = central;
  second[46] = 'b';
  const std::string file = first.substr(0, start) + central + second + "PK\x05\x06" + number(0, 4) +
                           number(2, 2) + number(2, 2) + number(2 * central.size(), 4) +
                           number(start, 4) + number(0, 2);
  CHECK_THROWS_WITH(ZipArchive(shared_bytes(file), "x"), Contains("reaches into what follows"));
}

TEST_CASE("zip: the writer's archives are read back, aligned, also with many entries") {
  ZipWriter writer;
  std::string file;
  const std::string content = "some content";
  for (int i = 0; i < 70000; ++i) {  // more than 65535 need the zip64 record
    std::string name(1, 'n');
    name += std::to_string(i);
    file += writer.entry(name, content.size(), crc32_of(as_bytes(content)));
    file += content;
  }
  file += writer.finish();
  const SharedBytes bytes = shared_bytes(file);
  const ZipArchive archive(bytes, "x");
  REQUIRE(archive.entries().size() == 70000);
  const SharedBytes last = archive.read(*archive.find("n69999"));
  CHECK(last.text() == content);
  CHECK((last.data.get() - bytes.data.get()) % 64 == 0);
}

TEST_CASE("zip: two entries of one name are refused") {
  ZipWriter writer;
  std::string file = writer.entry("a", 0, 0);
  file += writer.entry("a", 0, 0);
  file += writer.finish();
  CHECK_THROWS_WITH(ZipArchive(shared_bytes(file), "x"), Contains("two entries have the name 'a'"));
}
