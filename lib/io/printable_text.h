// Names out of untrusted files, made fit for a message or a table.
#pragma once

#include <string>
#include <string_view>

namespace grasppanda::io {

/// One line without control characters and of valid UTF-8: what is not becomes `\x1b`; what is
/// longer than `most` bytes ends in "...".
std::string printable(std::string_view text, std::size_t most = 200);
/// The same in quotes: 'text'.
std::string in_quotes(std::string_view text, std::size_t most = 200);

}  // namespace grasppanda::io
