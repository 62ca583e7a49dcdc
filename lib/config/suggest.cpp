#include "lib/config/suggest.h"

#include <algorithm>
#include <vector>

namespace grasppanda::config {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t differ = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + differ});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

namespace {

constexpr std::size_t kLongestGiven = 100;  // nobody means a known word by more than this

std::string_view last_part(std::string_view dotted) {
  return dotted.substr(dotted.rfind('.') + 1);
}

/// Small is near; SIZE_MAX: not meant.
std::size_t score(std::string_view given, std::string_view candidate) {
  const std::size_t allowed = given.size() <= 3 ? 1 : std::max<std::size_t>(2, given.size() / 4);
  const std::size_t distance = edit_distance(given, candidate);
  std::size_t best = distance <= allowed ? distance : static_cast<std::size_t>(-1);
  const bool dotted = candidate.find('.') != std::string_view::npos;
  if (dotted && given.size() >= 3) {
    if (candidate.ends_with("." + std::string(given))) best = std::min<std::size_t>(best, 1);
    if (last_part(given) == last_part(candidate)) best = std::min<std::size_t>(best, 2);
    if (given.find('.') == std::string_view::npos && allowed >= 2 &&
        edit_distance(given, last_part(candidate)) == 1)
      best = std::min<std::size_t>(best, 2);
  }
  return best;
}

}  // namespace

std::string_view nearest(std::string_view given, std::span<const std::string_view> candidates) {
  std::string_view best;
  if (given.size() > kLongestGiven) return best;
  std::size_t best_score = static_cast<std::size_t>(-1);
  for (const std::string_view candidate : candidates) {
    const std::size_t s = score(given, candidate);
    if (s < best_score) {
      best_score = s;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view given, std::span<const std::string_view> candidates) {
  const std::string_view meant = nearest(given, candidates);
  return meant.empty() || meant == given ? std::string()
                                         : "; did you mean '" + std::string(meant) + "'?";
}

}  // namespace grasppanda::config
