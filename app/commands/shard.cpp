#include "app/commands/shard.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "app/report_error.h"

namespace grasppanda::app {

namespace {

bool parse_whole(std::string_view text, std::size_t& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size();
}

}  // namespace

std::size_t Shard::share(std::size_t inputs) const {
  return inputs <= index ? 0 : (inputs - index - 1) / count + 1;
}

std::vector<datasets::InputRef> Shard::part_of(std::vector<datasets::InputRef> inputs) const {
  if (is_whole()) return inputs;
  std::vector<datasets::InputRef> part;
  for (std::size_t i = index; i < inputs.size(); i += count) part.push_back(std::move(inputs[i]));
  return part;
}

std::string Shard::text() const {
  return std::to_string(index) + "/" + std::to_string(count);
}

Shard parse_shard(const std::string& option, const std::string& text) {
  constexpr std::size_t kMost = 1'000'000;
  const std::size_t slash = text.find('/');
  Shard shard;
  const bool good = slash != text.npos &&
                    parse_whole(std::string_view(text).substr(0, slash), shard.index) &&
                    parse_whole(std::string_view(text).substr(slash + 1), shard.count);
  if (!good || shard.index >= shard.count || shard.count > kMost) {
    throw UsageError(option + ": '" + text +
                     "' is no part I/N of the inputs with I from 0 and below N, such as 0/4");
  }
  return shard;
}

Shard shard_of(const Invocation& invocation) {
  return invocation.has("--shard") ? parse_shard("--shard", invocation.value("--shard")) : Shard{};
}

}  // namespace grasppanda::app
