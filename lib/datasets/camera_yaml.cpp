#include "lib/datasets/camera_yaml.h"

#include <nlohmann/json.hpp>

#include "lib/io/format_error.h"
#include "lib/io/text_numbers.h"

namespace grasppanda::datasets {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : lines_(text), name_(name) {}

  nlohmann::json parse() {
    nlohmann::json all = nlohmann::json::object();
    std::string outer;  // the key under which indented keys and `-` rows stand
    std::string_view line;
    while (lines_.next(line)) {
      const bool indented = line.starts_with(' ') || line.starts_with('\t');
      line = trimmed(line.substr(0, line.find('#')));
      if (line.empty() || line[0] == '%' || line.starts_with("---")) continue;
      if (line[0] == '-' && !outer.empty()) {
        add_row(trimmed(line.substr(1)), all[outer]);
        continue;
      }
      const auto colon = line.find(':');
      if (colon == std::string_view::npos) continue;
      const std::string key(trimmed(line.substr(0, colon)));
      const std::string_view value = trimmed(line.substr(colon + 1));
      if (!indented) outer = key;
      nlohmann::json& place = indented && !outer.empty() ? all[outer][key] : all[key];
      set(value, place);
    }
    return all;
  }

 private:
  void add_row(std::string_view value, nlohmann::json& rows) {
    if (!rows.is_array()) rows = nlohmann::json::array();
    nlohmann::json row;
    set(value, row);
    rows.push_back(std::move(row));
  }

  void set(std::string_view value, nlohmann::json& place) {
    double number = 0;
    if (value.starts_with('[')) {
      place = parse_list(value);
    } else if (io::parse_number(value, number)) {
      place = number;
    } else if (!value.empty() || !place.is_null()) {
      place = nullptr;  // a text, a tag: of no use here
    } else {
      place = nlohmann::json::object();
    }
  }

  /// Flow lists nest (rows of a matrix) and go on over lines; the result is flat.
  nlohmann::json parse_list(std::string_view text) {
    nlohmann::json numbers = nlohmann::json::array();
    int depth = 0;
    while (true) {
      while (!text.empty()) {
        const char c = text.front();
        if (c == '[') ++depth;
        if (c == ']' && --depth == 0) return numbers;
        if (c == '[' || c == ']' || c == ',' || c == ' ' || c == '\t') {
          text.remove_prefix(1);
          continue;
        }
        add_number(text.substr(0, text.find_first_of(",] \t")), numbers);
        text.remove_prefix(std::min(text.find_first_of(",] \t"), text.size()));
      }
      if (!lines_.next(text)) fail("a list is not closed; the file is cut off");
    }
  }

  void add_number(std::string_view word, nlohmann::json& numbers) const {
    double number = 0;
    if (!io::parse_number(word, number)) fail("a list of numbers holds " + io::in_quotes(word));
    numbers.push_back(number);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw io::FormatError(name_ + ":" + std::to_string(lines_.number()) + ": YAML: " + what);
  }

  io::TextLines lines_;
  const std::string& name_;
};

}  // namespace

nlohmann::json parse_camera_yaml(std::string_view text, const std::string& name) {
  return Parser(text, name).parse();
}

}  // namespace grasppanda::datasets
