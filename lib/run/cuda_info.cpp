#include "lib/run/cuda_info.h"

#include <dlfcn.h>

#include <array>

namespace grasppanda::run {

namespace {

// The few entries of the driver's interface that we ask, by its published names and numbers.
constexpr int kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76;

struct Driver {
  int (*init)(unsigned int) = nullptr;
  int (*driver_version)(int*) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*device_attribute)(int*, int, int) = nullptr;
  int (*device_memory)(std::size_t*, int) = nullptr;
  int (*error_string)(int, const char**) = nullptr;
};

template <class Function>
bool load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool load_driver(void* library, Driver& driver) {
  return load(library, "cuInit", driver.init) &&
         load(library, "cuDriverGetVersion", driver.driver_version) &&
         load(library, "cuDeviceGetCount", driver.device_count) &&
         load(library, "cuDeviceGet", driver.device_get) &&
         load(library, "cuDeviceGetName", driver.device_name) &&
         load(library, "cuDeviceGetAttribute", driver.device_attribute) &&
         load(library, "cuDeviceTotalMem_v2", driver.device_memory) &&
         load(library, "cuGetErrorString", driver.error_string);
}

// CUDA writes 12.8 as 12080.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Only a runtime that this process has loaded says anything about what it would run with.
std::string loaded_runtime() {
  for (const char* name : {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"}) {
    void* library = ::dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    int (*runtime_version)(int*) = nullptr;
    int version = 0;
    const bool known =
        load(library, "cudaRuntimeGetVersion", runtime_version) && runtime_version(&version) == 0;
    ::dlclose(library);
    if (known) return version_text(version);
  }
  return {};
}

CudaDevice describe_device(const Driver& driver, int index) {
  CudaDevice device{.index = index, .name = "unknown", .capability = "", .memory = 0};
  int handle = 0;
  if (driver.device_get(&handle, index) != 0) return device;
  std::array<char, 256> name{};
  if (driver.device_name(name.data(), static_cast<int>(name.size()) - 1, handle) == 0) {
    device.name = name.data();
  }
  int major = 0, minor = 0;
  if (driver.device_attribute(&major, kComputeCapabilityMajor, handle) == 0 &&
      driver.device_attribute(&minor, kComputeCapabilityMinor, handle) == 0) {
    device.capability = std::to_string(major) + "." + std::to_string(minor);
  }
  std::size_t memory = 0;
  if (driver.device_memory(&memory, handle) == 0) device.memory = memory;
  return device;
}

}  // namespace

CudaInfo cuda_info() {
  CudaInfo info;
  info.runtime = loaded_runtime();
  // Never closed again: the driver does not survive being unloaded while its threads live.
  void* library = ::dlopen("libcuda.so.1", RTLD_LAZY);
  Driver driver;
  if (library == nullptr) {
    info.note = "no CUDA driver on this machine (libcuda.so.1 is not found)";
    return info;
  }
  if (!load_driver(library, driver)) {
    info.note = "libcuda.so.1 lacks functions of the CUDA driver interface";
    return info;
  }
  if (int version = 0; driver.driver_version(&version) == 0) info.driver = version_text(version);
  int count = 0;
  int failed = driver.init(0);
  if (failed == 0) failed = driver.device_count(&count);
  if (failed != 0) {
    const char* text = nullptr;
    driver.error_string(failed, &text);
    info.note = std::string("the CUDA driver does not start: ") +
                (text == nullptr ? "error " + std::to_string(failed) : std::string(text));
    return info;
  }
  for (int index = 0; index < count; ++index) {
    info.devices.push_back(describe_device(driver, index));
  }
  if (count == 0) info.note = "the CUDA driver sees no device";
  return info;
}

}  // namespace grasppanda::run
