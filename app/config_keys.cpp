#include "app/config_keys.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/contact_graspnet/keys.h"
#include "models/graspnet_baseline/keys.h"
#include "models/gsnet/keys.h"
#include "models/mmrotate/keys.h"
#include "models/yolo_obb/keys.h"

namespace grasppanda::app {

std::span<const config::KeyTable* const> key_tables() {
  static const std::vector<const config::KeyTable*> tables = [] {
    std::vector<const config::KeyTable*> all = {
        &config::common_keys(), &models::gsnet_keys(), &models::graspnet_baseline_keys(),
        &models::contact_graspnet_keys(), &models::yolo_obb_keys()};
    for (const config::KeyTable& table : models::published_detector_keys()) all.push_back(&table);
    return all;
  }();
  return tables;
}

std::span<const config::KeyTable* const> key_tables_without_model() {
  static const std::vector<config::Key> rows = [] {
    const std::span<const config::Key> common = config::common_keys().keys;
    std::vector<config::Key> copied(common.begin(), common.end());
    for (config::Key& key : copied) {
      if (key.path != "model.name") continue;
      key.default_yaml = "none";
      key.words.push_back("none");
    }
    return copied;
  }();
  static const config::KeyTable common = {config::common_keys().owner, rows, {}};
  static const std::vector<const config::KeyTable*> tables = [] {
    std::vector<const config::KeyTable*> all(key_tables().begin(), key_tables().end());
    std::ranges::replace(all, &config::common_keys(), &common);
    return all;
  }();
  return tables;
}

const config::Key& common_key(std::string_view path) {
  for (const config::Key& key : config::common_keys().keys)
    if (key.path == path) return key;
  throw std::logic_error("no configuration key '" + std::string(path) + "'");
}

}  // namespace grasppanda::app
