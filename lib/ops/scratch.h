// Memory for the length of one kernel call: uninitialised, and kept by the thread for its next
// call. Fresh pages cost more than most kernels do with them: the system clears each one first.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace grasppanda::ops {

/// A block of at least `bytes`, aligned to 64 bytes; `capacity` is what it holds.
void* take_scratch(std::size_t bytes, std::size_t& capacity);
/// Hands it to this thread's store, which keeps the last blocks up to 64 MiB together.
void give_scratch(void* block, std::size_t capacity) noexcept;

/// An array whose items are not initialised.
template <class T>
class Scratch {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  Scratch() = default;
  explicit Scratch(std::size_t size)
      : data_(static_cast<T*>(take_scratch(size * sizeof(T), capacity_))), size_(size) {}
  Scratch(std::size_t size, T value) : Scratch(size) {
    for (std::size_t i = 0; i < size; ++i) data_[i] = value;
  }
  ~Scratch() {
    if (data_ != nullptr) give_scratch(data_, capacity_);
  }
  Scratch(Scratch&& other) noexcept { swap(other); }
  Scratch& operator=(Scratch&& other) noexcept {
    swap(other);
    return *this;
  }

  std::size_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  void swap(Scratch& other) noexcept {
    std::swap(capacity_, other.capacity_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  std::size_t capacity_ = 0;  // before data_: its initialiser writes it
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace grasppanda::ops
