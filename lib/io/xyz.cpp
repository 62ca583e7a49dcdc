#include "lib/io/xyz.h"

#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"
#include "lib/io/text_numbers.h"

namespace grasppanda::io {
namespace {

constexpr std::string_view kSeparators = ",;";

std::string_view without_comment(std::string_view line) {
  line = line.substr(0, line.find('#'));
  return line.substr(0, line.find("//"));
}

}  // namespace

PointCloud read_xyz(const std::filesystem::path& path) {
  const SharedBytes file = map_file(path);
  return parse_xyz(file.text(), path.string());
}

PointCloud parse_xyz(std::string_view text, const std::string& name) {
  const Content content = content_of(std::as_bytes(std::span(text)));
  if (content != Content::unknown && content != Content::empty) {
    throw FormatError(name + ": is " + std::string(content_words(content)) +
                      "; wanted lines of three or six numbers");
  }
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<double> rows;
  std::size_t width = 0;
  TextLines lines(text);
  std::string_view line;
  while (lines.next(line)) {
    const auto fail = [&](const std::string& what) {
      throw FormatError(name + ":" + std::to_string(lines.number()) + ": XYZ: " + what);
    };
    line = without_comment(line);
    const std::size_t before = rows.size();
    for (auto word = next_word(line, kSeparators); !word.empty();
         word = next_word(line, kSeparators)) {
      double value = 0;
      if (!parse_number(word, value)) fail("wants a number, got " + in_quotes(word));
      if (rows.size() - before == 6) fail("has more than six numbers; wanted three or six");
      rows.push_back(value);
    }
    const std::size_t count = rows.size() - before;
    if (count == 0) continue;
    if (width == 0) width = count;
    if (count != width || (width != 3 && width != 6)) {
      fail("has " + std::to_string(count) + " numbers; wanted " +
           (width == 3 || width == 6 ? std::to_string(width) + " as on the lines before"
                                     : std::string("three or six")));
    }
  }
  return width == 0 ? PointCloud{} : cloud_from_rows(rows, width);
}

}  // namespace grasppanda::io
