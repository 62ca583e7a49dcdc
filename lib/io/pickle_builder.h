// What the calls of a pickle mean: each makes a value, none is carried out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "lib/io/pickle_globals.h"
#include "lib/io/pickle_value.h"

namespace grasppanda::io {

/// Makes the values of one graph and bounds how many. Throws FormatError beginning with `name`
/// for a forbidden global (naming it) and for a call whose arguments are not what they must be.
class PickleBuilder {
 public:
  /// `input_size`: bytes of the pickle; the graph's memory is bounded in terms of it.
  PickleBuilder(std::string name, std::size_t input_size);

  template <class T>
  PickleValue* make(PickleKind kind, T content) {
    PickleValue* value = make(kind);
    value->content = std::move(content);
    return value;
  }
  PickleValue* make(PickleKind kind);
  PickleValue* text(std::string_view bytes);  // must be UTF-8
  PickleValue* bytes(std::string_view bytes, PickleKind kind = PickleKind::bytes);
  PickleValue* integer_of(std::string_view little_endian);  // two's complement, any length
  PickleValue* tuple(PickleItems items) { return make(PickleKind::tuple, std::move(items)); }

  PickleValue* global(std::string_view module, std::string_view name);
  /// REDUCE: callable(*arguments).
  PickleValue* call(const PickleValue& callable, const PickleValue& arguments);
  /// NEWOBJ and its kin: class.__new__(class, *arguments).
  PickleValue* construct(const PickleValue& type, const PickleValue& arguments);
  /// BUILD: hands `state` to `value`.
  void build(PickleValue& value, const PickleValue& state);
  /// BINPERSID: what lies outside of the pickle.
  PickleValue* persistent(const PickleValue& id);
  void append(PickleValue& list, const PickleValue* const* first, std::size_t count);
  void set_items(PickleValue& dict, const PickleValue* const* first, std::size_t count);

  [[noreturn]] void damaged(const std::string& why) const;
  [[noreturn]] void refuse(const std::string& why) const;
  std::shared_ptr<const PickleGraph> finish(const PickleValue* root);

 private:
  PickleValue* call_role(GlobalRole role, const PickleValue& callable,
                         const PickleValue& arguments);
  PickleValue* make_object(const PickleValue& type, const PickleValue& arguments);
  PickleValue* make_dict(const PickleItems& arguments);
  PickleValue* make_bytes(const PickleItems& arguments);
  PickleValue* encode(const PickleItems& arguments);
  PickleValue* get_attribute(const PickleItems& arguments);
  PickleValue* rebuild_tensor(const PickleItems& arguments, bool own_dtype);
  PickleValue* numpy_scalar(const PickleItems& arguments);
  PickleValue* numpy_from_buffer(const PickleItems& arguments);
  void build_numpy(PickleValue& value, const PickleValue& state);
  std::vector<std::int64_t> integers(const PickleValue& sequence, const char* what) const;
  GlobalRole role(const PickleValue& value) const;
  void charge(std::size_t bytes);
  /// The entries of argument `index` once more, paid for out of the budget.
  PickleItems entries(const PickleItems& arguments, std::size_t index);
  void require(bool condition, const char* why) const {
    if (!condition) damaged(why);
  }

  std::string name_;
  std::shared_ptr<PickleGraph> graph_;
  std::size_t budget_;  // bytes that calls may still copy: one call can name a large value again
  std::unordered_set<std::string> listed_;
};

}  // namespace grasppanda::io
