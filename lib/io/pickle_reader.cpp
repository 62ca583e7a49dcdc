#include "lib/io/pickle_reader.h"

#include <bit>
#include <charconv>
#include <unordered_map>

#include "lib/io/format_error.h"
#include "lib/io/npy_header.h"
#include "lib/io/pickle_builder.h"
#include "lib/io/pickle_opcodes.h"
#include "lib/io/pickle_text.h"

namespace grasppanda::io {

namespace {

constexpr std::size_t kMaxSteps = 64'000'000;

class PickleReader {
 public:
  PickleReader(std::span<const std::byte> bytes, const std::string& name)
      : bytes_(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
        builder_(name, bytes.size()),
        name_(name),
        none_(builder_.make(PickleKind::none)),
        true_(builder_.make(PickleKind::boolean, std::int64_t{1})),
        false_(builder_.make(PickleKind::boolean, std::int64_t{0})),
        empty_tuple_(builder_.make(PickleKind::tuple, PickleItems())) {}

  std::shared_ptr<const PickleGraph> read(std::size_t* used) {
    for (std::size_t steps = 0;; ++steps) {
      if (steps > kMaxSteps) builder_.refuse("its pickle has more than 64 million steps");
      const auto opcode = static_cast<Opcode>(take(1)[0]);
      if (opcode == Opcode::stop) break;
      step(opcode);
    }
    const PickleValue* root = pop();
    if (used != nullptr) *used = at_;
    return builder_.finish(root);
  }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) {
      throw FormatError(name_ + ": cut off inside its pickle");
    }
    const std::string_view part = bytes_.substr(at_, count);
    at_ += count;
    return part;
  }
  // Little-endian, `size` bytes.
  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    const std::string_view part = take(size);
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(part[i]);
    return value;
  }
  std::string_view line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) throw FormatError(name_ + ": cut off inside its pickle");
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  void push(const PickleValue* value) { stack_.push_back(const_cast<PickleValue*>(value)); }
  PickleValue* pop() {
    PickleValue* value = top();
    stack_.pop_back();
    return value;
  }
  PickleValue* top() const {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) {
      builder_.damaged("its pickle takes more than it has");
    }
    return stack_.back();
  }
  // What lies above the last mark, which is removed.
  PickleItems pop_mark() {
    if (marks_.empty()) builder_.damaged("its pickle has no mark where one is needed");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    PickleItems items(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return items;
  }
  PickleItems pop_items(std::size_t count) {
    PickleItems items(count);
    while (count-- > 0) items[count] = pop();
    return items;
  }
  void put(std::uint64_t index) { memo_[index] = top(); }
  void get(std::uint64_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) builder_.damaged("its pickle recalls what it never stored");
    push(found->second);
  }
  std::uint64_t line_number() {
    std::uint64_t value = 0;
    const std::string_view text = line();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      builder_.damaged("its pickle has a word for a number");
    }
    return value;
  }
  void append(PickleItems items) { builder_.append(*top(), items.data(), items.size()); }
  void set_items(PickleItems items) { builder_.set_items(*top(), items.data(), items.size()); }
  void push_dict(PickleItems items) {
    PickleValue* dict = builder_.make(PickleKind::dict, PickleItems());
    builder_.set_items(*dict, items.data(), items.size());
    push(dict);
  }
  void push_long(std::uint64_t size) {
    const std::string_view digits = take(size);
    push(builder_.integer_of(digits));
  }
  void step(Opcode opcode);
  void make_step(Opcode opcode);
  void line_step(Opcode opcode);

  std::string_view bytes_;
  std::size_t at_ = 0;
  PickleBuilder builder_;
  const std::string& name_;
  std::vector<PickleValue*> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, PickleValue*> memo_;
  PickleValue *none_, *true_, *false_, *empty_tuple_;
};

void PickleReader::step(Opcode opcode) {
  switch (opcode) {
    case Opcode::proto:
      if (const auto protocol = number(1); protocol > 5) {
        builder_.damaged("pickle protocol " + std::to_string(protocol) +
                         " is unknown, 5 is the last");
      }
      return;
    case Opcode::frame: {
      const std::uint64_t size = number(8);  // only a hint for readers of streams
      if (size > bytes_.size() - at_) throw FormatError(name_ + ": cut off inside its pickle");
      return;
    }
    case Opcode::mark:
      return marks_.push_back(stack_.size());
    case Opcode::pop:
      if (!marks_.empty() && stack_.size() == marks_.back()) return marks_.pop_back();
      pop();
      return;
    case Opcode::pop_mark:
      pop_mark();
      return;
    case Opcode::dup:
      return push(top());
    case Opcode::binput:
      return put(number(1));
    case Opcode::long_binput:
      return put(number(4));
    case Opcode::memoize:
      return put(memo_.size());
    case Opcode::binget:
      return get(number(1));
    case Opcode::long_binget:
      return get(number(4));
    case Opcode::append:
      return append(pop_items(1));
    case Opcode::appends:
    case Opcode::additems:
      return append(pop_mark());
    case Opcode::setitem:
      return set_items(pop_items(2));
    case Opcode::setitems:
      return set_items(pop_mark());
    case Opcode::build: {
      const PickleValue* state = pop();
      return builder_.build(*top(), *state);
    }
    case Opcode::binpersid:
      return push(builder_.persistent(*pop()));
    case Opcode::stack_global: {
      const PickleValue *name = pop(), *module = pop();
      if (!name->text() || !module->text()) builder_.damaged("its pickle names what is no name");
      return push(builder_.global(*module->text(), *name->text()));
    }
    case Opcode::reduce: {
      const PickleValue* arguments = pop();
      return push(builder_.call(*pop(), *arguments));
    }
    case Opcode::newobj: {
      const PickleValue* arguments = pop();
      return push(builder_.construct(*pop(), *arguments));
    }
    case Opcode::newobj_ex: {
      pop();  // keyword arguments, of no use for an inert object
      const PickleValue* arguments = pop();
      return push(builder_.construct(*pop(), *arguments));
    }
    case Opcode::obj: {
      const PickleItems parts = pop_mark();
      if (parts.empty()) builder_.damaged("its pickle makes an object without a class");
      const auto* arguments =
          builder_.make(PickleKind::tuple, PickleItems(parts.begin() + 1, parts.end()));
      return push(builder_.construct(*parts[0], *arguments));
    }
    case Opcode::ext1:
    case Opcode::ext2:
    case Opcode::ext4:
      builder_.refuse("its pickle uses Python's extension registry, which can stand for any name");
    case Opcode::next_buffer:
      builder_.damaged("its pickle wants data from outside of the file");
    case Opcode::readonly_buffer:
      return;
    default:
      return make_step(opcode);
  }
}

// Steps that push a value.
void PickleReader::make_step(Opcode opcode) {
  switch (opcode) {
    case Opcode::none:
      return push(none_);
    case Opcode::newtrue:
      return push(true_);
    case Opcode::newfalse:
      return push(false_);
    case Opcode::binint1:
      return push(builder_.make(PickleKind::integer, static_cast<std::int64_t>(number(1))));
    case Opcode::binint2:
      return push(builder_.make(PickleKind::integer, static_cast<std::int64_t>(number(2))));
    case Opcode::binint:
      return push(builder_.integer_of(take(4)));
    case Opcode::long1:
      return push_long(number(1));
    case Opcode::long4:
      return push_long(number(4));
    case Opcode::binfloat: {
      std::uint64_t bits = 0;
      for (const char byte : take(8)) bits = bits << 8 | static_cast<unsigned char>(byte);
      return push(builder_.make(PickleKind::real, std::bit_cast<double>(bits)));
    }
    case Opcode::short_binunicode:
      return push(builder_.text(take(number(1))));
    case Opcode::binunicode:
      return push(builder_.text(take(number(4))));
    case Opcode::binunicode8:
      return push(builder_.text(take(number(8))));
    case Opcode::short_binstring:
      return push(python2_string(builder_, take(number(1))));
    case Opcode::binstring:
      return push(python2_string(builder_, take(number(4))));
    case Opcode::short_binbytes:
      return push(builder_.bytes(take(number(1))));
    case Opcode::binbytes:
      return push(builder_.bytes(take(number(4))));
    case Opcode::binbytes8:
    case Opcode::bytearray8:
      return push(builder_.bytes(take(number(8))));
    case Opcode::empty_tuple:
      return push(empty_tuple_);
    case Opcode::tuple1:
      return push(builder_.make(PickleKind::tuple, pop_items(1)));
    case Opcode::tuple2:
      return push(builder_.make(PickleKind::tuple, pop_items(2)));
    case Opcode::tuple3:
      return push(builder_.make(PickleKind::tuple, pop_items(3)));
    case Opcode::tuple:
      return push(builder_.make(PickleKind::tuple, pop_mark()));
    case Opcode::empty_list:
      return push(builder_.make(PickleKind::list, PickleItems()));
    case Opcode::list:
      return push(builder_.make(PickleKind::list, pop_mark()));
    case Opcode::empty_dict:
      return push(builder_.make(PickleKind::dict, PickleItems()));
    case Opcode::dict:
      return push_dict(pop_mark());
    case Opcode::empty_set:
      return push(builder_.make(PickleKind::set, PickleItems()));
    case Opcode::frozenset:
      return push(builder_.make(PickleKind::set, pop_mark()));
    default:
      return line_step(opcode);
  }
}

// The steps of protocols 0 and 1, whose arguments are lines of text.
void PickleReader::line_step(Opcode opcode) {
  switch (opcode) {
    case Opcode::global: {
      const std::string_view module = line(), name = line();
      return push(builder_.global(module, name));
    }
    case Opcode::inst: {
      const std::string_view module = line(), name = line();
      const PickleValue* type = builder_.global(module, name);
      return push(builder_.construct(*type, *builder_.make(PickleKind::tuple, pop_mark())));
    }
    case Opcode::int_line: {
      const std::string_view text = line();
      if (text == "00" || text == "01") return push(text == "01" ? true_ : false_);
      return push(decimal_integer(builder_, text));
    }
    case Opcode::long_line:
      return push(decimal_integer(builder_, line()));
    case Opcode::float_line:
      return push(decimal_real(builder_, line()));
    case Opcode::string_line:
      return push(quoted_string(builder_, line()));
    case Opcode::unicode_line:
      return push(escaped_text(builder_, line()));
    case Opcode::put_line:
      return put(line_number());
    case Opcode::get_line:
      return get(line_number());
    default:
      break;
  }
  builder_.damaged("its pickle has the unknown step " +
                   std::to_string(static_cast<unsigned>(opcode)) + " at byte " +
                   std::to_string(at_ - 1));
}

}  // namespace

std::shared_ptr<const PickleGraph> read_pickle(std::span<const std::byte> bytes,
                                               const std::string& name, std::size_t* used) {
  return PickleReader(bytes, name).read(used);
}

std::shared_ptr<const PickleGraph> read_object_npy(const SharedBytes& npy,
                                                   const std::string& name) {
  const NpyHeader header = parse_npy_header(npy.span(), name);
  if (header.kind != 'O') throw FormatError(name + ": is no array of objects");
  return read_pickle(npy.span().subspan(header.data_offset), name);
}

}  // namespace grasppanda::io
