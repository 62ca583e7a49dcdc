#include "lib/io/xml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"
#include "lib/io/text_numbers.h"

namespace grasppanda::io {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::string_view kSpace = " \t\r\n";

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  XmlElement document() {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    skip_misc();
    if (at_ >= text_.size() || text_[at_] != '<') fail("no XML element");
    XmlElement root = element(0);
    skip_misc();
    if (at_ < text_.size()) fail("text behind the root element");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(name_ + ":" + std::to_string(line()) + ": " + what);
  }

  // Counts on from where it was asked last.
  std::int64_t line() const {
    const auto start = text_.begin();
    line_ += std::count(start + static_cast<std::ptrdiff_t>(counted_),
                        start + static_cast<std::ptrdiff_t>(at_), '\n');
    counted_ = at_;
    return line_;
  }

  bool at(std::string_view mark) const { return text_.substr(at_).starts_with(mark); }

  // Goes behind the next `mark`.
  void skip_past(std::string_view mark) {
    const std::size_t found = text_.find(mark, at_);
    if (found == text_.npos) fail("the file ends before '" + std::string(mark) + "'");
    at_ = found + mark.size();
  }

  // True when it went past a comment, a processing instruction or a declaration.
  bool skip_markup() {
    if (at("<!--")) {
      skip_past("-->");
    } else if (at("<?")) {
      skip_past("?>");
    } else if (at("<!") && !at("<![CDATA[")) {
      skip_past(">");
    } else {
      return false;
    }
    return true;
  }

  void skip_misc() {
    do {
      at_ = std::min(text_.find_first_not_of(kSpace, at_), text_.size());
    } while (at_ < text_.size() && skip_markup());
  }

  std::string_view tag_name() {
    const std::size_t end = text_.find_first_of(" \t\r\n/>", at_);
    if (end == text_.npos || end == at_) fail("a tag without a name or an end");
    const std::string_view found = text_.substr(at_, end - at_);
    at_ = end;
    return found;
  }

  // Behind the tag's '>'; true for <tag/>.
  bool end_of_tag() {
    char quote = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        return text_[at_++ - 1] == '/';
      } else if (c == '<') {
        break;
      }
    }
    fail("a tag that does not end");
  }

  void entity(std::string& out) {
    const std::size_t end = text_.find(';', at_);
    const std::string_view word =
        end == text_.npos || end - at_ > 8 ? "" : text_.substr(at_ + 1, end - at_ - 1);
    constexpr std::array<std::pair<std::string_view, char>, 5> kNamed = {
        {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
    int code = 0;
    for (const auto& [name, character] : kNamed) {
      if (word == name) code = character;
    }
    if (code == 0 && word.starts_with('#')) {
      std::from_chars(word.data() + 1, word.data() + word.size(), code);
    }
    if (code <= 0 || code > 127) fail("an entity " + in_quotes(word) + " that is not known");
    out += static_cast<char>(code);
    at_ = end + 1;
  }

  // What stands before the next element or end tag.
  void content(XmlElement& element) {
    while (at_ < text_.size()) {
      if (at("<![CDATA[")) {
        const std::size_t start = at_ + 9;
        skip_past("]]>");
        element.text += text_.substr(start, at_ - 3 - start);
      } else if (text_[at_] == '<') {
        if (!skip_markup()) return;
      } else if (text_[at_] == '&') {
        entity(element.text);
      } else {
        const std::size_t end = std::min(text_.find_first_of("<&", at_), text_.size());
        element.text += text_.substr(at_, end - at_);
        at_ = end;
      }
    }
    fail("the file ends within <" + element.name + ">");
  }

  XmlElement element(int depth) {
    if (depth >= kMaxDepth) fail("elements nested deeper than " + std::to_string(kMaxDepth));
    XmlElement result;
    result.line = line();
    ++at_;
    result.name = tag_name();
    if (end_of_tag()) return result;
    for (content(result); !at("</"); content(result)) result.children.push_back(element(depth + 1));
    at_ += 2;
    if (const std::string_view end = tag_name(); end != result.name) {
      fail("</" + std::string(end) + "> where </" + result.name + "> is expected");
    }
    end_of_tag();
    const std::size_t first = result.text.find_first_not_of(kSpace);
    result.text = first == result.text.npos
                      ? ""
                      : result.text.substr(first, result.text.find_last_not_of(kSpace) + 1 - first);
    return result;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  mutable std::size_t counted_ = 0;
  mutable std::int64_t line_ = 1;
};

}  // namespace

XmlElement parse_xml(std::string_view text, const std::string& name) {
  return Parser(text, name).document();
}

XmlElement read_xml(const std::filesystem::path& path) {
  return parse_xml(map_file(path).text(), path.string());
}

}  // namespace grasppanda::io
