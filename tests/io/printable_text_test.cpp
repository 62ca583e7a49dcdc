#include "lib/io/printable_text.h"

#include "lib/io/utf8.h"
#include "tests/catch.h"

using namespace grasppanda::io;

TEST_CASE("printable: one line without control characters") {
  CHECK(printable("caf\xc3\xa9 \xe2\x82\xac") == "caf\xc3\xa9 \xe2\x82\xac");
  CHECK(printable("a\nb\tc\x1b[31m\x7f") == "a\\x0ab\\x09c\\x1b[31m\\x7f");
  CHECK(printable("\xc2\x9b") == "\\xc2\\x9b");  // C1: a control sequence to many terminals
  CHECK(printable("\xff\xc3") == "\\xff\\xc3");
  CHECK(printable(std::string(300, 'x'), 10) == "xxxxxxxxxx...");
  CHECK(in_quotes("a") == "'a'");
}

TEST_CASE("UTF-8: the well-formed sequences of Unicode, no others") {
  for (const char* good : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    CHECK(is_valid_utf8(good));
  }
  for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xed\xa0\x80",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    CHECK_FALSE(is_valid_utf8(bad));
  }
  std::string text;
  for (const std::uint32_t code : {0x41u, 0xfcu, 0x20acu, 0x1f600u}) append_utf8(text, code);
  CHECK(text == "A\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80");
}
