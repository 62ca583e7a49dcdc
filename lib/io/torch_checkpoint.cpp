#include "lib/io/torch_checkpoint.h"

#include "lib/io/format_error.h"
#include "lib/io/printable_text.h"
#include "lib/io/strided.h"

namespace grasppanda::io {

namespace {

// Weights that are tied or expanded may count more than once; no honest file goes beyond this.
constexpr std::size_t kBudgetPerByte = 4;
constexpr std::size_t kSpareBudget = 256 << 20;

}  // namespace

TorchCheckpoint::TorchCheckpoint(std::string format, std::string name, std::size_t file_size,
                                 std::shared_ptr<const PickleGraph> graph,
                                 std::unique_ptr<StorageSource> storages)
    : format_(std::move(format)),
      name_(std::move(name)),
      graph_(std::move(graph)),
      storages_(std::move(storages)),
      budget_(kBudgetPerByte * file_size + kSpareBudget) {}

SharedBytes TorchCheckpoint::storage(const PickleStorage& storage) const {
  const auto [found, is_new] = read_.try_emplace(storage.key);
  if (is_new) {
    try {
      found->second = storages_->read(storage.key);
    } catch (...) {
      read_.erase(found);
      throw;
    }
  }
  std::int64_t wanted = 0;
  if (__builtin_mul_overflow(storage.stored_numel, storage.item_bytes, &wanted) ||
      static_cast<std::uint64_t>(wanted) > found->second.size) {
    throw FormatError(name_ + ": damaged: storage " + in_quotes(storage.key) + " should have " +
                      std::to_string(storage.stored_numel) + " items of " +
                      std::to_string(storage.item_bytes) + " bytes, the file holds " +
                      std::to_string(found->second.size) + " bytes of it");
  }
  return found->second;
}

Array TorchCheckpoint::array(const PickleTensor& tensor, const std::string& key) const {
  if (!tensor.dtype) {
    throw FormatError(name_ + ": tensor " + in_quotes(key) + " has the type " +
                      printable(tensor.dtype_name) + ", which is not read");
  }
  Array array;
  array.dtype = *tensor.dtype;
  array.shape = tensor.shape;
  const std::size_t item = item_size(array.dtype);
  const std::int64_t numel = array.numel();
  if (numel == 0) return array;

  const std::lock_guard lock(mutex_);
  if (static_cast<std::uint64_t>(numel) > budget_ / item) {
    throw FormatError(name_ +
                      ": refused: its tensors are together out of proportion to the file "
                      "(at " +
                      in_quotes(key) + ", " + describe(array) + ")");
  }
  budget_ -= static_cast<std::size_t>(numel) * item;
  // Inside the storage by the check when the pickle was read; the storage inside the file by this.
  const SharedBytes bytes = storage(*tensor.storage);
  const std::byte* first = bytes.data.get() + tensor.storage->first * tensor.storage->item_bytes +
                           tensor.offset * static_cast<std::int64_t>(item);
  if (is_row_major(tensor.shape, tensor.strides) &&
      reinterpret_cast<std::uintptr_t>(first) % item == 0) {
    array.data = {bytes.data, first};
    return array;
  }
  auto memory = allocate_bytes(static_cast<std::size_t>(numel) * item);
  copy_strided(first, memory.get(), tensor.shape, tensor.strides, item);
  array.data = std::move(memory);
  return array;
}

}  // namespace grasppanda::io
