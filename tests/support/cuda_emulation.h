// CUDA's language for kernels, run on the CPU: a test includes this and then a *_cuda.cu, and the
// kernel itself is what it tests. Every thread of a block is a fiber; a warp or block operation
// waits until all its threads are there, in an order that changes from launch to launch. Blocks
// that may wait for each other run on threads of their own. What a GPU alone can show, it does not:
// speed, memory that is seen late, or the machine code of nvcc.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>

#include "lib/ops/launch_cuda.h"

namespace grasppanda::tests::emulation {

struct Index {
  unsigned x;
};

/// Runs `thread` for every thread of every block, block after block, or all blocks at once. Null,
/// or what went wrong: lanes that wait for others that never come.
const char* run_blocks(unsigned blocks, unsigned threads, const std::function<void()>& thread);
const char* run_blocks_together(unsigned blocks, unsigned threads,
                                const std::function<void()>& thread);

/// What the emulated device holds at once.
void set_most_blocks_together(int blocks);
int most_blocks_together();
/// Launches so far: together, and in all.
struct Launches {
  int together, all;
};
Launches launches();

/// Waits until every lane of the warp has given its value; the values of all 32.
const std::uint64_t* exchange_in_warp(std::uint64_t value);
void wait_for_block();
void pause();

template <class T>
std::uint64_t packed(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}
template <class T>
T unpacked(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

}  // namespace grasppanda::tests::emulation

extern thread_local grasppanda::tests::emulation::Index threadIdx, blockIdx;

#define __global__
#define __device__
#define __shared__ static thread_local
#define __launch_bounds__(threads)

inline void __syncthreads() {
  grasppanda::tests::emulation::wait_for_block();
}
inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __nanosleep(unsigned) {
  grasppanda::tests::emulation::pause();
}
inline unsigned __ballot_sync(unsigned, bool vote) {
  const std::uint64_t* votes = grasppanda::tests::emulation::exchange_in_warp(vote ? 1 : 0);
  unsigned mask = 0;
  for (int lane = 0; lane < 32; ++lane) mask |= static_cast<unsigned>(votes[lane]) << lane;
  return mask;
}
inline unsigned __reduce_max_sync(unsigned, unsigned value) {
  const std::uint64_t* values = grasppanda::tests::emulation::exchange_in_warp(value);
  std::uint64_t largest = 0;
  for (int lane = 0; lane < 32; ++lane) largest = largest < values[lane] ? values[lane] : largest;
  return static_cast<unsigned>(largest);
}
template <class T>
T __shfl_sync(unsigned, T value, int lane) {
  using namespace grasppanda::tests::emulation;
  return unpacked<T>(exchange_in_warp(packed(value))[lane & 31]);
}
template <class T>
T __shfl_xor_sync(unsigned all, T value, int mask) {
  return __shfl_sync(all, value, static_cast<int>(threadIdx.x % 32) ^ mask);
}
template <class T>
T __shfl_up_sync(unsigned all, T value, int by) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  return __shfl_sync(all, value, lane < by ? lane : lane - by);
}
inline int __popc(int bits) {
  return __builtin_popcount(static_cast<unsigned>(bits));
}
inline int __ffs(int bits) {
  return __builtin_ffs(bits);
}
inline unsigned long long atomicAdd(unsigned long long* at, unsigned long long value) {
  return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
}
inline unsigned long long atomicMax(unsigned long long* at, unsigned long long value) {
  unsigned long long before = __atomic_load_n(at, __ATOMIC_SEQ_CST);
  while (before < value && !__atomic_compare_exchange_n(at, &before, value, false, __ATOMIC_SEQ_CST,
                                                        __ATOMIC_SEQ_CST)) {
  }
  return before;
}
inline unsigned long long atomicCAS(unsigned long long* at, unsigned long long expected,
                                    unsigned long long value) {
  __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}
inline unsigned long long atomicMin(unsigned long long* at, unsigned long long value) {
  unsigned long long before = __atomic_load_n(at, __ATOMIC_SEQ_CST);
  while (before > value && !__atomic_compare_exchange_n(at, &before, value, false, __ATOMIC_SEQ_CST,
                                                        __ATOMIC_SEQ_CST)) {
  }
  return before;
}

namespace grasppanda::ops::device {

inline Failure use_device(const GrasppandaCudaPlace&) {
  return nullptr;
}
inline Failure clear(const GrasppandaCudaPlace&, void* memory, std::size_t bytes) {
  std::memset(memory, 0, bytes);
  return nullptr;
}
template <class... Parameters>
Failure launch(const GrasppandaCudaPlace&, void (*kernel)(Parameters...), unsigned blocks,
               unsigned threads, Parameters... arguments) {
  return tests::emulation::run_blocks(blocks, threads, [&] { kernel(arguments...); });
}
template <class... Parameters>
Failure launch_together(const GrasppandaCudaPlace&, void (*kernel)(Parameters...), unsigned blocks,
                        unsigned threads, Parameters... arguments) {
  return tests::emulation::run_blocks_together(blocks, threads, [&] { kernel(arguments...); });
}
template <class... Parameters>
int most_blocks_together(const GrasppandaCudaPlace&, void (*)(Parameters...), unsigned) {
  return tests::emulation::most_blocks_together();
}

}  // namespace grasppanda::ops::device
