// Does a two-finger grasp hold an object, and how slippery may it be?
#pragma once

#include <array>
#include <optional>

#include "lib/eval/closing_contact.h"

namespace grasppanda::eval {

/// Friction coefficients of the score, and of the columns of the accuracy table.
inline constexpr std::array<double, 6> kFrictions = {0.2, 0.4, 0.6, 0.8, 1.0, 1.2};
/// Score of a grasp that collides, is empty or does not hold even at the highest friction.
inline constexpr double kNotHeld = -1;

/// Where the fingers close, model frame.
struct ClosingAxis {
  Vec3 centre{};     // metres
  Vec3 direction{};  // unit length
  double width = 0;  // metres
};

struct ForceClosure {
  double score = kNotHeld;                         // the least friction at which it holds
  std::optional<std::array<Contact, 2>> contacts;  // both, or none
  std::array<double, 2> angles_rad{};  // between surface normal and the line through both contacts
};

ForceClosure force_closure(const DistanceGrid& grid, const ClosingAxis& axis);

}  // namespace grasppanda::eval
