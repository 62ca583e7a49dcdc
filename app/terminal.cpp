#include "app/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace grasppanda::app {

namespace {

std::size_t g_line_width = 0;  // of the progress line that is drawn; 0: none

// With spaces, not with an escape sequence: NO_COLOR forbids those.
void draw_line(const std::string& line) {
  std::string padded = "\r" + line;
  if (line.size() < g_line_width) padded.append(g_line_width - line.size(), ' ');
  std::fputs(padded.c_str(), stderr);
  g_line_width = line.size();
}

std::string time_left(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole < 60) return std::to_string(whole) + " s left";
  if (whole < 3600) return std::to_string(whole / 60) + " min left";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min left";
}

}  // namespace

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

bool stdout_is_terminal() {
  return isatty(STDOUT_FILENO) == 1;
}

bool use_color(ColorChoice choice, bool is_terminal, bool no_color, std::string_view term) {
  if (choice == ColorChoice::always) return true;
  if (choice == ColorChoice::never) return false;
  return is_terminal && !no_color && term != "dumb";
}

void wipe_progress_line() {
  if (g_line_width == 0) return;
  draw_line("");
  std::fputc('\r', stderr);
  std::fflush(stderr);
}

Progress::Progress(const Invocation& invocation, std::string_view what, std::int64_t total)
    : style_(!invocation.progress || total <= 0 ? Style::none
             : stderr_is_terminal()             ? Style::redraw
                                                : Style::lines),
      what_(what),
      total_(total) {
  // A dumb terminal cannot redraw a line.
  if (const auto term = invocation.environment.find("TERM");
      style_ == Style::redraw && term != invocation.environment.end() && term->second == "dumb")
    style_ = Style::lines;
}

Progress::~Progress() {
  if (style_ == Style::redraw) wipe_progress_line();
}

void Progress::update(std::int64_t done, std::string_view item) {
  if (style_ == Style::none) return;
  if (style_ == Style::lines) {
    const int tenths = static_cast<int>(10 * done / total_);
    if (tenths <= tenths_said_) return;
    tenths_said_ = tenths;
    draw(done, {});
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (g_line_width > 0 && done < total_ && now - last_drawn_ < std::chrono::milliseconds(100))
    return;
  last_drawn_ = now;
  draw(done, item);
}

void Progress::draw(std::int64_t done, std::string_view item) {
  std::string line = what_ + " " + std::to_string(done) + "/" + std::to_string(total_) + " (" +
                     std::to_string(100 * done / total_) + " %)";
  // Said once there is something to reckon from: short runs do not need it.
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
  if (done > 0 && done < total_ && passed.count() > 5) {
    line += ", " + time_left(passed.count() / static_cast<double>(done) *
                             static_cast<double>(total_ - done));
  }
  if (style_ == Style::lines) {
    std::fprintf(stderr, "%s\n", line.c_str());
    return;
  }
  if (!item.empty()) line += "  " + std::string(item);
  constexpr std::size_t kWidth = 79;  // a wrapped line could not be wiped
  std::string shown;
  for (const char c : line.substr(0, kWidth))
    shown += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  draw_line(shown);
  std::fflush(stderr);
}

}  // namespace grasppanda::app
