#include "lib/io/pickle_builder.h"

#include <algorithm>

#include "lib/io/format_error.h"
#include "lib/io/printable_text.h"
#include "lib/io/utf8.h"

namespace grasppanda::io {

namespace {

constexpr std::size_t kMaxValues = 4'000'000;  // some 200 MB; real files stay below 100 000
constexpr std::size_t kSpareBudget = 64 << 20;

constexpr std::size_t kMaxName = 1000;

bool is_sequence(const PickleValue& value) {
  return value.is(PickleKind::tuple) || value.is(PickleKind::list) || value.is(PickleKind::set);
}

}  // namespace

PickleBuilder::PickleBuilder(std::string name, std::size_t input_size)
    : name_(std::move(name)),
      graph_(std::make_shared<PickleGraph>()),
      budget_(2 * input_size + kSpareBudget) {}

void PickleBuilder::damaged(const std::string& why) const {
  throw FormatError(name_ + ": damaged: " + why);
}

void PickleBuilder::refuse(const std::string& why) const {
  throw FormatError(name_ + ": refused: " + why);
}

void PickleBuilder::charge(std::size_t bytes) {
  if (bytes > budget_) refuse("its pickle repeats large values without end");
  budget_ -= bytes;
}

PickleItems PickleBuilder::entries(const PickleItems& arguments, std::size_t index) {
  if (index >= arguments.size()) return {};
  const PickleItems& items = arguments[index]->items();
  charge(items.size() * sizeof(items[0]));
  return items;
}

PickleValue* PickleBuilder::make(PickleKind kind) {
  if (graph_->values.size() >= kMaxValues) {
    refuse("its pickle makes more than " + std::to_string(kMaxValues) + " objects");
  }
  PickleValue& value = graph_->values.emplace_back();
  value.kind = kind;
  return &value;
}

PickleValue* PickleBuilder::text(std::string_view bytes) {
  if (!is_valid_utf8(bytes)) damaged("a text in its pickle is not UTF-8");
  return make(PickleKind::text, std::string(bytes));
}

PickleValue* PickleBuilder::bytes(std::string_view bytes, PickleKind kind) {
  return make(kind, std::string(bytes));
}

PickleValue* PickleBuilder::integer_of(std::string_view little_endian) {
  // Shorter than 64 bits, or longer by bytes that only repeat the sign.
  std::string_view digits = little_endian;
  const char fill = !digits.empty() && (digits.back() & 0x80) != 0 ? '\xff' : '\0';
  while (digits.size() > 8 && digits.back() == fill &&
         (digits[digits.size() - 2] & 0x80) == (fill & 0x80)) {
    digits.remove_suffix(1);
  }
  if (digits.size() > 8) return bytes(little_endian, PickleKind::big_integer);
  std::uint64_t value = fill == 0 ? 0 : ~std::uint64_t{0};
  for (std::size_t i = digits.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(digits[i]);
  }
  return make(PickleKind::integer, static_cast<std::int64_t>(value));
}

PickleValue* PickleBuilder::global(std::string_view module, std::string_view name) {
  require(module.size() <= kMaxName && name.size() <= kMaxName, "a name without end");
  require(is_valid_utf8(module) && is_valid_utf8(name), "a name that is not UTF-8");
  const GlobalRole role = role_of(module, name);
  if (role == GlobalRole::forbidden) {
    const std::string where = printable(module), what = printable(name);
    refuse("its pickle refers to '" + where + " " + what + "' (" + where + "." + what +
           "), which can run code, open files or evaluate text; nothing was executed, and such a "
           "file is not loaded");
  }
  auto made = std::make_unique<PickleGlobal>();
  made->module = module;
  made->name = name;
  if (role == GlobalRole::inert && listed_.insert(made->dotted()).second) {
    graph_->placeholders.push_back(made->dotted());
  }
  return make(PickleKind::global, std::move(made));
}

GlobalRole PickleBuilder::role(const PickleValue& value) const {
  const PickleGlobal* global = value.global();
  if (global == nullptr) damaged("its pickle calls " + describe(value));
  if (global->is_attribute) {
    refuse("its pickle calls " + in_quotes(global->name) +
           ", an attribute that it took from a class; nothing was executed, and such a file is not "
           "loaded");
  }
  return role_of(global->module, global->name);
}

PickleValue* PickleBuilder::call(const PickleValue& callable, const PickleValue& arguments) {
  require(arguments.is(PickleKind::tuple), "the arguments of a call are no tuple");
  return call_role(role(callable), callable, arguments);
}

PickleValue* PickleBuilder::call_role(GlobalRole role, const PickleValue& callable,
                                      const PickleValue& tuple) {
  const PickleItems& arguments = tuple.items();
  switch (role) {
    case GlobalRole::forbidden:
      break;  // global() lets none pass
    case GlobalRole::inert:
    case GlobalRole::plain:
    case GlobalRole::torch_dtype:
    case GlobalRole::storage_type:
      return make_object(callable, tuple);
    case GlobalRole::get_attribute:
      return get_attribute(arguments);
    case GlobalRole::dict_type:
      return make_dict(arguments);
    case GlobalRole::set_type:
      return make(PickleKind::set, entries(arguments, 0));
    case GlobalRole::list_type:
      return make(PickleKind::list, entries(arguments, 0));
    case GlobalRole::torch_size:
    case GlobalRole::tuple_type:
      return make(PickleKind::tuple, entries(arguments, 0));
    case GlobalRole::bytes_type:
      return make_bytes(arguments);
    case GlobalRole::encode_text:
      return encode(arguments);
    case GlobalRole::new_object:
    case GlobalRole::reconstruct_object:
      require(!arguments.empty(), "an object without a class");
      charge(arguments.size() * sizeof(arguments[0]));
      return construct(*arguments[0], *make(PickleKind::tuple,
                                            PickleItems(arguments.begin() + 1, arguments.end())));
    case GlobalRole::rebuild_tensor:
      return rebuild_tensor(arguments, false);
    case GlobalRole::rebuild_tensor_v3:
      return rebuild_tensor(arguments, true);
    case GlobalRole::rebuild_parameter: {
      require(!arguments.empty() && arguments[0]->tensor() != nullptr,
              "a parameter without a tensor");
      return const_cast<PickleValue*>(arguments[0]);
    }
    case GlobalRole::rebuild_from_type:  // (function, type, its arguments, state)
      require(arguments.size() == 4, "a tensor subclass with wrong arguments");
      require(this->role(*arguments[0]) != GlobalRole::rebuild_from_type,
              "a tensor subclass inside one");
      return call(*arguments[0], *arguments[2]);
    case GlobalRole::torch_device: {
      std::string device(arguments.empty() ? "" : arguments[0]->raw());
      require(device.size() <= kMaxName, "a device with a name without end");
      if (arguments.size() > 1 && arguments[1]->integer()) {
        device += ':';
        device += std::to_string(*arguments[1]->integer());
      }
      return make(PickleKind::text, std::move(device));
    }
    case GlobalRole::numpy_dtype: {
      require(!arguments.empty(), "a NumPy type without a code");
      auto dtype = std::make_unique<PickleDType>();
      dtype->code = arguments[0]->raw();
      require(dtype->code.size() <= kMaxName, "a NumPy type without end");
      return make(PickleKind::dtype, std::move(dtype));
    }
    case GlobalRole::numpy_reconstruct:
      return make(PickleKind::array, std::make_unique<PickleArray>());
    case GlobalRole::numpy_scalar:
      return numpy_scalar(arguments);
    case GlobalRole::numpy_from_buffer:
      return numpy_from_buffer(arguments);
  }
  damaged("a call without a meaning");
}

PickleValue* PickleBuilder::construct(const PickleValue& type, const PickleValue& arguments) {
  require(arguments.is(PickleKind::tuple), "the arguments of a class are no tuple");
  const GlobalRole role = this->role(type);
  switch (role) {
    case GlobalRole::dict_type:
    case GlobalRole::set_type:
    case GlobalRole::list_type:
    case GlobalRole::tuple_type:
    case GlobalRole::bytes_type:
    case GlobalRole::torch_size:
    case GlobalRole::torch_device:
      return call_role(role, type, arguments);
    case GlobalRole::inert:
    case GlobalRole::plain:
      return make_object(type, arguments);
    default:
      break;
  }
  refuse("its pickle makes an object of " + in_quotes(type.global()->dotted()) +
         ", which is no class");
}

PickleValue* PickleBuilder::make_object(const PickleValue& type, const PickleValue& arguments) {
  auto object = std::make_unique<PickleObject>();
  object->type = &type;
  object->arguments = &arguments;
  return make(PickleKind::object, std::move(object));
}

PickleValue* PickleBuilder::make_dict(const PickleItems& arguments) {
  PickleItems pairs;  // OrderedDict([[key, value], ...]), Counter({...}), defaultdict(factory)
  if (!arguments.empty() && arguments[0]->is(PickleKind::dict)) {
    pairs = entries(arguments, 0);
  } else if (!arguments.empty() && is_sequence(*arguments[0])) {
    charge(2 * sizeof(pairs[0]) * arguments[0]->items().size());
    for (const PickleValue* pair : arguments[0]->items()) {
      require(is_sequence(*pair) && pair->items().size() == 2, "a dict made of what are no pairs");
      pairs.insert(pairs.end(), pair->items().begin(), pair->items().end());
    }
  }
  return make(PickleKind::dict, std::move(pairs));
}

PickleValue* PickleBuilder::make_bytes(const PickleItems& arguments) {
  if (arguments.empty()) return make(PickleKind::bytes, std::string());
  if (arguments[0]->is(PickleKind::text)) return encode(arguments);
  require(arguments[0]->is(PickleKind::bytes), "bytes made of what are none");
  const std::string_view content = arguments[0]->raw();
  charge(content.size());
  return bytes(content);
}

PickleValue* PickleBuilder::encode(const PickleItems& arguments) {
  require(arguments.size() >= 2 && arguments[0]->is(PickleKind::text) &&
              (arguments[1]->text() == "latin1" || arguments[1]->text() == "latin-1"),
          "a string in an unknown encoding");
  const std::string_view text = arguments[0]->raw();
  charge(text.size());
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      result += text[i];
    } else {
      require(lead <= 0xc3, "a string that is not Latin-1");
      result += static_cast<char>((lead & 3) << 6 | (text[++i] & 0x3f));  // text() checked UTF-8
    }
  }
  return make(PickleKind::bytes, std::move(result));
}

// A leftover of bound methods: the name of a foreign class and an attribute stays a name, which
// nobody may call. Everything else that getattr could do is refused.
PickleValue* PickleBuilder::get_attribute(const PickleItems& arguments) {
  const PickleGlobal* of = arguments.empty() ? nullptr : arguments[0]->global();
  if (arguments.size() != 2 || of == nullptr || of->is_attribute || !arguments[1]->text() ||
      role_of(of->module, of->name) != GlobalRole::inert) {
    refuse("its pickle calls 'builtins getattr' (builtins.getattr) on " +
           (arguments.empty() ? std::string("nothing") : describe(*arguments[0])) +
           "; nothing was executed, and such a file is not loaded");
  }
  require(arguments[1]->raw().size() <= kMaxName, "a name without end");
  auto made = std::make_unique<PickleGlobal>();
  made->name = of->name.substr(of->name.rfind('.') + 1) + "." + std::string(*arguments[1]->text());
  made->is_attribute = true;
  if (listed_.insert(made->name).second) graph_->placeholders.push_back(made->name);
  return make(PickleKind::global, std::move(made));
}

void PickleBuilder::build(PickleValue& value, const PickleValue& state) {
  switch (value.kind) {
    case PickleKind::object:
      std::get<PickleValue::Held<PickleObject>>(value.content)->state = &state;
      return;
    case PickleKind::dtype:
    case PickleKind::array:
      return build_numpy(value, state);
    // Attributes beside the entries, such as `_metadata` of a state dict, carry no weights.
    case PickleKind::dict:
    case PickleKind::set:
    case PickleKind::list:
    case PickleKind::tensor:
      return;
    default:
      damaged("its pickle gives attributes to " + describe(value));
  }
}

void PickleBuilder::append(PickleValue& list, const PickleValue* const* first, std::size_t count) {
  PickleItems* items = nullptr;
  if (list.is(PickleKind::list) || list.is(PickleKind::set)) {
    items = &std::get<PickleItems>(list.content);
  } else if (list.is(PickleKind::object)) {
    items = &std::get<PickleValue::Held<PickleObject>>(list.content)->items;
  } else {
    damaged("its pickle appends to " + describe(list));
  }
  items->insert(items->end(), first, first + count);
}

void PickleBuilder::set_items(PickleValue& dict, const PickleValue* const* first,
                              std::size_t count) {
  require(count % 2 == 0, "a key without a value");
  PickleItems* pairs = nullptr;
  if (dict.is(PickleKind::dict)) {
    pairs = &std::get<PickleItems>(dict.content);
  } else if (dict.is(PickleKind::object)) {
    pairs = &std::get<PickleValue::Held<PickleObject>>(dict.content)->pairs;
  } else {
    damaged("its pickle sets entries of " + describe(dict));
  }
  pairs->insert(pairs->end(), first, first + count);
}

std::shared_ptr<const PickleGraph> PickleBuilder::finish(const PickleValue* root) {
  graph_->root = root;
  return std::exchange(graph_, nullptr);
}

}  // namespace grasppanda::io
