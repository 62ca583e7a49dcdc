// Files cut off and with wrong bytes: what every reader must survive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace grasppanda::tests {

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// Every length below the whole when there are at most `tries`, else so many spread over it; the
/// first 64 always.
inline std::vector<std::size_t> cut_lengths(std::size_t size, std::size_t tries) {
  std::vector<std::size_t> lengths;
  for (std::size_t n = 0; n < size && n < 64; ++n) lengths.push_back(n);
  const std::size_t step = std::max<std::size_t>(1, size / tries);
  for (std::size_t n = 64; n < size; n += step) lengths.push_back(n);
  if (size > 64) lengths.push_back(size - 1);
  return lengths;
}

/// The bytes with one to four of them changed; the same for the same seed.
inline std::string with_wrong_bytes(std::string bytes, std::uint32_t seed) {
  std::mt19937 random(seed);
  const unsigned changes = 1 + random() % 4;
  for (unsigned i = 0; i < changes && !bytes.empty(); ++i) {
    bytes[random() % bytes.size()] = static_cast<char>(random());
  }
  return bytes;
}

}  // namespace grasppanda::tests
