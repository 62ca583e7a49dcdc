// libtiff over bytes in memory, its complaints kept instead of printed.
#pragma once

#include <tiffio.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace grasppanda::io {

/// An open TIFF file. The bytes must outlive it.
class TiffMemory {
 public:
  /// Look at handle() before use: null when libtiff finds no TIFF file.
  TiffMemory(std::span<const std::byte> bytes, const std::string& name);

  TIFF* handle() const { return tiff_.get(); }
  std::size_t size() const { return bytes_.size(); }

  /// The first thing that libtiff complained about on this thread since it was opened or cleared;
  /// empty: nothing.
  static std::string complaint();
  static void clear_complaint();

 private:
  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };
  static tmsize_t on_read(thandle_t handle, void* to, tmsize_t count);
  static toff_t on_seek(thandle_t handle, toff_t offset, int whence);
  static toff_t on_size(thandle_t handle);
  static int on_map(thandle_t handle, void** base, toff_t* size);

  std::span<const std::byte> bytes_;
  toff_t at_ = 0;
  std::unique_ptr<TIFF, Close> tiff_;
};

}  // namespace grasppanda::io
