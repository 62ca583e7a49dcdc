// What a pickle says, as plain data: a graph of values in which nothing was called or looked up.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/io/array.h"

namespace grasppanda::io {

enum class PickleKind : std::uint8_t {
  none,
  boolean,
  integer,
  big_integer,
  real,
  text,
  bytes,
  list,
  tuple,
  set,
  dict,  // OrderedDict and its kin are dicts, frozenset is a set
  tensor,
  storage,
  array,
  dtype,   // of PyTorch (first two) and NumPy; scalars of NumPy are numbers
  global,  // a class or function, by name
  object   // made by a foreign class or function: inert
};

class PickleValue;
using PickleItems = std::vector<const PickleValue*>;

/// A class or function by name.
struct PickleGlobal {
  std::string module, name;
  bool is_attribute = false;  // a leftover of getattr: `name` is "Class.attribute", no module
  std::string dotted() const { return module.empty() ? name : module + "." + name; }
};

/// An object of a class that we do not know: what it was made from, and the state it was given.
struct PickleObject {
  const PickleValue* type = nullptr;       // a global
  const PickleValue* arguments = nullptr;  // a tuple
  const PickleValue* state = nullptr;      // what BUILD gave it, mostly a dict of attributes
  PickleItems items;                       // of a list-like object
  PickleItems pairs;                       // of a dict-like object: key, value, key, value, ...
};

/// Bytes that lie beside the pickle under a key.
struct PickleStorage {
  std::string type;               // "FloatStorage", ...
  std::optional<DType> dtype;     // none: untyped (items are bytes), or a type we do not read
  std::int64_t item_bytes = 0;    // 0: a type we do not read
  std::string key, location;      // location: "cpu", "cuda:0", ...; of no consequence
  std::int64_t stored_numel = 0;  // items that lie under the key
  std::int64_t first = 0;         // the storage is a part of them from this item on (old legacy
  std::int64_t numel = 0;         // files; else all of them), so many items long
};

/// A view of a storage; offset and strides in items. It lies inside the storage (checked).
struct PickleTensor {
  const PickleStorage* storage = nullptr;
  std::optional<DType> dtype;  // none: a type we do not read
  std::string dtype_name;
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape, strides;
};

struct PickleDType {
  std::string code;  // "f4", "O8", "U5", ...
  char order = '|';
};

struct PickleArray {
  PickleDType dtype;
  std::vector<std::int64_t> shape;
  bool fortran_order = false;
  const PickleValue* data = nullptr;  // bytes, or a list of objects
};

/// One node. A value that the pickle names twice is one node with two parents; containers may hold
/// themselves, so whoever walks the graph bounds depth and work.
class PickleValue {
 public:
  PickleKind kind = PickleKind::none;

  bool is(PickleKind wanted) const { return kind == wanted; }
  std::optional<std::int64_t> integer() const;   // also of a boolean
  std::optional<double> number() const;          // also of an integer
  std::optional<std::string_view> text() const;  // of kind text only
  std::string_view raw() const;                  // text, bytes, big_integer; else empty
  const PickleItems& items() const;              // list, tuple, set; dict: key, value, key, ...
  const PickleTensor* tensor() const { return held<PickleTensor>(); }
  const PickleStorage* storage() const { return held<PickleStorage>(); }
  const PickleArray* array() const { return held<PickleArray>(); }
  const PickleDType* dtype() const { return held<PickleDType>(); }
  const PickleGlobal* global() const { return held<PickleGlobal>(); }
  const PickleObject* object() const { return held<PickleObject>(); }

  /// Of a dict: the value under a text key, null if there is none. Of an object: likewise in the
  /// dict of its state. Linear in the number of entries.
  const PickleValue* find(std::string_view key) const;
  /// Of an object: the dotted name of its class; else empty.
  std::string class_name() const;

  template <class T>
  using Held = std::unique_ptr<T>;
  std::variant<std::monostate, std::int64_t, double, std::string, PickleItems, Held<PickleTensor>,
               Held<PickleStorage>, Held<PickleArray>, Held<PickleDType>, Held<PickleGlobal>,
               Held<PickleObject>>
      content;

 private:
  template <class T>
  const T* held() const {
    const auto* pointer = std::get_if<Held<T>>(&content);
    return pointer == nullptr ? nullptr : pointer->get();
  }
};

/// Owns all values of one pickle.
struct PickleGraph {
  std::deque<PickleValue> values;
  const PickleValue* root = nullptr;
  std::vector<std::string> placeholders;  // foreign globals, each once, in file order
};

/// "a dict of 3 entries", "an object of class torch.nn.Linear", "a tensor float32 (3, 4)", ...
std::string describe(const PickleValue& value);

/// A numeric array as an Array (a copy, row-major, little endian). Throws FormatError beginning
/// with `name`: objects, texts or types that we do not read; damaged.
Array to_array(const PickleArray& array, const std::string& name);

}  // namespace grasppanda::io
