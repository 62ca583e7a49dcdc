// UTF-8: checking and writing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace grasppanda::io {

/// Bytes of the character at the start of `text` (not empty), 0 if there is none.
std::size_t utf8_size(std::string_view text);
bool is_valid_utf8(std::string_view text);
/// The character with the number `code`; the caller has checked that it is one.
void append_utf8(std::string& text, std::uint32_t code);

}  // namespace grasppanda::io
