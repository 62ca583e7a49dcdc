#include "lib/io/tiff_memory.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace grasppanda::io {
namespace {

// libtiff's handlers are the process's, not the file's (until 4.5): ours keep the first complaint
// of each thread, and nothing reaches stderr.
thread_local char t_complaint[200];

void on_error(const char*, const char* format, va_list arguments) {
  if (t_complaint[0] == '\0') std::vsnprintf(t_complaint, sizeof(t_complaint), format, arguments);
}

tmsize_t on_write(thandle_t, void*, tmsize_t) {
  return 0;
}
int on_close(thandle_t) {
  return 0;
}
void on_unmap(thandle_t, void*, toff_t) {}

}  // namespace

TiffMemory::TiffMemory(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes) {
  static std::once_flag once;
  std::call_once(once, [] {
    TIFFSetErrorHandler(on_error);
    TIFFSetWarningHandler(nullptr);
  });
  clear_complaint();
  tiff_.reset(TIFFClientOpen(name.c_str(), "r", this, on_read, on_write, on_seek, on_close, on_size,
                             on_map, on_unmap));
}

std::string TiffMemory::complaint() {
  return t_complaint;
}
void TiffMemory::clear_complaint() {
  t_complaint[0] = '\0';
}

tmsize_t TiffMemory::on_read(thandle_t handle, void* to, tmsize_t count) {
  auto* memory = static_cast<TiffMemory*>(handle);
  if (count <= 0 || memory->at_ >= memory->bytes_.size()) return 0;
  const auto left = memory->bytes_.subspan(static_cast<std::size_t>(memory->at_));
  const std::size_t n = std::min(left.size(), static_cast<std::size_t>(count));
  std::memcpy(to, left.data(), n);
  memory->at_ += n;
  return static_cast<tmsize_t>(n);
}

toff_t TiffMemory::on_seek(thandle_t handle, toff_t offset, int whence) {
  auto* memory = static_cast<TiffMemory*>(handle);
  memory->at_ = whence == SEEK_SET   ? offset
                : whence == SEEK_CUR ? memory->at_ + offset
                                     : memory->bytes_.size() + offset;
  return memory->at_;
}

toff_t TiffMemory::on_size(thandle_t handle) {
  return static_cast<TiffMemory*>(handle)->bytes_.size();
}

/// Lets libtiff read the bytes where they lie, without a copy.
int TiffMemory::on_map(thandle_t handle, void** base, toff_t* size) {
  auto* memory = static_cast<TiffMemory*>(handle);
  *base = const_cast<std::byte*>(memory->bytes_.data());
  *size = memory->bytes_.size();
  return 1;
}

}  // namespace grasppanda::io
