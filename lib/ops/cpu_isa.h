// The instruction set that the CPU kernels run on, chosen once at run time. No LibTorch here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace grasppanda::ops {

/// "avx512", "avx2", "sse4", "ssse3", "scalar", "neon": what the kernels use now.
std::string cpu_isa();

/// What this machine could use, best first. Every one returns the same results.
std::vector<std::string> available_cpu_isas();

/// Restricts the kernels of this process to one instruction set of the list, for tests; an empty
/// name lifts the restriction. False for a name that is not in the list. Not while a kernel runs.
bool use_cpu_isa(std::string_view name);

}  // namespace grasppanda::ops
