// How many threads a CPU kernel may use at this moment.
#pragma once

namespace grasppanda::ops {

/// LibTorch's number of threads; 1 inside a parallel region of the caller, and 1 for good in a
/// process that was forked: GNU OpenMP does not survive a fork, a child that opened a parallel
/// region would wait for ever for threads that it does not have. There LibTorch, too, is set to one
/// thread.
int kernel_threads();

}  // namespace grasppanda::ops
