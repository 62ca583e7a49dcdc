// Numbers as text that reads back to the same double: "626.3", "123.0", never an exponent.
#pragma once

#include <string>

namespace grasppanda::datasets {

/// The fewest decimals that tell the number apart; at least one. Finite numbers only.
std::string decimal_text(double value);

}  // namespace grasppanda::datasets
