#include "lib/ops/log.h"

#include <mutex>
#include <utility>

namespace grasppanda::ops {
namespace {

std::mutex& sink_mutex() {
  static std::mutex mutex;
  return mutex;
}
LogSink& sink() {
  static LogSink sink;
  return sink;
}

}  // namespace

LogSink set_log_sink(LogSink replacement) {
  const std::lock_guard lock(sink_mutex());
  std::swap(sink(), replacement);
  return replacement;
}

void log_line(std::string_view line) {
  const std::lock_guard lock(sink_mutex());
  if (sink()) sink()(line);
}

}  // namespace grasppanda::ops
