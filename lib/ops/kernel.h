// One implementation of an operator.
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <string>

namespace grasppanda::ops {

/// Why a kernel does not run; empty when it does.
using Reason = std::string;

template <class Signature>
struct Kernel;

/// The reference of an operator is its last kernel; it is missing nowhere and declines nothing.
/// A kernel is called with arguments that the operator has checked.
template <class Result, class... Arguments>
struct Kernel<Result(Arguments...)> {
  std::string name;  // "reference", "cpu", "cuda"

  /// Why it cannot run on such a device in this program ("this build has no CUDA kernels"). A
  /// kernel that is missing makes an explicit `compiled` an error. Empty function: never missing.
  std::function<Reason(c10::DeviceType)> missing;

  /// Why it leaves this call to the next kernel ("float64 runs on the reference"); also with an
  /// explicit `compiled`. Empty function: takes every call.
  std::function<Reason(const Arguments&...)> declines;

  std::function<Result(const Arguments&...)> run;
};

inline constexpr const char* kReference = "reference";

/// What `missing` says of a kernel that the device in question could never run.
inline constexpr const char* kForAnotherDevice = "it is a kernel for another device";

}  // namespace grasppanda::ops
