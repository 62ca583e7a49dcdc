// The part of XML that data sets use: elements with text and child elements.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace grasppanda::io {

struct XmlElement {
  std::string name;
  std::string text;  // of the element itself, white space at both ends removed
  std::vector<XmlElement> children;
  std::int64_t line = 0;  // where it starts
};

/// The root element. Attributes, comments, processing instructions and DOCTYPE are skipped, the
/// five named entities and numeric ones below 128 are resolved; nothing is ever fetched or
/// expanded. Throws FormatError with the line: no XML, tags that do not match, nested deeper than
/// 64, cut off.
XmlElement read_xml(const std::filesystem::path& path);
/// The same from memory; `name` stands in messages.
XmlElement parse_xml(std::string_view text, const std::string& name);

}  // namespace grasppanda::io
