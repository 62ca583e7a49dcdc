// The weights that the goldens were computed with. They are stored nowhere: every number is a
// function of its tensor's key and its index (the rule is in golden_weights.cpp), and a manifest
// says which tensors there are.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lib/io/checkpoint.h"

namespace grasppanda::tests {

struct GoldenWeights {
  std::string container;                // entry that holds the tensors; "" for the top level
  nlohmann::ordered_json extra;         // what a checkpoint holds beside them
  std::vector<io::NamedArray> tensors;  // in the manifest's order
};

/// `stats`: the .npz beside the manifest with the tensors that are measured rather than drawn;
/// may be empty when the manifest names none. Throws when a file is not what it should be.
GoldenWeights golden_weights(const std::filesystem::path& manifest,
                             const std::filesystem::path& stats = {});

/// Tensors of float32 rounded to float16 (to nearest, ties to even); others as they are.
std::vector<io::NamedArray> halved(const std::vector<io::NamedArray>& tensors);
/// Every key with `prefix` before it.
std::vector<io::NamedArray> prefixed(const std::vector<io::NamedArray>& tensors,
                                     const std::string& prefix);

}  // namespace grasppanda::tests
