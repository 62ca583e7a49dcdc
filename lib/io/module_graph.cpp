#include "lib/io/module_graph.h"

#include <algorithm>

#include "lib/io/format_error.h"

namespace grasppanda::io {

namespace {

constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kMaxModules = 200'000;
constexpr std::size_t kMaxKey = 4096;

class Walk {
 public:
  explicit Walk(const std::string& name) : name_(name) {}

  void visit(const PickleValue& module, const std::string& prefix, std::size_t depth) {
    if (depth > kMaxDepth || ++modules_ > kMaxModules || prefix.size() > kMaxKey) {
      throw FormatError(name_ + ": refused: its modules are nested without end");
    }
    emit(module.find("_parameters"), nullptr, prefix);
    emit(module.find("_buffers"), module.find("_non_persistent_buffers_set"), prefix);
    each(module.find("_modules"), [&](std::string_view key, const PickleValue& child) {
      if (child.object() != nullptr) visit(child, prefix + std::string(key) + ".", depth + 1);
    });
  }
  std::vector<ModuleTensor> take() { return std::move(tensors_); }

 private:
  template <class Visit>
  static void each(const PickleValue* dict, Visit visit) {
    if (dict == nullptr || !dict->is(PickleKind::dict)) return;
    const PickleItems& pairs = dict->items();
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
      if (const auto key = pairs[i]->text()) visit(*key, *pairs[i + 1]);
    }
  }
  void emit(const PickleValue* dict, const PickleValue* left_out, const std::string& prefix) {
    each(dict, [&](std::string_view key, const PickleValue& value) {
      if (value.tensor() == nullptr) return;  // None: an optional one that is not used
      if (left_out != nullptr && std::ranges::any_of(left_out->items(), [&](const auto* entry) {
            return entry->text() == key;
          })) {
        return;
      }
      tensors_.push_back({prefix + std::string(key), value.tensor()});
    });
  }

  const std::string& name_;
  std::size_t modules_ = 0;
  std::vector<ModuleTensor> tensors_;
};

}  // namespace

bool is_module(const PickleValue& value) {
  return value.object() != nullptr && value.find("_modules") != nullptr &&
         value.find("_parameters") != nullptr;
}

std::vector<ModuleTensor> module_tensors(const PickleValue& module, const std::string& name) {
  Walk walk(name);
  walk.visit(module, "", 0);
  return walk.take();
}

}  // namespace grasppanda::io
