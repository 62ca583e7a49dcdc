// The keys that count for one model: the common table with the model's own rows and defaults.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/config/key_table.h"

namespace grasppanda::config {

class KeySet {
 public:
  /// `model`: nullptr when the model is not known; then no model's own keys are there.
  KeySet(std::span<const KeyTable* const> tables, const KeyTable* model);

  const Key* find(std::string_view path) const;
  /// Is it a map of settings, such as "postprocess.nms"?
  bool is_section(std::string_view path) const;
  /// Keys and sections, for suggestions.
  const std::vector<std::string_view>& names() const { return names_; }
  /// Names right below a section, in order.
  std::vector<std::string> below(std::string_view section) const;
  /// Rows in the order of the file that is shown: sections whole, `model` first.
  const std::vector<const Key*>& in_order() const { return in_order_; }
  std::string_view default_yaml(const Key& key) const;

 private:
  std::vector<const Key*> in_order_;
  std::map<std::string_view, const Key*> by_path_;
  std::map<std::string_view, std::string_view> other_defaults_;
  std::vector<std::string_view> names_;
};

/// The table of the model with this name, or nullptr.
const KeyTable* find_model(std::span<const KeyTable* const> tables, std::string_view name);
/// Names of all models that have a table.
std::vector<std::string_view> model_names(std::span<const KeyTable* const> tables);

}  // namespace grasppanda::config
