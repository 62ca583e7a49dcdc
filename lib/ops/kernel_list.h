// The implementations of an operator in order of preference, and the choice among them.
#pragma once

#include <c10/core/Device.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/ops/backend.h"
#include "lib/ops/errors.h"
#include "lib/ops/kernel.h"
#include "lib/ops/self_check.h"

namespace grasppanda::ops {

/// What an operator runs on a device under some choice of backend.
struct Settled {
  Backend backend = Backend::reference;
  Reason note;  // why it is not a compiled kernel; empty when it is one
};

/// A kernel list without its argument types.
class AnyKernelList {
 public:
  virtual ~AnyKernelList() = default;
  virtual std::string_view key() const = 0;   // of the choice of backend: "fps", "rotated"
  virtual std::string_view name() const = 0;  // "fps", "rotated_iou": a choice may cover several
  /// What the choice in force on this thread comes to. Runs the self-checks that are due.
  virtual Settled settle(c10::Device device) const = 0;
};

template <class Signature>
class KernelList;

template <class Result, class... Arguments>
class KernelList<Result(Arguments...)> final : public AnyKernelList {
 public:
  using KernelType = Kernel<Result(Arguments...)>;
  using Kernels = std::vector<KernelType>;
  /// The first difference of a kernel from the reference on a device, or nothing.
  using SelfCheck = std::string (*)(const KernelType& kernel, c10::Device device);

  /// `kernels`: best first, the reference last. `name`: where the choice covers several operators.
  KernelList(std::string_view key, Kernels kernels, SelfCheck self_check,
             std::string_view name = {})
      : key_(key),
        name_(name.empty() ? key : name),
        self_check_(self_check),
        entries_(checked(std::move(kernels))) {}

  std::string_view key() const override { return key_; }
  std::string_view name() const override { return name_; }

  /// Every implementation, whatever is selected.
  Kernels kernels() const {
    Kernels kernels;
    for (const Entry& entry : *entries()) kernels.push_back(entry.kernel);
    return kernels;
  }

  /// Runs the first kernel that the choice in force allows, that is there and sound on `device`,
  /// and that takes the call. Throws BackendError when `compiled` is selected and none is sound.
  Result run(c10::Device device, const Arguments&... arguments) const {
    return choose(device, arguments...).run(arguments...);
  }

  /// The kernel that `run` would run.
  KernelType choose(c10::Device device, const Arguments&... arguments) const {
    const auto entries = this->entries();
    const Backend wanted = current_backends()[key_];
    if (wanted == Backend::reference) return entries->back().kernel;
    bool any_sound = false;
    for (const Entry& entry : *entries) {
      if (&entry == &entries->back()) break;
      if (!unsound(entry, device).empty()) continue;
      any_sound = true;
      if (!entry.kernel.declines || entry.kernel.declines(arguments...).empty())
        return entry.kernel;
    }
    if (wanted == Backend::compiled && !any_sound)
      throw BackendError(std::string(name_) + ": no compiled kernel for " + device.str() + ": " +
                         why_none(*entries, device) + "; choose auto or reference");
    return entries->back().kernel;
  }

  Settled settle(c10::Device device) const override {
    const auto entries = this->entries();
    if (current_backends()[key_] == Backend::reference)
      return {Backend::reference, "reference was selected"};
    Reason none = why_none(*entries, device);
    return none.empty() ? Settled{Backend::compiled, {}}
                        : Settled{Backend::reference, std::move(none)};
  }

 private:
  struct Entry {
    KernelType kernel;
    SelfCheckVerdicts verdicts;
  };
  using Entries = std::vector<Entry>;

  static std::shared_ptr<const Entries> checked(Kernels kernels) {
    auto entries = std::make_shared<Entries>();
    for (KernelType& kernel : kernels) entries->push_back({std::move(kernel), {}});
    return entries;
  }
  std::shared_ptr<const Entries> entries() const {
    const std::lock_guard lock(mutex_);
    return entries_;
  }

  Reason unsound(const Entry& entry, c10::Device device) const {
    if (entry.kernel.missing)
      if (Reason reason = entry.kernel.missing(device.type()); !reason.empty()) return reason;
    const std::string& difference =
        entry.verdicts.on(device, std::string(name_) + " kernel '" + entry.kernel.name + "'",
                          [&] { return self_check_(entry.kernel, device); });
    return difference.empty()
               ? Reason{}
               : "kernel '" + entry.kernel.name + "' failed its self-check: " + difference;
  }

  // Why no compiled kernel can run; empty when one can.
  Reason why_none(const Entries& entries, c10::Device device) const {
    Reason reasons;
    for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
      const Reason reason = unsound(entries[i], device);
      if (reason.empty()) return {};
      reasons += (reasons.empty() ? "" : "; ") + reason;
    }
    return reasons.empty() ? "this build has no compiled kernel of the operator" : reasons;
  }

  template <class Signature>
  friend class ScopedKernels;

  std::string_view key_;
  std::string_view name_;
  SelfCheck self_check_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Entries> entries_;
};

/// For tests: puts kernels in the place of all but the reference until it goes out of scope. They
/// are checked like any other before they run. Calls that are under way keep the list that they
/// began with.
template <class Signature>
class ScopedKernels {
 public:
  using List = KernelList<Signature>;
  ScopedKernels(List& list, typename List::Kernels kernels) : list_(list) {
    typename List::Kernels all = std::move(kernels);
    all.push_back(list.kernels().back());
    previous_ = exchange(List::checked(std::move(all)));
  }
  ~ScopedKernels() { exchange(std::move(previous_)); }
  ScopedKernels(const ScopedKernels&) = delete;
  ScopedKernels& operator=(const ScopedKernels&) = delete;

 private:
  using EntriesPointer = std::shared_ptr<const typename List::Entries>;
  EntriesPointer exchange(EntriesPointer entries) {
    const std::lock_guard lock(list_.mutex_);
    return std::exchange(list_.entries_, std::move(entries));
  }
  List& list_;
  EntriesPointer previous_;
};

}  // namespace grasppanda::ops
