// NumPy's .npz archives: a zip of .npy entries.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/io/array.h"
#include "lib/io/zip_archive.h"

namespace grasppanda::io {

/// Reads stored and deflated entries. Arrays of stored entries point into the mapped file where
/// their alignment allows.
class NpzReader {
 public:
  /// Throws FormatError: missing, empty, cut off, no zip archive, damaged.
  explicit NpzReader(const std::filesystem::path& path);
  /// The same from memory; `name` stands in messages.
  NpzReader(const SharedBytes& bytes, const std::string& name);

  /// Without `.npy`, in file order; entries of other kinds are left out.
  const std::vector<std::string>& names() const { return names_; }
  bool contains(std::string_view name) const;
  /// Throws FormatError: no such array (naming those that are there), damaged, or an array of
  /// pickled objects, which is listed but never loaded.
  Array read(std::string_view name) const;
  /// The whole `.npy` entry as it lies in the archive (see read_object_npy for pickled objects).
  SharedBytes read_entry(std::string_view name) const;

 private:
  std::string name_;
  ZipArchive archive_;
  std::vector<std::string> names_;
};

/// Writes arrays uncompressed, aligned for reading in place; equal arrays give equal bytes.
/// Throws FormatError if the file cannot be written, std::invalid_argument for equal names.
void write_npz(const std::filesystem::path& path,
               const std::vector<std::pair<std::string, Array>>& arrays);

}  // namespace grasppanda::io
