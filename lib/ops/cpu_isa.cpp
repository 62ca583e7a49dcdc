// Every target that this file is compiled for leaves its name in a table, so that the list holds
// what the kernels were really built for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/cpu_isa.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstdint>

#include "lib/ops/cpu_isa.h"

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::isa {
namespace HWY_NAMESPACE {
std::int64_t Target() {
  return HWY_TARGET;
}
}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::isa
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace grasppanda::ops {
namespace isa {
namespace {

HWY_EXPORT(Target);

std::string name_of(std::int64_t target) {
  const std::string_view name = hwy::TargetName(target);
  if (name.starts_with("AVX3")) return "avx512";
  if (name.starts_with("NEON")) return "neon";
  if (name == "AVX2") return "avx2";
  if (name == "SSE4") return "sse4";
  if (name == "SSSE3") return "ssse3";
  if (name == "SSE2") return "sse2";
  if (name == "SVE" || name.starts_with("SVE")) return "sve";
  return "scalar";
}

std::int64_t target_in_use() {
  if (!hwy::GetChosenTarget().IsInitialized())
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return HWY_DYNAMIC_DISPATCH(Target)();
}

void restrict_to(std::int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

/// Targets that were compiled and that this machine can run, best first (Highway's order).
std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> found;
  restrict_to(0);
  std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS;
  for (; left != 0; left &= left - 1) found.push_back(left & -left);
  return found;
}

}  // namespace
}  // namespace isa

std::string cpu_isa() {
  return isa::name_of(isa::target_in_use());
}

std::vector<std::string> available_cpu_isas() {
  const std::int64_t in_use = isa::target_in_use();
  std::vector<std::string> names;
  for (const std::int64_t target : isa::targets())
    if (names.empty() || names.back() != isa::name_of(target))
      names.push_back(isa::name_of(target));
  // Asking must not change what runs.
  isa::restrict_to(in_use == isa::targets().front() ? 0 : in_use);
  return names;
}

bool use_cpu_isa(std::string_view name) {
  const std::vector<std::int64_t> targets = isa::targets();
  if (name.empty()) return true;
  for (const std::int64_t target : targets) {
    if (isa::name_of(target) != name) continue;
    isa::restrict_to(target);
    return true;
  }
  return false;
}

}  // namespace grasppanda::ops
#endif
