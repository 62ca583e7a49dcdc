// Small uncompressed TIFF files written tag by tag, with any tags of GeoTIFF.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace grasppanda::tests {

struct HandMadeTiff {
  std::uint32_t width = 4, height = 3;
  std::uint16_t bits = 8, bands = 3;
  std::vector<std::uint16_t> samples{};                    // interleaved; empty: zeros
  std::map<std::uint16_t, std::vector<double>> doubles{};  // further tags
  std::map<std::uint16_t, std::vector<std::uint16_t>> shorts{};

  /// Little endian, one strip.
  std::string bytes() const {
    struct Entry {
      std::uint16_t type;
      std::uint32_t count;
      std::string data;
    };
    std::map<std::uint16_t, Entry> entries;
    const auto little = [](std::uint64_t value, int size) {
      std::string text;
      for (int i = 0; i < size; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
      return text;
    };
    const auto short_tag = [&](std::uint16_t tag, const std::vector<std::uint16_t>& values) {
      std::string data;
      for (const std::uint16_t value : values) data += little(value, 2);
      entries[tag] = {3, static_cast<std::uint32_t>(values.size()), data};
    };
    const auto long_tag = [&](std::uint16_t tag, std::uint32_t value) {
      entries[tag] = {4, 1, little(value, 4)};
    };
    const std::size_t count = std::size_t{width} * height * bands;
    std::string pixels;
    for (std::size_t i = 0; i < count; ++i) {
      pixels += little(i < samples.size() ? samples[i] : 0, bits / 8);
    }
    long_tag(256, width);
    long_tag(257, height);
    short_tag(258, std::vector<std::uint16_t>(bands, bits));
    short_tag(259, {1});                                               // not compressed
    short_tag(262, {static_cast<std::uint16_t>(bands >= 3 ? 2 : 1)});  // RGB or grey
    long_tag(273, 8);                                                  // strip behind the head
    short_tag(277, {bands});
    long_tag(278, height);
    long_tag(279, static_cast<std::uint32_t>(pixels.size()));
    for (const auto& [tag, values] : shorts) short_tag(tag, values);
    for (const auto& [tag, values] : doubles) {
      std::string data;
      for (const double value : values) {
        std::uint64_t raw = 0;
        static_assert(sizeof raw == sizeof value);
        __builtin_memcpy(&raw, &value, sizeof raw);
        data += little(raw, 8);
      }
      entries[tag] = {12, static_cast<std::uint32_t>(values.size()), data};
    }
    std::string padded = pixels;
    if (padded.size() % 2 != 0) padded += '\0';
    const std::size_t directory = 8 + padded.size();
    std::size_t beyond = directory + 2 + 12 * entries.size() + 4;
    std::string head = little(entries.size(), 2), values;
    for (const auto& [tag, entry] : entries) {
      head += little(tag, 2) + little(entry.type, 2) + little(entry.count, 4);
      if (entry.data.size() <= 4) {
        head += entry.data + std::string(4 - entry.data.size(), '\0');
      } else {
        head += little(beyond + values.size(), 4);
        values += entry.data;
        if (values.size() % 2 != 0) values += '\0';
      }
    }
    return "II" + little(42, 2) + little(directory, 4) + padded + head + little(0, 4) + values;
  }
};

}  // namespace grasppanda::tests
