// Values that pickles of the old protocols write as lines of text, and the strings of Python 2.
#pragma once

#include <string_view>

#include "lib/io/pickle_builder.h"

namespace grasppanda::io {

/// A string of Python 2 is text where it is UTF-8, else bytes.
PickleValue* python2_string(PickleBuilder& builder, std::string_view bytes);
/// "42", "-7L"; more digits than 64 bits hold are kept as they are (big_integer).
PickleValue* decimal_integer(PickleBuilder& builder, std::string_view text);
PickleValue* decimal_real(PickleBuilder& builder, std::string_view text);
/// 'it\'s', with Python's escapes.
PickleValue* quoted_string(PickleBuilder& builder, std::string_view text);
/// Latin-1 with \u0041 and \U00000041.
PickleValue* escaped_text(PickleBuilder& builder, std::string_view text);

}  // namespace grasppanda::io
