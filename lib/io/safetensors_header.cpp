#include "lib/io/safetensors_header.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "lib/io/format_error.h"
#include "lib/io/printable_text.h"

namespace grasppanda::io {

namespace {

struct DTypeRow {
  std::string_view name;
  DType dtype;
};
constexpr DTypeRow kDTypes[] = {
    {"F32", DType::float32}, {"F16", DType::float16}, {"BF16", DType::bfloat16},
    {"F64", DType::float64}, {"I64", DType::int64},   {"I32", DType::int32},
    {"I16", DType::int16},   {"I8", DType::int8},     {"U64", DType::uint64},
    {"U32", DType::uint32},  {"U16", DType::uint16},  {"U8", DType::uint8},
    {"BOOL", DType::boolean}};
constexpr std::size_t kMaxAxes = 64;

// Takes the events of the JSON parser; a document is never built, because one of a hundred
// megabytes would take a gigabyte.
class HeaderEvents {
 public:
  HeaderEvents(SafetensorsHeader& header, const std::string& name) : header_(header), name_(name) {}

  bool start_object(std::size_t) {
    if (depth_ == 0) {
      depth_ = 1;
    } else if (depth_ == 1 && key_ == "__metadata__") {
      depth_ = 2;
      in_metadata_ = true;
    } else if (depth_ == 1) {
      depth_ = 2;
      in_metadata_ = false;
      header_.entries.emplace_back().key = key_;
      seen_ = 0;
    } else {
      wrong();
    }
    return true;
  }
  bool end_object() {
    if (--depth_ == 1 && !in_metadata_ && seen_ != 7) wrong();
    return true;
  }
  bool key(std::string& key) {
    key_ = key;
    if (depth_ == 1 && !names_.insert(key).second) {
      fail("has the name " + in_quotes(key) + " twice");
    }
    return true;
  }
  bool string(std::string& text) {
    if (depth_ == 2 && in_metadata_) {
      header_.metadata[key_] = text;
    } else if (depth_ == 2 && key_ == "dtype") {
      once(1);
      for (const DTypeRow& row : kDTypes) {
        if (row.name == text) {
          header_.entries.back().dtype = row.dtype;
          return true;
        }
      }
      fail("has the type " + in_quotes(text) + " at " + in_quotes(header_.entries.back().key) +
           ", which is not read");
    } else {
      wrong();
    }
    return true;
  }
  bool start_array(std::size_t) {
    if (depth_ != 2 || in_metadata_ || (key_ != "shape" && key_ != "data_offsets")) wrong();
    once(key_ == "shape" ? 2 : 4);
    depth_ = 3;
    numbers_ = 0;
    return true;
  }
  bool end_array() {
    depth_ = 2;
    if (key_ == "data_offsets" && numbers_ != 2) wrong();
    return true;
  }
  bool number_unsigned(std::uint64_t value) {
    if (depth_ != 3) wrong();
    SafetensorsEntry& entry = header_.entries.back();
    const bool of_shape = key_ == "shape";
    if (value > std::numeric_limits<std::int64_t>::max() || numbers_ >= (of_shape ? kMaxAxes : 2)) {
      wrong();
    }
    if (of_shape) {
      entry.shape.push_back(static_cast<std::int64_t>(value));
    } else {
      entry.offsets[numbers_] = value;
    }
    ++numbers_;
    return true;
  }
  bool null() { wrong(); }
  bool boolean(bool) { wrong(); }
  bool number_integer(std::int64_t) { wrong(); }
  bool number_float(double, const std::string&) { wrong(); }
  bool binary(std::vector<std::uint8_t>&) { wrong(); }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) {
    fail("is no JSON text at byte " + std::to_string(at));
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw FormatError(name_ + ": damaged: the safetensors header " + why);
  }
  [[noreturn]] void wrong() const {
    fail(
        "is not what it must be" + (key_.empty() ? "" : " at " + in_quotes(key_)) +
        (header_.entries.empty() ? "" : " (tensor " + in_quotes(header_.entries.back().key) + ")"));
  }
  void once(unsigned part) {
    if ((seen_ & part) != 0) wrong();
    seen_ |= part;
  }

  SafetensorsHeader& header_;
  const std::string& name_;
  std::unordered_set<std::string> names_;
  std::string key_;
  int depth_ = 0;
  bool in_metadata_ = false;
  unsigned seen_ = 0;  // dtype 1, shape 2, data_offsets 4
  std::size_t numbers_ = 0;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, const std::string& name) {
  SafetensorsHeader header;
  HeaderEvents events(header, name);
  nlohmann::json::sax_parse(text.begin(), text.end(), &events);
  return header;
}

std::string_view safetensors_dtype(DType dtype) {
  for (const DTypeRow& row : kDTypes) {
    if (row.dtype == dtype) return row.name;
  }
  return {};
}

}  // namespace grasppanda::io
