// Which entries of a checkpoint are the weights, and what the others say.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lib/io/checkpoint.h"
#include "lib/io/pickle_value.h"

namespace grasppanda::io {

/// The entry of a checkpoint that holds its weights.
struct WeightsEntry {
  std::string container;               // "" is the top level
  const PickleValue* value = nullptr;  // a dict of tensors, or a pickled module
};

/// Throws FormatError beginning with `name` when there are none; tells second sets by `warnings`.
WeightsEntry choose_weights(const PickleValue& root, const std::string& name,
                            std::vector<std::string>& warnings);

/// A value as JSON, for people to read: tensors, foreign objects and what is large or deep become a
/// text that describes them.
nlohmann::json summary_json(const PickleValue& value);
/// All entries but the weights; of a pickled module its plain settings.
nlohmann::json other_entries_json(const PickleValue& root, const WeightsEntry& weights);

}  // namespace grasppanda::io
