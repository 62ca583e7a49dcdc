// "did you mean ...?": the nearest of some known words, for keys, commands, flags and values.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace grasppanda::config {

/// Smallest number of insertions, deletions, substitutions and swaps of neighbours that turn `a`
/// into `b` (each place edited once).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that `given` was probably meant to be, or an empty view. For dotted names also one
/// that ends in `.given`, or whose last part is equal.
std::string_view nearest(std::string_view given, std::span<const std::string_view> candidates);

/// "; did you mean 'runtime.seed'?" or "".
std::string did_you_mean(std::string_view given, std::span<const std::string_view> candidates);

}  // namespace grasppanda::config
