#include "lib/io/npy_header.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "lib/io/format_error.h"

namespace grasppanda::io {

namespace {

constexpr std::size_t kMaxHeader = 1 << 20;
constexpr std::size_t kMaxAxes = 64;  // as NumPy

struct NumberType {
  char kind;
  std::size_t size;
  DType dtype;
};
constexpr NumberType kNumberTypes[] = {
    {'b', 1, DType::boolean}, {'u', 1, DType::uint8},   {'i', 1, DType::int8},
    {'u', 2, DType::uint16},  {'i', 2, DType::int16},   {'u', 4, DType::uint32},
    {'i', 4, DType::int32},   {'u', 8, DType::uint64},  {'i', 8, DType::int64},
    {'f', 2, DType::float16}, {'f', 4, DType::float32}, {'f', 8, DType::float64}};

// A reader of the little dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void read(NpyHeader& header) {
    bool seen_descr = false, seen_order = false, seen_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !seen_descr) {
        seen_descr = true;
        if (peek() == '[') refuse("holds records (a structured array), plain numbers are wanted");
        descr(quoted(), header);
      } else if (key == "fortran_order" && !seen_order) {
        seen_order = true;
        header.fortran_order = truth();
      } else if (key == "shape" && !seen_shape) {
        seen_shape = true;
        header.shape = extents();
      } else {
        refuse("has the unexpected entry '" + key + "' in its header");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!seen_descr || !seen_order || !seen_shape) refuse("has an incomplete header");
    if ((header.kind == 'U' || header.kind == 'S') && !header.shape.empty()) {
      refuse("holds an array " + shape_text(header.shape) + " of texts, numbers are wanted");
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw FormatError(name_ + ": this .npy array " + why);
  }
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  char peek() {
    skip_spaces();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) refuse("has a damaged header");
  }
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') refuse("has a damaged header");
    const std::size_t end = text_.find(quote, ++at_);
    if (end == std::string_view::npos) refuse("has a damaged header");
    std::string word(text_.substr(at_, end - at_));
    at_ = end + 1;
    return word;
  }
  bool truth() {
    skip_spaces();
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, {"False", false}}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    refuse("has a damaged header");
  }
  std::vector<std::int64_t> extents() {
    std::vector<std::int64_t> shape;
    expect('(');
    while (!accept(')')) {
      skip_spaces();
      std::int64_t extent = 0;
      const char* end = text_.data() + text_.size();
      const auto [stop, error] = std::from_chars(text_.data() + at_, end, extent);
      if (error != std::errc() || extent < 0) refuse("has an impossible extent in its shape");
      at_ = static_cast<std::size_t>(stop - text_.data());
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote long integers
      shape.push_back(extent);
      if (shape.size() > kMaxAxes) refuse("has more than " + std::to_string(kMaxAxes) + " axes");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }
  void descr(const std::string& text, NpyHeader& header) {
    std::string_view rest = text;
    if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) {
      header.big_endian = rest[0] == '>';
      rest.remove_prefix(1);
    }
    if (rest == "?") rest = "b1";
    const char kind = rest.empty() ? '\0' : rest[0];
    if (kind == 'O') {  // the size behind it is that of a pointer on the writer's machine
      header.kind = kind;
      return;
    }
    std::uint64_t size = 0;
    const std::string_view digits = rest.empty() ? rest : rest.substr(1);
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (error == std::errc() && stop == digits.data() + digits.size()) {
      if ((kind == 'U' && size <= SIZE_MAX / 4) || kind == 'S') {
        header.kind = kind;
        header.item_bytes = kind == 'U' ? size * 4 : size;
        return;
      }
      for (const NumberType& type : kNumberTypes) {
        if (type.kind == kind && type.size == size) {
          header.dtype = type.dtype;
          header.item_bytes = size;
          return;
        }
      }
    }
    refuse("has the type '" + text + "'; wanted are bool, integers, float16, float32 or float64");
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty()) throw FormatError(name + ": is empty, a .npy array is wanted");
  if (text.substr(0, 6) != std::string_view("\x93NUMPY")) {
    throw FormatError(name + ": is no .npy array (it does not begin with its magic number)");
  }
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(text[at]));
  };
  if (text.size() < 10) throw FormatError(name + ": cut off inside the .npy header");
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) {
    throw FormatError(name + ": .npy version " + std::to_string(version) +
                      " is unknown, 1 to 3 are read");
  }
  const std::size_t start = version == 1 ? 10 : 12;
  if (text.size() < start) throw FormatError(name + ": cut off inside the .npy header");
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > text.size() - start) throw FormatError(name + ": cut off inside the .npy header");
  if (length > kMaxHeader) {
    throw FormatError(name + ": the .npy header claims " + std::to_string(length) + " bytes");
  }
  NpyHeader header;
  header.data_offset = start + length;
  HeaderText(text.substr(start, length), name).read(header);
  return header;
}

}  // namespace grasppanda::io
