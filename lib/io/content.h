// What a file is, by its first bytes: names decide nothing, and a web page or a Git LFS pointer
// that was saved under the name of a picture is called what it is.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace grasppanda::io {

enum class Content {
  empty,
  png,
  jpeg,
  tiff,
  npy,
  zip,
  hdf5,
  mat5,
  ply,
  pcd,
  html,
  lfs_pointer,
  pdf,
  gif,
  bmp,
  webp,
  unknown
};

/// Looks at no more than the first 512 bytes. A text format without a mark is `unknown`.
Content content_of(std::span<const std::byte> bytes);

/// In words, for error sentences: "a PNG picture", "an HTML page", "an empty file".
std::string_view content_words(Content content);

}  // namespace grasppanda::io
