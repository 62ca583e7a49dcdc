// A file of torch.save: its pickle as an inert graph, and the bytes of its storages.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "lib/io/array.h"
#include "lib/io/mapped_file.h"
#include "lib/io/pickle_value.h"
#include "lib/io/zip_archive.h"

namespace grasppanda::io {

/// Where the storages of a file lie.
class StorageSource {
 public:
  virtual ~StorageSource() = default;
  /// The bytes under `key`; no data if there are none. Throws FormatError when they are damaged.
  virtual SharedBytes read(const std::string& key) = 0;
};

class TorchCheckpoint {
 public:
  TorchCheckpoint(std::string format, std::string name, std::size_t file_size,
                  std::shared_ptr<const PickleGraph> graph,
                  std::unique_ptr<StorageSource> storages);

  const std::string& format() const { return format_; }  // "zip" or "legacy"
  const PickleGraph& graph() const { return *graph_; }
  const PickleValue& root() const { return *graph_->root; }

  /// The items of a tensor, row-major; in place where they lie so and are aligned. Only here bytes
  /// of a storage are looked at. `key` stands in messages. Safe to call from several threads.
  /// Throws FormatError: the storage is missing, too short, damaged; a type that is not read; the
  /// tensors asked for are together out of proportion to the file (expanded views).
  Array array(const PickleTensor& tensor, const std::string& key) const;

 private:
  SharedBytes storage(const PickleStorage& storage) const;

  std::string format_, name_;
  std::shared_ptr<const PickleGraph> graph_;
  std::unique_ptr<StorageSource> storages_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, SharedBytes> read_;
  mutable std::size_t budget_;
};

/// Both throw FormatError beginning with `name`.
std::shared_ptr<const TorchCheckpoint> read_torch_zip(const SharedBytes& file,
                                                      const std::string& name);
std::shared_ptr<const TorchCheckpoint> read_torch_legacy(const SharedBytes& file,
                                                         const std::string& name);

}  // namespace grasppanda::io
