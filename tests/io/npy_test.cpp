#include "lib/io/npy.h"

#include <string>
#include <vector>

#include "lib/io/format_error.h"
#include "tests/catch.h"

using namespace grasppanda::io;

namespace {

// A .npy of version 1 to 3 from its header text and data, as other writers make them.
std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  return bytes + header + data;
}
std::string head(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}
Array parse(const std::string& bytes) {
  return parse_npy(std::as_bytes(std::span(bytes)), "x.npy");
}
std::string refusal(const std::string& bytes) {
  try {
    parse(bytes);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}
std::string text_of(const Array& array) {
  return {reinterpret_cast<const char*>(array.data.get()), array.byte_size()};
}
using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("npy: the bytes are those of numpy.save") {
  // numpy.save of arange(3, dtype=float32), NumPy 1.26 and 2.x.
  const Array array = make_array<float>({3}, std::vector<float>{0, 1, 2});
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  expected.append(128 - expected.size() - 1, ' ');
  expected += '\n';
  expected += std::string("\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40", 12);
  CHECK(npy_bytes(array) == expected);
  CHECK(npy_header(make_array<std::int64_t>({}, std::vector<std::int64_t>{7})).size() == 128);
}

TEST_CASE("npy: what is written is read back") {
  const auto same = [](const Array& array) {
    const Array back = parse(npy_bytes(array));
    CHECK(describe(back) == describe(array));
    CHECK(text_of(back) == text_of(array));
  };
  same(make_array<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}));
  same(make_array<double>({}, std::vector<double>{0.1}));
  same(make_array<float>({0, 17}, std::vector<float>{}));
  same(make_array<std::uint8_t>({4}, std::vector<std::uint8_t>{0, 1, 254, 255}));
  same(make_array<std::int16_t>({1, 1, 2}, std::vector<std::int16_t>{-1, 300}));
  same(make_array<std::uint64_t>({1}, std::vector<std::uint64_t>{~0ull}));
  const std::uint8_t truths[] = {1, 0};
  same(make_array(DType::boolean, {2}, std::as_bytes(std::span(truths))));
  CHECK_THROWS_AS(npy_bytes(make_array(DType::bfloat16, {1}, std::as_bytes(std::span(truths)))),
                  std::invalid_argument);
}

TEST_CASE("npy: versions, byte orders, memory orders, single texts") {
  for (int version = 1; version <= 3; ++version) {
    CHECK(parse(npy(head("<i2", "(2,)"), std::string("\x01\x00\x02\x00", 4), version))
              .as<std::int16_t>()[1] == 2);
  }
  const Array big = parse(npy(head(">u4", "(2,)"), std::string("\0\0\0\1\1\0\0\0", 8)));
  CHECK(big.as<std::uint32_t>()[0] == 1);
  CHECK(big.as<std::uint32_t>()[1] == 0x01000000);
  const Array turned = parse(npy(head("|u1", "(2, 3)", true), std::string("\1\4\2\5\3\6", 6)));
  CHECK(text_of(turned) == "\1\2\3\4\5\6");
  const Array both = parse(npy(head(">u2", "(2, 2)", true), std::string("\0\1\0\3\0\2\0\4", 8)));
  CHECK(to_int64(both) == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(parse(npy(head("<f2", "()"), std::string("\x00\x3c", 2))).dtype == DType::float16);
  CHECK(parse(npy(head("|b1", "()"), std::string("\1", 1))).dtype == DType::boolean);
  CHECK(parse(npy(head("?", "()"), std::string("\1", 1))).dtype == DType::boolean);
  // Python 2 wrote long integers with a suffix; other writers use double quotes.
  CHECK(parse(npy("{\"descr\": \"<u1\", \"fortran_order\": False, \"shape\": (2L,)}", "ab"))
            .numel() == 2);

  const Array exact = parse(npy(head("|S8", "()"), std::string("exact\0\0\0", 8)));
  CHECK(exact.is_text);
  CHECK(text_of(exact) == "exact");
  CHECK(exact.shape == std::vector<std::int64_t>{5});
  const std::string wide("u\0\0\0\xfc\0\0\0\xac\x20\0\0\0\xf6\x01\0", 16);
  CHECK(text_of(parse(npy(head("<U4", "()"), wide))) == "u\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(text_of(parse(npy(head(">U1", "()"), std::string("\0\0\0x", 4)))) == "x");
  CHECK(text_of(parse(npy(head("<U0", "()"), ""))).empty());
}

TEST_CASE("npy: bytes behind the array are left alone") {
  CHECK(parse(npy(head("|u1", "(2,)"), "abcdef")).numel() == 2);
}

TEST_CASE("npy: refusals say what it is") {
  CHECK_THAT(refusal(""), Contains("x.npy: is empty"));
  CHECK_THAT(refusal("PK\3\4 something else"), Contains("no .npy array"));
  CHECK_THAT(refusal("\x93NUMPY\1"), Contains("cut off"));
  CHECK_THAT(refusal(npy(head("<f4", "(2,)"), "1234567")),
             Contains("cut off") && Contains("8 bytes"));
  CHECK_THAT(refusal(npy(head("<f4", "(2,)"), "", 4)), Contains("version 4"));
  CHECK_THAT(refusal(npy(head("|O", "(2,)"), "12345678")), Contains("pickled"));
  CHECK_THAT(refusal(npy(head("<c16", "(1,)"), std::string(16, 'x'))), Contains("'<c16'"));
  CHECK_THAT(refusal(npy(head("<M8[ns]", "(1,)"), std::string(8, 'x'))), Contains("'<M8[ns]'"));
  CHECK_THAT(refusal(npy(head("<U3", "(2,)"), std::string(24, 'x'))), Contains("texts"));
  CHECK_THAT(refusal(npy(head("<U1", "()"), "\xff\xff\xff\xff")), Contains("no character"));
  CHECK_THAT(
      refusal(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234")),
      Contains("records"));
  CHECK_THAT(refusal(npy(head("<f4", "(4611686018427387904, 4)"), "1234")), Contains("impossible"));
  CHECK_THAT(refusal(npy(head("<f4", "(4611686018427387904, 4, 0)"), "1234")),
             Contains("impossible"));
  CHECK_THAT(refusal(npy(head("<f4", "(-1,)"), "1234")), Contains("extent"));
  CHECK_THAT(refusal(npy(head("<f4", "(99999999999999999999,)"), "1234")), Contains("extent"));
  CHECK_THAT(refusal(npy("{'descr': '<f4'}", "")), Contains("incomplete"));
  CHECK_THAT(refusal(npy("{'descr': '<f4', 'descr': '<f4'}", "")), Contains("unexpected entry"));
  CHECK_THAT(refusal(npy("{'descr': '<f4", "")), Contains("damaged"));
  CHECK_THAT(refusal(npy("__import__('os')", "")), Contains("damaged"));
}

TEST_CASE("npy: every cut of a file is refused, never a crash") {
  const std::string whole = npy_bytes(make_array<double>({2}, std::vector<double>{1, 2}));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK_THROWS_AS(parse(whole.substr(0, length)), FormatError);
  }
}

TEST_CASE("npy: files") {
  const auto folder = std::filesystem::temp_directory_path();
  const auto path = folder / "grasppanda npy t\xc3\xa4st.npy";
  write_npy(path, make_array<float>({2}, std::vector<float>{5, 6}));
  CHECK(read_npy(path).as<float>()[1] == 6);
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(read_npy(path), Contains("no such file"));
  CHECK_THROWS_WITH(read_npy(folder), Contains("is a folder"));
  CHECK_THROWS_WITH(
      write_npy(folder / "no_such_folder" / "x.npy", make_array<float>({0}, std::vector<float>{})),
      Contains("x.npy: cannot be written"));
}
