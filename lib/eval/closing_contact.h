// Where a finger that closes along a line meets an object, and the surface normal there.
#pragma once

#include <optional>

#include "lib/eval/distance_grid.h"

namespace grasppanda::eval {

struct Contact {
  Vec3 point;   // model frame, metres
  Vec3 normal;  // of the surface, against the closing direction; float32 values
};

/// The line starts at `start` (model frame), runs along the unit vector `direction` and is
/// `length` metres long. It is sampled about twice per grid cell, at three places at least; the
/// first sample on the surface that a parabola through its neighbours confirms is the contact.
/// Nothing: no contact, or no normal at the contact.
std::optional<Contact> first_contact(const DistanceGrid& grid, const Vec3& start,
                                     const Vec3& direction, double length);

}  // namespace grasppanda::eval
