// What the CPU kernels use of Highway, for builds without it (GRASPPANDA_OPS_ONLY where Highway is
// not installed): vectors of one lane, one target, no choice at run time. Same results, by the same
// kernels, slower. Only such a build has this folder among its include folders.
#pragma once

#include <cstdint>

#include "lib/ops/scalar_lanes/lanes.h"

#define HWY_NAMESPACE N_SCALAR
#define HWY_ONCE 1
#define HWY_TARGET 1
#define HWY_TARGETS 1
#define HWY_BEFORE_NAMESPACE() static_assert(true)
#define HWY_AFTER_NAMESPACE() static_assert(true)
#define HWY_INLINE inline
#define HWY_NOINLINE
#define HWY_ATTR
#define HWY_RESTRICT __restrict__
#define HWY_ALIGN alignas(64)
#define HWY_EXPORT(FUNCTION) constexpr auto FUNCTION##OfOneTarget = &HWY_NAMESPACE::FUNCTION
#define HWY_DYNAMIC_DISPATCH(FUNCTION) (*FUNCTION##OfOneTarget)

namespace hwy {

inline std::int64_t SupportedTargets() {
  return HWY_TARGETS;
}
inline void SetSupportedTargetsForTest(std::int64_t) {}
inline const char* TargetName(std::int64_t) {
  return "SCALAR";
}

struct ChosenTarget {
  bool IsInitialized() const { return true; }
  void Update(std::int64_t) {}
};
inline ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

namespace HWY_NAMESPACE {
using namespace grasppanda::ops::scalar_lanes;
}

}  // namespace hwy
