// The CUDA driver and cards of this machine, asked at run time: nothing of CUDA is linked, and its
// absence is ordinary.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace grasppanda::run {

struct CudaDevice {
  int index = 0;
  std::string name;
  std::string capability;    // "9.0"
  std::uint64_t memory = 0;  // bytes
};

struct CudaInfo {
  std::string driver;   // CUDA version that the driver speaks, "12.8"; empty: no driver
  std::string runtime;  // of the CUDA runtime library that is loaded; empty: none
  std::vector<CudaDevice> devices;
  std::string note;  // why there are no devices
};

/// Loads the driver's library if there is one. Costs the driver's start (up to some 0.3 s) on a
/// machine with a card, nothing elsewhere.
CudaInfo cuda_info();

}  // namespace grasppanda::run
