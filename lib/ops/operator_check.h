// Every kernel of every operator with a choice against the reference: its self-check, then calls
// drawn from a seed, on every instruction set and several numbers of threads. What `ops check`
// prints; LibTorch is all it needs.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace grasppanda::ops {

struct CheckSettings {
  c10::Device device = c10::kCPU;
  int64_t calls = 300;      // random calls per kernel
  uint64_t seed = 1;        // of the first of them
  std::string_view only{};  // one operator; empty: all
};

/// One kernel of an operator on the device.
struct KernelCheck {
  std::string kernel;      // "cpu", "cuda"
  std::string missing;     // why it cannot run there; empty: it ran
  int64_t calls = 0;       // self-checks and random calls that were compared
  std::string difference;  // the first one and how to get it again; empty: none
};

struct OperatorCheck {
  std::string_view name;              // "ball_query"
  std::vector<KernelCheck> kernels;   // in order of preference, without the reference
  std::vector<std::string> settings;  // what the calls took turns on: "avx512, 2 threads"
  double seconds = 0;
  bool to_rounding = false;  // of a sum in another order; else to the bit

  bool agrees() const;   // no kernel differs
  bool any_ran() const;  // some kernel ran at all
};

/// Checks the operators one after the other and hands each one out as soon as it is done. Changes
/// the instruction set and LibTorch's threads while it works, and puts them back: not while other
/// threads run kernels.
void check_operators(const CheckSettings& settings,
                     const std::function<void(const OperatorCheck&)>& done);

/// "fps: cpu: 423 calls equal the reference": what a person reads.
std::string check_line(const OperatorCheck& check);

}  // namespace grasppanda::ops
