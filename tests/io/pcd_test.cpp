#include "lib/io/pcd.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "lib/io/format_error.h"
#include "lib/io/lzf.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"

using namespace grasppanda;
using namespace grasppanda::io;
using tests::as_bytes;

namespace {

PointCloud parse(const std::string& file) {
  return parse_pcd(as_bytes(file), "x.pcd");
}

std::string refusal(const std::string& file) {
  try {
    parse(file);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

template <class T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

std::string header(const std::string& data, const std::string& points = "2") {
  return "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z rgb extra\n"
         "SIZE 4 8 4 4 2\nTYPE F F F U I\nCOUNT 1 1 1 1 2\nWIDTH " +
         points + "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " + points + "\nDATA " + data + "\n";
}

std::string ascii() {
  return header("ascii") + "0.5 -1 2 16711935 3 4\n1 2 nan 66051 5 6\n";
}

std::string binary() {
  std::string data;
  for (const int i : {0, 1}) {
    data += bytes_of(0.5f + static_cast<float>(i)) + bytes_of(-1.0) + bytes_of(2.0f) +
            bytes_of<std::uint32_t>(0x010203) + bytes_of<std::int32_t>(-1);
  }
  return header("binary") + data;
}

/// Literals only, and two copies at the end to have some: 12345 12345 as runs.
std::string packed_literals(const std::string& data) {
  std::string out;
  for (std::size_t i = 0; i < data.size(); i += 32) {
    const std::string run = data.substr(i, 32);
    out += static_cast<char>(run.size() - 1) + run;
  }
  return out;
}

std::string compressed() {
  std::string columns = bytes_of(0.5f) + bytes_of(1.5f);
  columns += bytes_of(-1.0) + bytes_of(-1.0) + bytes_of(2.0f) + bytes_of(2.0f);
  columns += bytes_of<std::uint32_t>(0x010203) + bytes_of<std::uint32_t>(0x0a0b0c);
  columns += bytes_of<std::int32_t>(-1) + bytes_of<std::int32_t>(-1);
  const std::string packed = packed_literals(columns);
  return header("binary_compressed") + bytes_of(static_cast<std::uint32_t>(packed.size())) +
         bytes_of(static_cast<std::uint32_t>(columns.size())) + packed;
}

std::string unpack(const std::string& packed, std::size_t size) {
  std::string out(size, '?');
  return unpack_lzf(as_bytes(packed), std::as_writable_bytes(std::span(out))) ? out : "damaged";
}

/// A packer of the test's own: greedy, any earlier copy of three bytes or more within 8 KiB.
std::string pack(const std::string& data) {
  std::string out, literals;
  const auto flush = [&] {
    out += packed_literals(literals);
    literals.clear();
  };
  for (std::size_t at = 0; at < data.size();) {
    std::size_t best = 0, distance = 0;
    for (std::size_t d = 1; d <= std::min<std::size_t>(at, 8192); ++d) {
      std::size_t n = 0;
      while (n < 264 && at + n < data.size() && data[at + n] == data[at + n - d]) ++n;
      if (n > best) best = n, distance = d;
    }
    if (best < 3) {
      literals += data[at++];
      continue;
    }
    flush();
    const std::size_t length = best - 2, back = distance - 1;
    if (length < 7) {
      out += static_cast<char>(length << 5 | back >> 8);
    } else {
      out += static_cast<char>(7 << 5 | back >> 8);
      out += static_cast<char>(length - 7);
    }
    out += static_cast<char>(back);
    at += best;
  }
  flush();
  return out;
}

}  // namespace

TEST_CASE("lzf: literals, copies, overlapping copies, long copies") {
  CHECK(unpack(std::string("\2abc", 4), 3) == "abc");
  CHECK(unpack(std::string("\2abc\x20\2", 6), 6) == "abcabc");               // length 3, distance 3
  CHECK(unpack(std::string("\0a\x20\0", 4), 4) == "aaaa");                   // overlapping
  CHECK(unpack(std::string("\0a\xe0\3\0", 5), 13) == std::string(13, 'a'));  // length 9 + 3
  std::mt19937 random(5);
  for (int letters : {1, 2, 4, 200}) {
    std::string data(3000, ' ');
    for (char& c : data) c = static_cast<char>(random() % static_cast<unsigned>(letters));
    CHECK(unpack(pack(data), data.size()) == data);
  }
}

TEST_CASE("lzf: damage is told, not followed") {
  CHECK(unpack(std::string("\2ab", 3), 3) == "damaged");     // literals cut off
  CHECK(unpack(std::string("\0a\x20", 3), 4) == "damaged");  // copy cut off
  CHECK(unpack(std::string("\0a\xe0\3", 4), 13) == "damaged");
  CHECK(unpack(std::string("\0a\x20\1", 4), 4) == "damaged");  // reaches before the start
  CHECK(unpack(std::string("\2abc", 4), 2) == "damaged");      // too long
  CHECK(unpack(std::string("\2abc", 4), 4) == "damaged");      // too short
  CHECK(unpack("", 0) == "");
}

TEST_CASE("pcd: ascii") {
  const PointCloud cloud = parse(ascii());
  REQUIRE(cloud.points() == 2);
  CHECK(cloud.xyz[0] == 0.5);
  CHECK(cloud.xyz[1] == -1);
  CHECK(std::isnan(cloud.xyz[5]));
  CHECK(cloud.rgb == std::vector<std::uint8_t>{255, 0, 255, 1, 2, 3});
}

TEST_CASE("pcd: binary and binary_compressed") {
  PointCloud cloud = parse(binary());
  CHECK(cloud.xyz == std::vector<double>{0.5, -1, 2, 1.5, -1, 2});
  CHECK(cloud.rgb == std::vector<std::uint8_t>{1, 2, 3, 1, 2, 3});
  cloud = parse(compressed());
  CHECK(cloud.xyz == std::vector<double>{0.5, -1, 2, 1.5, -1, 2});
  CHECK(cloud.rgb == std::vector<std::uint8_t>{1, 2, 3, 10, 11, 12});
}

TEST_CASE("pcd: a colour whose bits stand in a float") {
  const float packed = std::bit_cast<float>(std::uint32_t{0x00ff8001});
  char text[64];
  std::snprintf(text, sizeof(text), "1 2 3 %.9g\n", static_cast<double>(packed));
  const std::string file =
      "FIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 1\nHEIGHT 1\nDATA "
      "ascii\n";
  CHECK(parse(file + text).rgb == std::vector<std::uint8_t>{255, 128, 1});
}

TEST_CASE("pcd: errors name the line or the figures") {
  const auto with = [](std::string file, const std::string& from, const std::string& to) {
    file.replace(file.find(from), from.size(), to);
    return refusal(file);
  };
  CHECK(with(ascii(), "1 2 nan", "1 two nan") ==
        "x.pcd:13: PCD: field 'y' wants a number, got 'two'");
  CHECK(with(ascii(), "FIELDS x y z", "FIELDS x y w") ==
        "x.pcd: PCD: there is no field 'z'; wanted x, y and z");
  CHECK(with(ascii(), "SIZE 4 8 4 4 2", "SIZE 4 8 4 4") ==
        "x.pcd:4: PCD: SIZE has fewer entries than FIELDS");
  CHECK(with(ascii(), "SIZE 4 8", "SIZE 4 7") == "x.pcd:4: PCD: SIZE wants 1, 2, 4 or 8, got '7'");
  CHECK(with(ascii(), "TYPE F F F U I", "TYPE F F F U F").find("TYPE F of SIZE 2") !=
        std::string::npos);
  CHECK(with(ascii(), "WIDTH 2", "WIDTH 3").find("POINTS is 2, WIDTH times HEIGHT is 3") !=
        std::string::npos);
  CHECK(with(ascii(), "HEIGHT 1", "HEIGHT many") ==
        "x.pcd:8: PCD: wants a whole number, got 'many'");
  CHECK(with(ascii(), "DATA ascii", "DATA zip").find("wanted ascii, binary or") !=
        std::string::npos);
  CHECK(refusal(header("ascii", "18446744073709551615") + "1 2 3").find("cut off") !=
        std::string::npos);
  CHECK(refusal(header("binary", "99999999999999999") + "1 2 3").find("cut off") !=
        std::string::npos);
  CHECK(refusal("<html>") == "x.pcd: is an HTML page; wanted a PCD file");
  CHECK(refusal("nothing of the kind").find("x.pcd:1: PCD: unknown keyword") == 0);
}

TEST_CASE("pcd: every cut is an error") {
  for (const std::string& file : {ascii(), binary(), compressed()}) {
    const std::size_t whole = file == ascii() ? file.size() - 2 : file.size();
    for (std::size_t n = 0; n < whole; ++n) {
      INFO("first " << n << " of " << file.size() << " bytes");
      CHECK(refusal(file.substr(0, n)) != "accepted");
    }
  }
}

TEST_CASE("pcd: wrong bytes are an error or another cloud, never worse") {
  int refused = 0;
  for (const std::string& file : {ascii(), binary(), compressed()}) {
    for (std::uint32_t seed = 0; seed < 1000; ++seed) {
      INFO("seed " << seed);
      try {
        const PointCloud cloud = parse(tests::with_wrong_bytes(file, seed));
        CHECK((cloud.rgb.empty() || cloud.rgb.size() == cloud.xyz.size()));
      } catch (const FormatError&) {
        ++refused;
      }
    }
  }
  CHECK(refused > 500);
}
