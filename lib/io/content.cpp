#include "lib/io/content.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace grasppanda::io {
namespace {

struct Mark {
  Content content;
  std::string_view bytes;
};

using namespace std::string_view_literals;

constexpr Mark kMarks[] = {
    {Content::png, "\x89PNG\r\n\x1a\n"sv},
    {Content::jpeg, "\xff\xd8\xff"sv},
    {Content::tiff, "II*\0"sv},
    {Content::tiff, "MM\0*"sv},
    {Content::tiff, "II+\0"sv},  // BigTIFF
    {Content::tiff, "MM\0+"sv},
    {Content::npy, "\x93NUMPY"sv},
    {Content::zip, "PK\x03\x04"sv},
    {Content::zip, "PK\x05\x06"sv},  // an archive without entries
    {Content::hdf5, "\x89HDF\r\n\x1a\n"sv},
    {Content::lfs_pointer, "version https://git-lfs.github.com/spec/"sv},
    {Content::ply, "ply\n"sv},
    {Content::ply, "ply\r"sv},
    {Content::pdf, "%PDF-"sv},
    {Content::gif, "GIF8"sv},
    {Content::bmp, "BM"sv},
};

/// The beginning without byte-order mark and white space, in lower case.
std::string folded_start(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return {};
  std::string folded(text.substr(start, 64));
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return folded;
}

}  // namespace

Content content_of(std::span<const std::byte> bytes) {
  if (bytes.empty()) return Content::empty;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              std::min<std::size_t>(bytes.size(), 512));
  for (const Mark& mark : kMarks) {
    if (text.starts_with(mark.bytes)) return mark.content;
  }
  if (text.starts_with("RIFF") && text.substr(0, 12).ends_with("WEBP")) return Content::webp;
  // The text at the head of a MAT 5 file is free; what counts is version and byte order at 124.
  if (text.size() >= 128 &&
      (text.substr(124, 4) == "\x00\x01IM"sv || text.substr(124, 4) == "\x01\x00MI"sv)) {
    return Content::mat5;
  }
  if (text.starts_with("MATLAB 7.3 MAT-file")) return Content::hdf5;
  const std::string start = folded_start(text);
  for (const std::string_view tag : {"<!doctype html"sv, "<html"sv, "<head"sv, "<body"sv}) {
    if (start.starts_with(tag)) return Content::html;
  }
  if (start.starts_with("# .pcd") || start.starts_with("version 0.7") ||
      start.starts_with("version .7") || start.starts_with("fields ")) {
    return Content::pcd;
  }
  return Content::unknown;
}

std::string_view content_words(Content content) {
  switch (content) {
    case Content::empty:
      return "an empty file";
    case Content::png:
      return "a PNG picture";
    case Content::jpeg:
      return "a JPEG picture";
    case Content::tiff:
      return "a TIFF picture";
    case Content::npy:
      return "a NumPy array";
    case Content::zip:
      return "a zip archive";
    case Content::hdf5:
      return "an HDF5 file";
    case Content::mat5:
      return "a MAT 5 file";
    case Content::ply:
      return "a PLY file";
    case Content::pcd:
      return "a PCD file";
    case Content::html:
      return "an HTML page";
    case Content::lfs_pointer:
      return "a Git LFS pointer";
    case Content::pdf:
      return "a PDF document";
    case Content::gif:
      return "a GIF picture";
    case Content::bmp:
      return "a BMP picture";
    case Content::webp:
      return "a WebP picture";
    case Content::unknown:
      break;
  }
  return "something else";
}

}  // namespace grasppanda::io
