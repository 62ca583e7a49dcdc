#include "lib/io/sdf_grid.h"

#include <cmath>
#include <string_view>

#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"
#include "lib/io/text_numbers.h"

namespace grasppanda::io {
namespace {

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : lines_(text), name_(name) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(name_ + ":" + std::to_string(lines_.number()) + ": " + what);
  }

  // The next word of the file, wherever its line ends; empty at the end.
  std::string_view word() {
    for (;;) {
      const std::string_view found = next_word(line_);
      if (!found.empty()) return found;
      if (!lines_.next(line_)) return {};
    }
  }

  double number(const char* what) {
    const std::string_view text = word();
    double value = 0;
    if (text.empty()) fail(std::string("the file ends where ") + what + " is expected");
    if (!parse_number(text, value) || !std::isfinite(value)) {
      fail(in_quotes(text) + " where " + what + " is expected, a finite number");
    }
    return value;
  }

 private:
  TextLines lines_;
  std::string_view line_;
  const std::string& name_;
};

std::int64_t checked_nodes(Reader& reader) {
  const double value = reader.number("a number of grid nodes");
  if (value < 2 || value > 1 << 20 || value != std::floor(value)) {
    reader.fail("a grid of " + std::to_string(value) + " nodes along an axis; wanted 2 or more");
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

SdfGrid parse_sdf(std::span<const std::byte> bytes, const std::string& name) {
  if (const Content content = content_of(bytes); content != Content::unknown) {
    throw FormatError(name + ": is " + std::string(content_words(content)) +
                      ", no signed distance grid (three lines of header, then one value a line)");
  }
  Reader reader({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
  SdfGrid grid;
  std::int64_t values = 1;
  for (std::int64_t& nodes : grid.nodes) {
    nodes = checked_nodes(reader);
    values *= nodes;
  }
  // Each value takes a digit and a separator at least.
  if (values > kMaxSdfValues || values > static_cast<std::int64_t>(bytes.size()) / 2 + 1) {
    reader.fail("a grid of " + std::to_string(values) + " values in a file of " +
                std::to_string(bytes.size()) + " bytes; it is cut off, or the sizes are wrong");
  }
  for (double& origin : grid.origin) origin = reader.number("the origin of the grid");
  grid.step = reader.number("the step of the grid");
  if (!(grid.step > 0)) reader.fail("the step of the grid must be greater than 0");
  grid.values.resize(static_cast<std::size_t>(values));
  for (double& value : grid.values) value = reader.number("a distance");
  if (const std::string_view rest = reader.word(); !rest.empty()) {
    reader.fail(in_quotes(rest) + " behind the last of " + std::to_string(values) + " values");
  }
  return grid;
}

SdfGrid read_sdf(const std::filesystem::path& path) {
  return parse_sdf(map_file(path).span(), path.string());
}

}  // namespace grasppanda::io
