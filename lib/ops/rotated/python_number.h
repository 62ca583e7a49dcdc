// Numbers as Python's float() and int() read them from text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace grasppanda::ops {

/// Without white space at the ends.
std::string_view trimmed(std::string_view text);

/// float(text): white space around it, a sign, digits with single underscores between them, a
/// fraction, an exponent; inf, infinity and nan in any case. Beyond the range: infinite, or 0.
std::optional<double> parse_python_float(std::string_view text);

/// int(text): white space around it, a sign, digits with single underscores between them. Beyond
/// the range: its end.
std::optional<int64_t> parse_python_int(std::string_view text);

/// repr(value): "0.0", "-1.5".
std::string python_repr(double value);

}  // namespace grasppanda::ops
