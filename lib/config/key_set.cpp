#include "lib/config/key_set.h"

#include <algorithm>

namespace grasppanda::config {

namespace {

constexpr std::string_view kCommon = "common";

/// "a", "a.b", "a.b.c" of "a.b.c".
std::vector<std::string_view> prefixes(std::string_view path) {
  std::vector<std::string_view> all;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos;
       dot = path.find('.', dot + 1))
    all.push_back(path.substr(0, dot));
  all.push_back(path);
  return all;
}

}  // namespace

const KeyTable* find_model(std::span<const KeyTable* const> tables, std::string_view name) {
  for (const KeyTable* table : tables)
    if (table->owner != kCommon && table->owner == name) return table;
  return nullptr;
}

std::vector<std::string_view> model_names(std::span<const KeyTable* const> tables) {
  std::vector<std::string_view> names;
  for (const KeyTable* table : tables)
    if (table->owner != kCommon) names.push_back(table->owner);
  return names;
}

KeySet::KeySet(std::span<const KeyTable* const> tables, const KeyTable* model) {
  std::vector<const Key*> rows;
  for (const KeyTable* table : tables)
    if (table->owner == kCommon || table == model)
      for (const Key& key : table->keys) rows.push_back(&key);
  if (model != nullptr)
    for (const Key& key : model->other_defaults) other_defaults_[key.path] = key.default_yaml;
  for (const Key* key : rows) by_path_[key->path] = key;

  // A model's rows join the sections that the common table opened: order of first appearance at
  // every level, so that each section is one block.
  std::map<std::string_view, std::size_t> rank;
  for (const Key* key : rows)
    for (const std::string_view prefix : prefixes(key->path))
      if (rank.emplace(prefix, rank.size()).second) names_.push_back(prefix);
  const auto ranks = [&](const Key* key) {
    std::vector<std::size_t> all;
    for (const std::string_view prefix : prefixes(key->path)) all.push_back(rank[prefix]);
    return all;
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Key* a, const Key* b) { return ranks(a) < ranks(b); });
  in_order_ = std::move(rows);
}

const Key* KeySet::find(std::string_view path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : found->second;
}

bool KeySet::is_section(std::string_view path) const {
  return find(path) == nullptr && std::find(names_.begin(), names_.end(), path) != names_.end();
}

std::vector<std::string> KeySet::below(std::string_view section) const {
  std::vector<std::string> names;
  for (const Key* key : in_order_) {
    if (!key->path.starts_with(std::string(section) + ".")) continue;
    const std::string_view rest = key->path.substr(section.size() + 1);
    const std::string name(rest.substr(0, rest.find('.')));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string_view KeySet::default_yaml(const Key& key) const {
  const auto other = other_defaults_.find(key.path);
  return other == other_defaults_.end() ? key.default_yaml : other->second;
}

}  // namespace grasppanda::config
