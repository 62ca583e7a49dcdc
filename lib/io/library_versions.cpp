#include "lib/io/library_versions.h"

#include <openssl/crypto.h>
#include <png.h>
#include <tiffio.h>
#include <zlib.h>

#include <jpeglib.h>
#include <cstddef>
#include <cstdio>  // jpeglib.h needs it before
#include <nlohmann/json.hpp>

#define GRASPPANDA_TEXT_OF(x) #x
#define GRASPPANDA_TEXT(x) GRASPPANDA_TEXT_OF(x)

namespace grasppanda::io {

namespace {

// "LIBTIFF, Version 4.5.0\nCopyright ...", "OpenSSL 3.0.11": the first word that is a number.
std::string version_in(const std::string& text) {
  const std::size_t begin = text.find_first_of("0123456789");
  if (begin == std::string::npos) return text;
  return text.substr(begin, text.find_first_of(" ,\n", begin) - begin);
}

std::string json_version() {
  return GRASPPANDA_TEXT(NLOHMANN_JSON_VERSION_MAJOR) "." GRASPPANDA_TEXT(
      NLOHMANN_JSON_VERSION_MINOR) "." GRASPPANDA_TEXT(NLOHMANN_JSON_VERSION_PATCH);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> library_versions() {
  return {{"libexif", GRASPPANDA_EXIF_VERSION},
#ifdef LIBJPEG_TURBO_VERSION
          {"libjpeg-turbo", GRASPPANDA_TEXT(LIBJPEG_TURBO_VERSION)},
#else
          {"libjpeg", GRASPPANDA_TEXT(JPEG_LIB_VERSION)},
#endif
          {"libpng", png_get_libpng_ver(nullptr)},
          {"libtiff", version_in(TIFFGetVersion())},
          {"nlohmann-json", json_version()},
          {"openssl", version_in(OpenSSL_version(OPENSSL_VERSION))},
          {"zlib", zlibVersion()}};
}

}  // namespace grasppanda::io
