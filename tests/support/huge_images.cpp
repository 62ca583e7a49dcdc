#include "tests/support/huge_images.h"

#include <algorithm>
#include <vector>

namespace grasppanda::tests {

namespace {

std::string big(std::uint64_t value, int size) {
  std::string text;
  for (int i = size - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::string little(std::uint64_t value, int size) {
  std::string text = big(value, size);
  std::reverse(text.begin(), text.end());
  return text;
}

std::uint32_t crc_of(const std::string& bytes) {
  std::vector<std::uint32_t> table(256);
  for (std::uint32_t n = 0; n < 256; ++n) {
    table[n] = n;
    for (int k = 0; k < 8; ++k) table[n] = table[n] >> 1 ^ (table[n] & 1 ? 0xedb88320U : 0);
  }
  std::uint32_t crc = 0xffffffffU;
  for (const char byte : bytes) {
    crc = table[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ crc >> 8;
  }
  return crc ^ 0xffffffffU;
}

std::string chunk(const std::string& type, const std::string& data) {
  return big(data.size(), 4) + type + data + big(crc_of(type + data), 4);
}

/// Bits into bytes, the first one lowest.
class DeflateBits {
 public:
  void add(std::uint32_t value, int count) {
    held_ |= static_cast<std::uint64_t>(value) << bits_;
    for (bits_ += count; bits_ >= 8; bits_ -= 8, held_ >>= 8) text_ += static_cast<char>(held_);
  }
  /// Codes stand with their highest bit first.
  void add_code(std::uint32_t code, int count) {
    for (int i = count - 1; i >= 0; --i) add(code >> i & 1, 1);
  }
  std::string take() && {
    if (bits_ > 0) text_ += static_cast<char>(held_);
    return std::move(text_);
  }

 private:
  std::string text_;
  std::uint64_t held_ = 0;
  int bits_ = 0;
};

/// A zlib stream of `count` zeros, at least one.
std::string zeros_in_zlib(std::uint64_t count) {
  DeflateBits bits;
  bits.add(1, 1);          // the last block
  bits.add(1, 2);          // of fixed codes
  bits.add_code(0x30, 8);  // the byte 0
  const std::uint64_t rest = count - 1;
  for (std::uint64_t i = 0; i < rest / 258; ++i) {
    bits.add_code(0xc5, 8);  // 258 bytes, from
    bits.add_code(0, 5);     // one byte before
  }
  for (std::uint64_t i = 0; i < rest % 258; ++i) bits.add_code(0x30, 8);
  bits.add_code(0, 7);  // end of block
  const std::uint64_t adler = (count % 65521) << 16 | 1;
  return "\x78\x01" + std::move(bits).take() + big(adler, 4);
}

}  // namespace

std::string huge_png(std::uint32_t side) {
  const std::string header = big(side, 4) + big(side, 4) + std::string("\x08\x02\0\0\0", 5);
  const std::uint64_t bytes =
      (std::uint64_t{3} * side + 1) * side;  // a filter byte before each row
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", zeros_in_zlib(bytes)) +
         chunk("IEND", "");
}

std::string huge_jpeg(std::uint16_t side) {
  const auto segment = [](char marker, const std::string& data) {
    return std::string("\xff") + marker + big(data.size() + 2, 2) + data;
  };
  std::string components, scan;
  for (char id = 1; id <= 3; ++id) {
    components += std::string(1, id) + std::string("\x11\0", 2);
    scan += std::string(1, id) + std::string(1, '\0');
  }
  // One code of one bit in each table: no difference, end of block.
  const std::string one_code = std::string(1, '\1') + std::string(15, '\0') + std::string(1, '\0');
  const std::uint64_t blocks = (side + std::uint64_t{7}) / 8;
  const std::uint64_t bits = blocks * blocks * 3 * 2;
  return "\xff\xd8" + segment('\xdb', std::string(1, '\0') + std::string(64, '\1')) +
         segment('\xc0', std::string(1, '\x08') + big(side, 2) + big(side, 2) +
                             std::string(1, '\3') + components) +
         segment('\xc4', std::string(1, '\0') + one_code) +
         segment('\xc4', std::string(1, '\x10') + one_code) +
         segment('\xda', std::string(1, '\3') + scan + std::string("\0\x3f\0", 3)) +
         std::string((bits + 7) / 8, '\0') + "\xff\xd9";
}

std::string huge_tiff(std::uint32_t side) {
  constexpr std::uint32_t kRows = 128;  // of a strip
  const std::uint32_t strips = (side + kRows - 1) / kRows;
  // PackBits: runs of up to 128 zeros, each row by itself.
  std::string row;
  for (std::uint32_t left = 3 * side; left > 0;) {
    const std::uint32_t run = std::min(left, 128U);
    row += static_cast<char>(1 - static_cast<int>(run));
    row += '\0';
    left -= run;
  }
  std::string strip;
  for (std::uint32_t i = 0; i < kRows; ++i) strip += row;
  constexpr std::uint32_t kEntries = 9;
  constexpr std::uint32_t kDirectory = 8, kBehind = kDirectory + 2 + 12 * kEntries + 4;
  const std::uint32_t offsets = kBehind + 6, counts = offsets + 4 * strips,
                      pixels = counts + 4 * strips;
  std::string offset_list, count_list;
  for (std::uint32_t i = 0; i < strips; ++i) {
    const std::uint32_t rows = std::min(kRows, side - i * kRows);
    offset_list += little(pixels, 4);
    count_list += little(row.size() * rows, 4);
  }
  const auto entry = [](int tag, int type, std::uint32_t count, std::uint32_t value) {
    return little(static_cast<std::uint64_t>(tag), 2) +
           little(static_cast<std::uint64_t>(type), 2) + little(count, 4) + little(value, 4);
  };
  return "II" + little(42, 2) + little(kDirectory, 4) + little(kEntries, 2) +
         entry(256, 4, 1, side) + entry(257, 4, 1, side) + entry(258, 3, 3, kBehind) +
         entry(259, 3, 1, 32773) + entry(262, 3, 1, 2) + entry(273, 4, strips, offsets) +
         entry(277, 3, 1, 3) + entry(278, 4, 1, kRows) + entry(279, 4, strips, counts) +
         little(0, 4) + little(8, 2) + little(8, 2) + little(8, 2) + offset_list + count_list +
         strip;
}

}  // namespace grasppanda::tests
