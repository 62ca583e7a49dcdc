// Points as three columns, which loops over thousands of them want.
#pragma once

#include <cstddef>
#include <vector>

#include "lib/geometry/camera.h"

namespace grasppanda::eval {

struct PointSet {
  std::vector<double> x, y, z;

  std::size_t size() const { return x.size(); }
  geometry::Vec3 at(std::size_t i) const { return {x[i], y[i], z[i]}; }
  void push_back(const geometry::Vec3& p) {
    x.push_back(p[0]);
    y.push_back(p[1]);
    z.push_back(p[2]);
  }
  void reserve(std::size_t count) {
    x.reserve(count);
    y.reserve(count);
    z.reserve(count);
  }
  void clear() {
    x.clear();
    y.clear();
    z.clear();
  }
};

}  // namespace grasppanda::eval
