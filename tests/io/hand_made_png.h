// PNG files put together by hand (chunks, Adam7), so that the reader is not judged by its own
// library.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace grasppanda::tests {

struct HandMadePng {
  std::uint32_t width = 1, height = 1;
  int bits = 8, colour = 0;  // colour type of the PNG specification
  bool interlaced = false;
  std::vector<std::uint16_t> samples;  // row-major, interleaved
  std::string palette;                 // RGB bytes
  std::string chunks_before_data;      // whole chunks (see png_chunk)
};

inline std::string big_endian32(std::uint32_t v) {
  return {static_cast<char>(v >> 24), static_cast<char>(v >> 16), static_cast<char>(v >> 8),
          static_cast<char>(v)};
}

inline std::string png_chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto crc =
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian32(static_cast<std::uint32_t>(data.size())) + body +
         big_endian32(static_cast<std::uint32_t>(crc));
}

inline std::string deflated(const std::string& data) {
  uLongf size = compressBound(static_cast<uLong>(data.size()));
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size,
            reinterpret_cast<const Bytef*>(data.data()), static_cast<uLong>(data.size()), 6);
  out.resize(size);
  return out;
}

/// Filter byte and packed samples of the rows y0, y0 + dy, ..., columns x0, x0 + dx, ...
inline std::string png_pass(const HandMadePng& png, std::array<std::uint32_t, 4> start_and_step) {
  const auto [x0, y0, dx, dy] = start_and_step;
  constexpr int kChannels[] = {1, 0, 3, 1, 2, 0, 4};
  const auto channels = static_cast<std::uint32_t>(kChannels[png.colour]);
  std::string data;
  if (x0 >= png.width) return data;
  for (std::uint32_t y = y0; y < png.height; y += dy) {
    data += '\0';
    unsigned held = 0;
    int held_bits = 0;
    for (std::uint32_t x = x0; x < png.width; x += dx) {
      for (std::uint32_t c = 0; c < channels; ++c) {
        const unsigned v = png.samples[(y * png.width + x) * channels + c];
        if (png.bits == 16) data += static_cast<char>(v >> 8);
        if (png.bits >= 8) {
          data += static_cast<char>(v);
          continue;
        }
        held = held << png.bits | v;
        held_bits += png.bits;
        if (held_bits == 8) {
          data += static_cast<char>(held);
          held = 0;
          held_bits = 0;
        }
      }
    }
    if (held_bits > 0) data += static_cast<char>(held << (8 - held_bits));
  }
  return data;
}

inline std::string png_file(const HandMadePng& png) {
  std::string header = big_endian32(png.width) + big_endian32(png.height);
  header += static_cast<char>(png.bits);
  header += static_cast<char>(png.colour);
  header += std::string(2, '\0');
  header += png.interlaced ? '\1' : '\0';
  constexpr std::array<std::array<std::uint32_t, 4>, 7> kAdam7{{{0, 0, 8, 8},
                                                                {4, 0, 8, 8},
                                                                {0, 4, 4, 8},
                                                                {2, 0, 4, 4},
                                                                {0, 2, 2, 4},
                                                                {1, 0, 2, 2},
                                                                {0, 1, 1, 2}}};
  std::string data;
  if (png.interlaced) {
    for (const auto& pass : kAdam7) data += png_pass(png, pass);
  } else {
    data = png_pass(png, {0, 0, 1, 1});
  }
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) +
         (png.palette.empty() ? "" : png_chunk("PLTE", png.palette)) + png.chunks_before_data +
         png_chunk("IDAT", deflated(data)) + png_chunk("IEND", "");
}

}  // namespace grasppanda::tests
