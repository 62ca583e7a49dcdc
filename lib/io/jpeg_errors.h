// libjpeg's reports of errors, shared by the two ways to decode: whole, and in pieces.
#pragma once

#include <csetjmp>
#include <cstdio>
#include <string_view>

// After <cstdio>: the header uses FILE.
#include <jpeglib.h>

namespace grasppanda::io {

inline constexpr std::string_view kExifMark("Exif\0\0", 6);
inline constexpr int kExifMarker = JPEG_APP0 + 1;

/// Where libjpeg jumps on an error, and what it said.
struct JpegErrors {
  jpeg_error_mgr base;  // first: libjpeg hands back a pointer to it
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX] = "";
};

/// Damage that would make up pixels, and an absurd number of scans, jump to `errors.jump`.
void report_errors(jpeg_decompress_struct& info, JpegErrors& errors, jpeg_progress_mgr& progress);

}  // namespace grasppanda::io
