// The same work on every item of a list, on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace grasppanda::eval {

/// Calls work(i) for every i below `count`; items are taken in order by whichever thread is free.
/// After the first exception no further item is begun; of several the one of the lowest item is
/// thrown, whatever the timing of those that were begun.
void for_each_item(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

}  // namespace grasppanda::eval
