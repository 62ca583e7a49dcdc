#include "lib/io/json_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"
#include "lib/io/printable_text.h"

namespace grasppanda::io {

nlohmann::json read_json(const std::filesystem::path& path) {
  const SharedBytes file = map_file(path);
  return parse_json(file.text(), path.string());
}

using Event = nlohmann::json::parse_event_t;

nlohmann::json parse_json(std::string_view text, const std::string& name) {
  const Content content = content_of(std::as_bytes(std::span(text)));
  if (content != Content::unknown) {
    throw FormatError(name + ": is " + std::string(content_words(content)) + "; wanted JSON");
  }
  if (text.size() > kMaxJsonBytes) {
    throw FormatError(name + ": JSON of " + std::to_string(text.size()) + " bytes; the limit is " +
                      std::to_string(kMaxJsonBytes >> 20) + " MiB");
  }
  try {
    std::vector<std::unordered_set<std::string>> keys;  // of the objects that are open
    return nlohmann::json::parse(text, [&](int, Event event, nlohmann::json& value) {
      if (event == Event::object_start) keys.emplace_back();
      if (event == Event::object_end) keys.pop_back();
      if (event == Event::key && !keys.back().insert(value.get<std::string>()).second) {
        throw FormatError(name + ": JSON gives the key " + in_quotes(value.get<std::string>()) +
                          " twice in one object");
      }
      return true;
    });
  } catch (const nlohmann::json::parse_error& error) {
    // `byte` counts from 1 and is behind the last byte when the text ends too early.
    const std::string_view read = text.substr(0, error.byte == 0 ? 0 : error.byte - 1);
    const auto line = std::count(read.begin(), read.end(), '\n') + 1;
    const auto column = read.size() - (read.rfind('\n') + 1) + 1;  // npos + 1 is 0
    const bool end = error.byte > text.size();
    throw FormatError(name + ":" + std::to_string(line) + ":" + std::to_string(column) +
                      (end ? ": JSON ends too early; the file is cut off" : ": not valid JSON"));
  } catch (const nlohmann::json::exception&) {
    throw FormatError(name + ": JSON holds a number beyond the range of double");
  }
}

}  // namespace grasppanda::io
