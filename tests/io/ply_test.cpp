#include "lib/io/ply.h"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "lib/io/format_error.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using namespace grasppanda::io;
using tests::as_bytes;

namespace {

PointCloud parse(const std::string& file) {
  return parse_ply(as_bytes(file), "x.ply");
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
std::string bytes_of(T value, bool big) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return big ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

constexpr const char* kAscii =
    "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nelement vertex 2\r\nproperty float x\r\n"
    "property double y\r\nproperty float z\r\nproperty uchar red\r\nproperty uchar green\r\n"
    "property uchar blue\r\nelement face 1\r\nproperty list uchar int vertex_indices\r\n"
    "end_header\r\n0.5 -1 2e-1 255 0 7\r\n\r\n1 2 nan 1 2 3\r\n3 0 1 0\r\n";

/// Vertices between two other elements, a list among their properties.
std::string binary(bool big) {
  std::string file = "ply\nformat ";
  file += big ? "binary_big_endian" : "binary_little_endian";
  file +=
      " 1.0\nobj_info x\nelement strip 2\nproperty list uint short a\nproperty char b\n"
      "element vertex 2\nproperty short label\nproperty list uchar float weights\n"
      "property double x\nproperty float y\nproperty int z\nproperty float red\n"
      "property float green\nproperty float blue\nelement rest 1\nproperty double q\n"
      "end_header\n";
  file += bytes_of<std::uint32_t>(2, big) + bytes_of<std::int16_t>(1, big) +
          bytes_of<std::int16_t>(2, big) + "b";
  file += bytes_of<std::uint32_t>(0, big) + "b";
  for (const int i : {0, 1}) {
    file += bytes_of<std::int16_t>(-5, big);
    file += static_cast<char>(i);
    if (i == 1) file += bytes_of<float>(9, big);
    file += bytes_of<double>(0.1 + i, big) + bytes_of<float>(-2.5f, big) +
            bytes_of<std::int32_t>(7 - i, big);
    file += bytes_of<float>(1, big) + bytes_of<float>(0.5f, big) + bytes_of<float>(-3, big);
  }
  return file + bytes_of<double>(0, big);
}

}  // namespace

TEST_CASE("ply: ascii, with blank lines and CR LF") {
  const PointCloud cloud = parse(kAscii);
  REQUIRE(cloud.points() == 2);
  CHECK(cloud.xyz[0] == 0.5);
  CHECK(cloud.xyz[2] == 0.2);
  CHECK(std::isnan(cloud.xyz[5]));
  CHECK(cloud.rgb == std::vector<std::uint8_t>{255, 0, 7, 1, 2, 3});
}

TEST_CASE("ply: binary of either byte order, lists and other elements skipped") {
  for (const bool big : {false, true}) {
    const PointCloud cloud = parse(binary(big));
    CHECK(cloud.xyz == std::vector<double>{0.1, -2.5, 7, 1.1, -2.5, 6});
    CHECK(cloud.rgb == std::vector<std::uint8_t>{255, 128, 0, 255, 128, 0});
  }
}

TEST_CASE("ply: what is written is read back") {
  const PlyMesh mesh{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {0, 1, 2}, {0, 2}};
  const tests::ScratchFolder scratch;
  write_ply(scratch.path() / "x.ply", mesh);
  const PointCloud cloud = read_ply(scratch.path() / "x.ply");
  CHECK(cloud.xyz == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(cloud.rgb == mesh.rgb);
  CHECK(parse(ply_bytes({{1, 2, 3}, {}, {}, {}})).rgb.empty());
  CHECK(parse(ply_bytes({})).points() == 0);
  CHECK_THROWS_AS(ply_bytes({{1, 2, 3}, {}, {0, 0, 1}, {}}), std::invalid_argument);
  CHECK_THROWS_AS(ply_bytes({{1, 2, 3}, {}, {}, {0, -1}}), std::invalid_argument);
  CHECK_THROWS_AS(ply_bytes({{1, 2, 3}, {1, 2}, {}, {}}), std::invalid_argument);
}

TEST_CASE("ply: errors name the line or the element") {
  const std::string ascii = kAscii;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string file = ascii;
    file.replace(file.find(from), from.size(), to);
    return refusal(file);
  };
  CHECK(with("1 2 nan", "1 two nan") == "x.ply:16: PLY: property 'y' wants a number, got 'two'");
  CHECK(with("1 2 nan 1 2 3", "1 2 nan") ==
        "x.ply:16: PLY: property 'red' wants a number, got the end of the line");
  CHECK(with("format ascii 1.0", "format text 1.0") ==
        "x.ply:2: PLY: format 'text'; wanted ascii, binary_little_endian or binary_big_endian");
  CHECK(with("property float x", "property real x") == "x.ply:5: PLY: unknown type 'real'");
  CHECK(with("property float x", "property float u") ==
        "x.ply: PLY: the vertices have no property 'x'; wanted x, y and z");
  CHECK(with("element vertex 2", "element vertex -2") ==
        "x.ply:4: PLY: an element line wants a name and a count, got count '-2'");
  CHECK(with("element vertex", "element point") ==
        "x.ply: PLY without an element 'vertex'; it holds no cloud");
  CHECK(with("element vertex 2", "element vertex 9").find("the file is cut off") !=
        std::string::npos);
  CHECK(with("element vertex 2", "element vertex 18446744073709551615")
            .find("promises 18446744073709551615 vertices") != std::string::npos);
  CHECK(refusal("solid cube") == "x.ply:1: PLY: does not start with 'ply'");
  CHECK(refusal("<html>") == "x.ply: is an HTML page; wanted a PLY file");
  CHECK(refusal("ply\nend_header\n") == "x.ply:2: PLY: the header has no 'format' line");
  const std::string cut = binary(false);
  CHECK(refusal(cut.substr(0, cut.size() - 9)).find("'vertex' record 2 of 2") != std::string::npos);
}

TEST_CASE("ply: counts that no file can hold end at once") {
  const std::string start = "ply\nformat binary_little_endian 1.0\n";
  const std::string vertex =
      "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string huge = "element other 18446744073709551615\n";
  const std::string point(12, '\0');
  CHECK(refusal(start + huge + "property int a\n" + vertex + "end_header\n" + point) != "accepted");
  CHECK(refusal(start + huge + "property list uchar int a\n" + vertex + "end_header\n" + point) !=
        "accepted");
  CHECK(refusal(start + huge + vertex + "end_header\n" + point) == "accepted");  // takes no bytes
  CHECK(refusal(start + "element a 1\nproperty list uint double b\n" + vertex + "end_header\n" +
                std::string(4, '\xff') + point) != "accepted");
}

TEST_CASE("ply: every cut is an error") {
  const std::string files[] = {kAscii, binary(false), binary(true),
                               ply_bytes({std::vector<float>(300, 1), {}, {}, {}})};
  for (const std::string& file : files) {
    const std::size_t whole = file == files[0] ? file.size() - 12 : file.size();
    for (std::size_t n = 0; n < whole; ++n) {
      if (file == files[0] && n > file.size() - 16) break;  // a shorter last number is a number
      INFO("first " << n << " of " << file.size() << " bytes");
      CHECK(refusal(file.substr(0, n)) != "accepted");
    }
  }
}

TEST_CASE("ply: wrong bytes are an error or another cloud, never worse") {
  int refused = 0;
  for (const std::string& file : {std::string(kAscii), binary(false), binary(true)}) {
    for (std::uint32_t seed = 0; seed < 1000; ++seed) {
      INFO("seed " << seed);
      try {
        const PointCloud cloud = parse(tests::with_wrong_bytes(file, seed));
        CHECK(cloud.xyz.size() == static_cast<std::size_t>(3 * cloud.points()));
        CHECK((cloud.rgb.empty() || cloud.rgb.size() == cloud.xyz.size()));
      } catch (const FormatError&) {
        ++refused;
      }
    }
  }
  CHECK(refused > 500);
}
