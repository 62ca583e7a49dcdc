#include "lib/io/jpeg_errors.h"

#include <jerror.h>

namespace grasppanda::io {
namespace {

constexpr int kMaxScans = 1000;  // each scan of a progressive file costs a pass over the picture

[[noreturn]] void on_error(j_common_ptr common) {
  auto* errors = reinterpret_cast<JpegErrors*>(common->err);
  errors->base.format_message(common, errors->message);
  std::longjmp(errors->jump, 1);
}

void on_message(j_common_ptr common, int level) {
  if (level >= 0) return;  // a trace
  switch (common->err->msg_code) {
    case JWRN_ADOBE_XFORM:  // odd notes in a sound picture
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_TOO_MUCH_DATA:
      return;
    default:
      on_error(common);  // pixels would be made up: cut off, bad codes
  }
}

void on_progress(j_common_ptr common) {
  if (common->is_decompressor == 0) return;
  if (reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > kMaxScans) {
    auto* errors = reinterpret_cast<JpegErrors*>(common->err);
    std::snprintf(errors->message, sizeof(errors->message), "more than %d scans", kMaxScans);
    std::longjmp(errors->jump, 1);
  }
}

}  // namespace

void report_errors(jpeg_decompress_struct& info, JpegErrors& errors, jpeg_progress_mgr& progress) {
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = on_error;
  errors.base.emit_message = on_message;
  progress.progress_monitor = on_progress;
}

}  // namespace grasppanda::io
