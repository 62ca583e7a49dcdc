// The part of backend.h without LibTorch; the small program links it too.
#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "lib/ops/backend.h"
#include "lib/ops/errors.h"

namespace grasppanda::ops {
namespace {

constexpr std::array<std::pair<std::string_view, Backend>, 3> kNames = {
    {{"auto", Backend::automatic},
     {"reference", Backend::reference},
     {"compiled", Backend::compiled}}};

std::string quoted(std::string_view text) {
  return std::string("'").append(text).append("'");
}

template <class Choice>
auto& entry(Choice& choice, std::string_view key) {
  if (key == "fps") return choice.fps;
  if (key == "ball_query") return choice.ball_query;
  if (key == "cylinder_query") return choice.cylinder_query;
  if (key == "knn") return choice.knn;
  if (key == "rotated") return choice.rotated;
  throw std::out_of_range("no operator " + quoted(key) + " with a choice of backend");
}

bool is_selectable(std::string_view key) {
  return std::find(kSelectableOperators.begin(), kSelectableOperators.end(), key) !=
         kSelectableOperators.end();
}

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw ArgumentError("GRASPPANDA_OPS=" + quoted(text) + ": " + why);
}

Backend required_backend(std::string_view text, std::string_view name) {
  if (const auto backend = parse_backend(name)) return *backend;
  refuse(text, quoted(name) + " is not one of auto, reference, compiled");
}

}  // namespace

std::string_view backend_name(Backend backend) {
  return kNames[static_cast<std::size_t>(backend)].first;
}

std::optional<Backend> parse_backend(std::string_view name) {
  for (const auto& [known, backend] : kNames)
    if (known == name) return backend;
  return std::nullopt;
}

Backend& BackendChoice::operator[](std::string_view key) {
  return entry(*this, key);
}
Backend BackendChoice::operator[](std::string_view key) const {
  return entry(*this, key);
}

BackendChoice all_backends(Backend backend) {
  return {backend, backend, backend, backend, backend};
}

BackendChoice apply_backend_text(BackendChoice configured, std::string_view text) {
  if (text.empty()) return configured;
  if (text.find_first_of("=,") == std::string_view::npos)
    return all_backends(required_backend(text, text));
  std::set<std::string_view> seen;
  for (std::string_view rest = text;;) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) refuse(text, quoted(part) + " is not OPERATOR=BACKEND");
    const std::string_view key = part.substr(0, equals);
    if (!is_selectable(key))
      refuse(text, quoted(key) + " is not one of fps, ball_query, cylinder_query, knn, rotated");
    if (!seen.insert(key).second) refuse(text, quoted(key) + " is named twice");
    configured[key] = required_backend(text, part.substr(equals + 1));
    if (part.size() == rest.size()) return configured;
    rest.remove_prefix(part.size() + 1);
  }
}

}  // namespace grasppanda::ops
