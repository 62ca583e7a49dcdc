#include "lib/io/mat5.h"

#include <matio.h>

#include <array>
#include <cstring>
#include <random>
#include <string>

#include "lib/io/format_error.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using namespace grasppanda::io;
using tests::as_bytes;

namespace {

constexpr std::array<std::string_view, 3> kWanted{"intrinsic_matrix", "factor_depth", "poses"};

auto parse(const std::string& file) {
  return parse_mat5(as_bytes(file), "x.mat", kWanted);
}

std::string refusal(const std::string& file) {
  try {
    parse(file);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

// --- files by hand ---

std::string number32(std::uint32_t v, bool big) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(v >> (big ? 24 - 8 * i : 8 * i));
  return bytes;
}

std::string header(bool big = false) {
  std::string text(124, ' ');
  return text + (big ? std::string("\1\0MI", 4) : std::string("\0\1IM", 4));
}

std::string element(std::uint32_t type, const std::string& data, bool big = false) {
  std::string bytes = number32(type, big) + number32(static_cast<std::uint32_t>(data.size()), big);
  bytes += data;
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes;
}

/// Type, size and up to four bytes of data in eight.
std::string small_element(std::uint32_t type, const std::string& data, bool big = false) {
  std::string bytes = number32(static_cast<std::uint32_t>(data.size()) << 16 | type, big) + data;
  bytes.resize(8);
  return bytes;
}

std::string matrix(std::uint32_t array_class, std::uint32_t rows, std::uint32_t columns,
                   const std::string& name, const std::string& data_element, bool big = false) {
  const std::string body =
      element(6, number32(array_class, big) + number32(0, big), big) +
      element(5, number32(rows, big) + number32(columns, big), big) +
      (name.size() <= 4 ? small_element(1, name, big) : element(1, name, big)) + data_element;
  return element(14, body, big);
}

// --- files by libmatio ---

template <class T>
matvar_t* variable(const char* name, matio_classes array_class, matio_types type,
                   std::vector<std::size_t> shape, std::vector<T> values) {
  return Mat_VarCreate(name, array_class, type, static_cast<int>(shape.size()), shape.data(),
                       values.data(), 0);
}

template <class T>
void check_type(matio_classes array_class, matio_types type) {
  for (const matio_compression compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    INFO("class " << array_class << ", compression " << compression);
    const tests::ScratchFolder scratch;
    const auto path = scratch.path() / "x.mat";
    mat_t* mat = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
    REQUIRE(mat != nullptr);
    std::vector<T> values(2 * 3 * 4);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i + 1);
    matvar_t* unwanted = variable<T>("before", array_class, type, {2, 2}, values);
    matvar_t* poses = variable<T>("poses", array_class, type, {2, 3, 4}, values);
    Mat_VarWrite(mat, unwanted, compression);
    Mat_VarWrite(mat, poses, compression);
    Mat_VarFree(unwanted);
    Mat_VarFree(poses);
    Mat_Close(mat);

    const auto read = read_mat5(path, kWanted);
    REQUIRE(read.size() == 1);
    const Array& array = read.at("poses");
    CHECK(array.shape == std::vector<std::int64_t>{2, 3, 4});
    const auto got = array.as<double>();
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t k = 0; k < 4; ++k) {
          CHECK(got[(i * 3 + j) * 4 + k] == static_cast<double>(values[i + 2 * j + 6 * k]));
        }
      }
    }
  }
}

/// A meta.mat with text, a struct and a cell beside what is wanted.
std::string rich_file(matio_compression compression) {
  const tests::ScratchFolder scratch;
  const auto path = scratch.path() / "x.mat";
  mat_t* mat = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
  const auto write = [&](matvar_t* v) {
    Mat_VarWrite(mat, v, compression);
    Mat_VarFree(v);
  };
  std::string text = "hello";
  std::size_t text_shape[] = {1, text.size()};
  write(Mat_VarCreate("note", MAT_C_CHAR, MAT_T_UINT8, 2, text_shape, text.data(), 0));
  const char* fields[] = {"a", "b"};
  std::size_t one[] = {1, 1};
  write(Mat_VarCreateStruct("settings", 2, one, fields, 2));
  matvar_t* cells[] = {variable<double>(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, {1, 1}, {7})};
  write(Mat_VarCreate("cells", MAT_C_CELL, MAT_T_CELL, 2, one, cells, 0));
  write(variable<double>("intrinsic_matrix", MAT_C_DOUBLE, MAT_T_DOUBLE, {3, 3},
                         {600, 0, 0, 0, 601, 0, 320, 240, 1}));
  write(variable<double>("factor_depth", MAT_C_DOUBLE, MAT_T_DOUBLE, {1, 1}, {1000}));
  Mat_Close(mat);
  return tests::read_bytes(path);
}

}  // namespace

TEST_CASE("mat5: every numeric class, compressed or not, as libmatio writes it") {
  check_type<double>(MAT_C_DOUBLE, MAT_T_DOUBLE);
  check_type<float>(MAT_C_SINGLE, MAT_T_SINGLE);
  check_type<std::int8_t>(MAT_C_INT8, MAT_T_INT8);
  check_type<std::uint8_t>(MAT_C_UINT8, MAT_T_UINT8);
  check_type<std::int16_t>(MAT_C_INT16, MAT_T_INT16);
  check_type<std::uint16_t>(MAT_C_UINT16, MAT_T_UINT16);
  check_type<std::int32_t>(MAT_C_INT32, MAT_T_INT32);
  check_type<std::uint32_t>(MAT_C_UINT32, MAT_T_UINT32);
  check_type<std::int64_t>(MAT_C_INT64, MAT_T_INT64);
  check_type<std::uint64_t>(MAT_C_UINT64, MAT_T_UINT64);
}

TEST_CASE("mat5: text, structs and cells beside the wanted variables are passed over") {
  for (const matio_compression compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    const auto read = parse(rich_file(compression));
    REQUIRE(read.size() == 2);
    const auto k = read.at("intrinsic_matrix").as<double>();
    CHECK(std::vector<double>(k.begin(), k.end()) ==
          std::vector<double>{600, 0, 320, 0, 601, 240, 0, 0, 1});
    CHECK(read.at("factor_depth").as<double>()[0] == 1000);
  }
}

TEST_CASE("mat5: small elements, narrower storage and big-endian files, by hand") {
  for (const bool big : {false, true}) {
    const std::string thousand = big ? std::string("\x03\xe8", 2) : std::string("\xe8\x03", 2);
    const std::string file = header(big) +
                             matrix(6, 1, 1, "factor_depth", small_element(4, thousand, big), big) +
                             matrix(6, 2, 2, "poses", small_element(2, "\1\2\3\4", big), big) +
                             matrix(6, 1, 1, "abc", small_element(2, "\1", big), big);
    const auto read = parse(file);
    REQUIRE(read.size() == 2);
    CHECK(read.at("factor_depth").as<double>()[0] == 1000);
    const auto poses = read.at("poses").as<double>();
    CHECK(std::vector<double>(poses.begin(), poses.end()) == std::vector<double>{1, 3, 2, 4});
  }
}

TEST_CASE("mat5: the fixture") {
  const auto path = std::filesystem::path(GRASPPANDA_SOURCE_DIR) / "tests/data/frame/meta.mat";
  const auto read = read_mat5(path, kWanted);
  const auto k = read.at("intrinsic_matrix").as<double>();
  CHECK(k[0] == 240.0);
  CHECK(k[2] == 127.4);
  CHECK(k[5] == 96.4);
  CHECK(k[8] == 1.0);
}

TEST_CASE("mat5: a wanted variable that is no plain array is refused by name") {
  CHECK(contains(refusal(header() + matrix(4, 1, 2, "poses", element(16, "ab"))),
                 "'poses' is no numeric array (MATLAB class 4)"));
  CHECK(contains(refusal(header() + matrix(5, 1, 2, "poses", element(9, std::string(16, '\0')))),
                 "class 5"));
  CHECK(contains(
      refusal(header() + matrix(6 | 0x800, 1, 1, "poses", element(9, std::string(8, '\0')))),
      "is complex"));
  CHECK(contains(refusal(header() + matrix(6, 3, 3, "poses", element(9, std::string(64, '\0')))),
                 "(3, 3) holds 64 bytes"));
  CHECK(contains(refusal(header() + matrix(6, 0xffffffff, 3, "poses", element(9, ""))),
                 "impossible dimensions"));
  CHECK(contains(refusal(header() + matrix(6, 0x7fffffff, 0x7fffffff, "poses", element(9, ""))),
                 "impossible dimensions"));
  CHECK(contains(refusal(header() + matrix(6, 1, 1, "poses", element(99, "12345678"))), "damaged"));
}

TEST_CASE("mat5: an empty array is one") {
  const auto read = parse(header() + matrix(6, 0, 3, "poses", element(9, "")));
  CHECK(read.at("poses").shape == std::vector<std::int64_t>{0, 3});
}

TEST_CASE("mat5: other files are called what they are") {
  CHECK(contains(refusal(""), "is an empty file"));
  CHECK(contains(refusal("<html></html>"), "is an HTML page"));
  CHECK(contains(refusal("\x89HDF\r\n\x1a\n"), "save it with '-v7'"));
  CHECK(contains(refusal(std::string(200, 'x')), "is no MAT 5 file"));
  CHECK(contains(refusal("MATLAB 5.0 MAT-file, cut off"), "is no MAT 5 file"));
}

TEST_CASE("mat5: cuts are errors, but between variables") {
  for (const matio_compression compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    const std::string file = rich_file(compression);
    std::size_t accepted = 0;
    for (std::size_t n = 0; n < file.size(); ++n) {
      accepted += refusal(file.substr(0, n)) == "accepted" ? 1 : 0;
    }
    // Where a variable ends, the file might end: after the header and after four of five variables.
    // The unpadded end of the last one, too.
    CHECK(accepted >= 5);
    CHECK(accepted <= 5 + 7);
  }
}

TEST_CASE("mat5: wrong bytes are an error or other numbers, never worse") {
  int refused = 0;
  for (const matio_compression compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    const std::string file = rich_file(compression).substr(124);
    const std::string start(124, ' ');
    for (std::uint32_t seed = 0; seed < 2000; ++seed) {
      INFO("seed " << seed);
      try {
        for (const auto& [name, array] : parse(start + tests::with_wrong_bytes(file, seed))) {
          CHECK(array.numel() >= 0);
        }
      } catch (const FormatError&) {
        ++refused;
      }
    }
  }
  CHECK(refused > 500);
}

TEST_CASE("mat5: the recorded frame's meta") {
  GP_NEED_DATA(meta, "data/frames/graspnet_example/meta.mat");
  constexpr std::array<std::string_view, 4> kAll{"intrinsic_matrix", "factor_depth", "cls_indexes",
                                                 "poses"};
  const auto read = read_mat5(meta, kAll);
  REQUIRE(read.size() == 4);
  CHECK(read.at("intrinsic_matrix").shape == std::vector<std::int64_t>{3, 3});
  CHECK(read.at("intrinsic_matrix").as<double>()[0] == Approx(631.54864502).epsilon(1e-11));
  CHECK(read.at("factor_depth").as<double>()[0] == 1000);
  CHECK(read.at("cls_indexes").shape[0] == 1);
  const std::int64_t objects = read.at("cls_indexes").shape[1];
  CHECK(read.at("poses").shape == std::vector<std::int64_t>{3, 4, objects});
  for (const double index : read.at("cls_indexes").as<double>()) CHECK((index >= 1 && index <= 88));
}
