#include "lib/ops/backend.h"

#include <c10/core/Device.h>

#include <array>
#include <atomic>

#include "lib/ops/cpu_isa.h"
#include "lib/ops/cuda_devices.h"
#include "lib/ops/cuda_module.h"
#include "lib/ops/errors.h"
#include "lib/ops/operator_list.h"

namespace grasppanda::ops {
namespace {

std::atomic<BackendChoice> process_choice{BackendChoice{}};
static_assert(std::atomic<BackendChoice>::is_always_lock_free);
thread_local std::optional<BackendChoice> thread_choice;

std::vector<c10::Device> devices() {
  std::vector<c10::Device> devices{c10::kCPU};
  if (cuda_device_count() > 0) devices.emplace_back(c10::kCUDA, 0);
  return devices;
}

LibraryReport library_report() {
  LibraryReport library;
  library.isa = cpu_isa();
  const CudaModule& module = cuda_module().found();
  library.cuda = module.missing.empty();
  library.path = library.cuda ? module.path : path_of_this_code();
  library.detail = "CPU kernels with run-time dispatch; ";
  if (!library.cuda)
    library.detail += module.missing;
  else if (cuda_device_count() > 0)
    library.detail += "CUDA kernels";
  else
    library.detail += "CUDA kernels without a device to run them: " + why_no_cuda_device();
  return library;
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
  whole.library = library_report();
  return whole;
}

}  // namespace grasppanda::ops
