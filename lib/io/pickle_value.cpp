#include "lib/io/pickle_value.h"

#include "lib/io/format_error.h"
#include "lib/io/npy.h"
#include "lib/io/printable_text.h"

namespace grasppanda::io {

namespace {

std::string counted(const char* what, std::size_t count, const char* of) {
  return std::string(what) + " of " + std::to_string(count) + " " + of;
}

}  // namespace

std::optional<std::int64_t> PickleValue::integer() const {
  const auto* value = std::get_if<std::int64_t>(&content);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<double> PickleValue::number() const {
  if (const auto* real = std::get_if<double>(&content)) return *real;
  if (const auto whole = integer()) return static_cast<double>(*whole);
  return std::nullopt;
}

std::optional<std::string_view> PickleValue::text() const {
  if (kind != PickleKind::text) return std::nullopt;
  return std::get<std::string>(content);
}

std::string_view PickleValue::raw() const {
  const auto* value = std::get_if<std::string>(&content);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

const PickleItems& PickleValue::items() const {
  static const PickleItems kNone;
  const auto* value = std::get_if<PickleItems>(&content);
  return value == nullptr ? kNone : *value;
}

const PickleValue* PickleValue::find(std::string_view key) const {
  if (const PickleObject* made = object()) {
    const PickleValue* state = made->state;
    return state != nullptr && state->is(PickleKind::dict) ? state->find(key) : nullptr;
  }
  if (kind != PickleKind::dict) return nullptr;
  const PickleItems& pairs = items();
  for (std::size_t i = pairs.size(); i >= 2; i -= 2) {  // from the back: the last one counts
    if (pairs[i - 2]->text() == key) return pairs[i - 1];
  }
  return nullptr;
}

std::string PickleValue::class_name() const {
  const PickleObject* made = object();
  return made == nullptr || made->type->global() == nullptr ? std::string()
                                                            : made->type->global()->dotted();
}

std::string describe(const PickleValue& value) {
  const std::size_t count = value.items().size();
  switch (value.kind) {
    case PickleKind::none:
      return "None";
    case PickleKind::boolean:
      return *value.integer() != 0 ? "True" : "False";
    case PickleKind::integer:
      return "the number " + std::to_string(*value.integer());
    case PickleKind::big_integer:
      return counted("an integer", value.raw().size(), "bytes");
    case PickleKind::real:
      return "the number " + std::to_string(*value.number());
    case PickleKind::text:
      return "the text " + in_quotes(value.raw(), 60);
    case PickleKind::bytes:
      return counted("a string", value.raw().size(), "bytes");
    case PickleKind::list:
      return counted("a list", count, "entries");
    case PickleKind::tuple:
      return counted("a tuple", count, "entries");
    case PickleKind::set:
      return counted("a set", count, "entries");
    case PickleKind::dict:
      return counted("a dict", count / 2, "entries");
    case PickleKind::tensor:
      return "a tensor " + value.tensor()->dtype_name + " " + shape_text(value.tensor()->shape);
    case PickleKind::storage:
      return counted("a storage", value.storage()->numel, "items");
    case PickleKind::array:
      return "a NumPy array " + printable(value.array()->dtype.code) + " " +
             shape_text(value.array()->shape);
    case PickleKind::dtype:
      return "the NumPy type " + printable(value.dtype()->code);
    case PickleKind::global:
      return "the name " + printable(value.global()->dotted());
    case PickleKind::object:
      return "an object of class " + printable(value.class_name());
  }
  return {};
}

Array to_array(const PickleArray& array, const std::string& name) {
  if (array.data == nullptr || !array.data->is(PickleKind::bytes)) {
    throw FormatError(name + ": is a NumPy array of objects, numbers are wanted");
  }
  // The rules for types, byte and memory order are those of .npy files.
  const std::string descr = array.dtype.order + array.dtype.code;
  if (descr.find('\'') != std::string::npos) throw FormatError(name + ": damaged NumPy type");
  const std::string header = "{'descr': '" + descr +
                             "', 'fortran_order': " + (array.fortran_order ? "True" : "False") +
                             ", 'shape': " + shape_text(array.shape) + "}";
  std::string file("\x93NUMPY\x02\x00", 8);
  for (int i = 0; i < 4; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  file += header;
  file += array.data->raw();
  return parse_npy(std::as_bytes(std::span(file)), name);
}

}  // namespace grasppanda::io
