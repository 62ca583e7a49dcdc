// What the host side of the kernels asks of the CUDA runtime. Outside nvcc these functions come
// from the tests, which run the kernels on the CPU (tests/support/cuda_emulation.h).
#pragma once

#include "lib/ops/cuda_interface.h"

namespace grasppanda::ops::device {

/// Words of the CUDA runtime; null: none.
using Failure = const char*;
constexpr unsigned kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

#ifndef __CUDACC__
#define GRASPPANDA_UNROLL
#else
#define GRASPPANDA_UNROLL _Pragma("unroll")

inline Failure failure_of(cudaError_t error) {
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
inline cudaStream_t stream_of(const GrasppandaCudaPlace& place) {
  return static_cast<cudaStream_t>(place.stream);
}

inline Failure use_device(const GrasppandaCudaPlace& place) {
  return failure_of(cudaSetDevice(place.device));
}

inline Failure clear(const GrasppandaCudaPlace& place, void* memory, std::size_t bytes) {
  return failure_of(cudaMemsetAsync(memory, 0, bytes, stream_of(place)));
}

template <class... Parameters>
Failure launch(const GrasppandaCudaPlace& place, void (*kernel)(Parameters...), unsigned blocks,
               unsigned threads, Parameters... arguments) {
  kernel<<<blocks, threads, 0, stream_of(place)>>>(arguments...);
  return failure_of(cudaGetLastError());
}

/// All blocks are on the device at once, so that they may wait for each other.
template <class... Parameters>
Failure launch_together(const GrasppandaCudaPlace& place, void (*kernel)(Parameters...),
                        unsigned blocks, unsigned threads, Parameters... arguments) {
  void* list[] = {&arguments...};
  const cudaError_t error =
      cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(blocks),
                                  dim3(threads), list, 0, stream_of(place));
  if (error != cudaSuccess) cudaGetLastError();  // it must not turn up in the next call
  return failure_of(error);
}

/// How many blocks `launch_together` takes; 0 where it cannot be used.
template <class... Parameters>
int most_blocks_together(const GrasppandaCudaPlace& place, void (*kernel)(Parameters...),
                         unsigned threads) {
  int able = 0, processors = 0, blocks = 0;
  const bool known =
      cudaDeviceGetAttribute(&able, cudaDevAttrCooperativeLaunch, place.device) == cudaSuccess &&
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, place.device) ==
          cudaSuccess &&
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void*>(kernel),
                                                    static_cast<int>(threads), 0) == cudaSuccess;
  if (!known) cudaGetLastError();
  return known && able != 0 ? processors * blocks : 0;
}

#endif

}  // namespace grasppanda::ops::device
