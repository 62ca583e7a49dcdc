// Is it a terminal, does it take colour, and the progress line.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/invocation.h"

namespace grasppanda::app {

bool stderr_is_terminal();
bool stdout_is_terminal();

enum class ColorChoice { automatic, always, never };
/// `no_color`: NO_COLOR is set and not empty. Only `always` beats it and TERM=dumb.
bool use_color(ColorChoice choice, bool is_terminal, bool no_color, std::string_view term);

/// Progress over a known number of steps, on stderr: on a terminal one line, redrawn at most ten
/// times a second and wiped at the end; otherwise one plain line per tenth of the work. Work that
/// takes longer than some seconds says how much time is left.
/// Nothing at all when `Invocation::progress` is false. Messages of app/log.h do not collide with
/// it. One at a time; not thread-safe: call it from the thread that owns the loop.
class Progress {
 public:
  Progress(const Invocation& invocation, std::string_view what, std::int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` steps are finished, now at `item`.
  void update(std::int64_t done, std::string_view item = {});

 private:
  void draw(std::int64_t done, std::string_view item);

  enum class Style { none, lines, redraw };
  Style style_;
  std::string what_;
  std::int64_t total_ = 0;
  int tenths_said_ = 0;
  std::chrono::steady_clock::time_point last_drawn_{};
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Wipes the progress line if one is drawn, so that a message can be written; log.cpp calls it.
void wipe_progress_line();

}  // namespace grasppanda::app
