// The key tables of this version: the common one and one per model.
#pragma once

#include <span>

#include "lib/config/key_table.h"

namespace grasppanda::app {

std::span<const config::KeyTable* const> key_tables();

/// The same for evaluations of stored predictions: no model has to be named.
std::span<const config::KeyTable* const> key_tables_without_model();

/// A row of the common table. A path that is not there is a std::logic_error.
const config::Key& common_key(std::string_view path);

}  // namespace grasppanda::app
