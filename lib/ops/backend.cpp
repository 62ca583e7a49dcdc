#include "lib/ops/backend.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/Device.h>
#include <dlfcn.h>

#include <array>
#include <atomic>

#include "lib/ops/cpu_isa.h"
#include "lib/ops/errors.h"
#include "lib/ops/operator_list.h"

namespace grasppanda::ops {
namespace {

std::atomic<BackendChoice> process_choice{BackendChoice{}};
static_assert(std::atomic<BackendChoice>::is_always_lock_free);
thread_local std::optional<BackendChoice> thread_choice;

std::vector<c10::Device> devices() {
  std::vector<c10::Device> devices{c10::kCPU};
  if (at::hasCUDA() && at::detail::getCUDAHooks().deviceCount() > 0)
    devices.emplace_back(c10::kCUDA, 0);
  return devices;
}

// The file that this code lies in: the program, or libgrasppanda.so.
std::string path_of_this_code() {
  Dl_info info;
  return dladdr(reinterpret_cast<const void*>(&path_of_this_code), &info) != 0 &&
                 info.dli_fname != nullptr
             ? info.dli_fname
             : "";
}

OperatorReport report(const AnyKernelList& list) {
  OperatorReport report;
  report.key = list.name();
  report.requested = backend_name(current_backends()[list.key()]);
  for (const c10::Device& device : devices()) {
    const std::string name = device.is_cpu() ? "cpu" : "cuda";
    const Settled settled = list.settle(device);
    report.settled[name] = backend_name(settled.backend);
    if (!settled.note.empty()) report.note[name] = settled.note;
  }
  return report;
}

}  // namespace

void select_backends(const BackendChoice& choice, std::string_view device) {
  const c10::Device checked{std::string(device)};
  const ScopedBackends trial(choice);
  for (const AnyKernelList* list : selectable_kernel_lists()) {
    if (choice[list->key()] != Backend::compiled) continue;
    const Settled settled = list->settle(checked);
    if (settled.backend != Backend::compiled)
      throw BackendError("backend 'compiled' of " + std::string(list->name()) + " cannot run on " +
                         std::string(device) + ": " + settled.note + "; choose auto or reference");
  }
  process_choice = choice;
}

ScopedBackends::ScopedBackends(const BackendChoice& choice) : previous_(thread_choice) {
  thread_choice = choice;
}
ScopedBackends::~ScopedBackends() {
  thread_choice = previous_;
}

BackendChoice current_backends() {
  return thread_choice ? *thread_choice : process_choice.load();
}

BackendReport backend_report() {
  BackendReport whole;
  for (const AnyKernelList* list : selectable_kernel_lists())
    whole.operators.push_back(report(*list));
  whole.library.path = path_of_this_code();
  whole.library.cuda = false;
  whole.library.isa = cpu_isa();
  whole.library.detail = "CPU kernels with run-time dispatch; this build has no CUDA kernels";
  return whole;
}

}  // namespace grasppanda::ops
