// Pickles (Python's serialisation, protocols 0 to 5), read as inert data.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "lib/io/mapped_file.h"
#include "lib/io/pickle_value.h"

namespace grasppanda::io {

/// Reads one pickle from the start of `bytes`; `used` receives how many bytes it took. Nothing is
/// called, imported or looked up: foreign objects stay inert (see PickleGraph), and a reference to
/// something that runs code, opens files or evaluates text makes the pickle refused, naming it.
/// Needs no recursion; memory is bounded in terms of the input.
/// Throws FormatError beginning with `name`: cut off, damaged, refused.
std::shared_ptr<const PickleGraph> read_pickle(std::span<const std::byte> bytes,
                                               const std::string& name,
                                               std::size_t* used = nullptr);

/// The pickled objects of a `.npy` entry of object type (NpzReader::read_entry gives the bytes).
/// The root is an array whose data is a list.
std::shared_ptr<const PickleGraph> read_object_npy(const SharedBytes& npy, const std::string& name);

}  // namespace grasppanda::io
