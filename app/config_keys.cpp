#include "app/config_keys.h"

#include <array>
#include <stdexcept>
#include <string>

#include "models/contact_graspnet/keys.h"
#include "models/yolo_obb/keys.h"

namespace grasppanda::app {

std::span<const config::KeyTable* const> key_tables() {
  static const std::array<const config::KeyTable*, 3> tables = {
      &config::common_keys(), &models::contact_graspnet_keys(), &models::yolo_obb_keys()};
  return tables;
}

const config::Key& common_key(std::string_view path) {
  for (const config::Key& key : config::common_keys().keys)
    if (key.path == path) return key;
  throw std::logic_error("no configuration key '" + std::string(path) + "'");
}

}  // namespace grasppanda::app
