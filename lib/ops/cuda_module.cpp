#include "lib/ops/cuda_module.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "lib/ops/log.h"
#include "lib/ops/shared_object_file.h"

namespace grasppanda::ops {
namespace {

namespace fs = std::filesystem;

template <class Function>
bool load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

std::string last_error() {
  const char* text = ::dlerror();
  return text == nullptr ? "unknown reason" : text;
}

}  // namespace

CudaModule open_cuda_module(const std::string& file) {
  CudaModule module;
  if (const std::string why = why_not_whole(file); !why.empty()) {
    module.missing = "the CUDA kernels cannot be opened: " + file + ": " + why +
                     "; 'grasppanda ops build --force' compiles them anew";
    return module;
  }
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    module.missing = "the CUDA kernels cannot be opened: " + last_error();
    return module;
  }
  decltype(&grasppanda_cuda_revision) revision = nullptr;
  if (!load(library, "grasppanda_cuda_revision", revision)) {
    module.missing = file + " is no library of CUDA kernels: " + last_error();
  } else if (revision() != cuda_source_revision()) {
    module.missing = file + " was made of other sources (revision " + revision() +
                     ", this program wants " + cuda_source_revision() +
                     "); 'grasppanda ops build --force' compiles it anew";
  } else if (CudaFunctions& f = module.functions;
             !load(library, "grasppanda_cuda_search_scratch", f.search_scratch) ||
             !load(library, "grasppanda_cuda_sampling_scratch", f.sampling_scratch) ||
             !load(library, "grasppanda_cuda_furthest_point_sample", f.furthest_point_sample) ||
             !load(library, "grasppanda_cuda_ball_query", f.ball_query) ||
             !load(library, "grasppanda_cuda_cylinder_query", f.cylinder_query) ||
             !load(library, "grasppanda_cuda_knn", f.knn) ||
             !load(library, "grasppanda_cuda_rotated_iou", f.rotated_iou) ||
             !load(library, "grasppanda_cuda_rotated_nms", f.rotated_nms) ||
             !load(library, "grasppanda_cuda_sampled_iou", f.sampled_iou) ||
             !load(library, "grasppanda_cuda_sampled_mask", f.sampled_mask) ||
             !load(library, "grasppanda_cuda_roi_align", f.roi_align) ||
             !load(library, "grasppanda_cuda_cell_table", f.cell_table) ||
             !load(library, "grasppanda_cuda_neighbour_rows", f.neighbour_rows) ||
             !load(library, "grasppanda_cuda_link_levels", f.link_levels) ||
             !load(library, "grasppanda_cuda_sparse_convolution", f.sparse_convolution)) {
    module.missing = file + " lacks a function: " + last_error();
  }
  if (module.missing.empty())
    module.path = file;
  else
    ::dlclose(library);
  return module;
}

std::string cuda_source_revision() {
  return GRASPPANDA_CUDA_REVISION;
}

std::string path_of_this_code() {
  Dl_info info;
  return ::dladdr(reinterpret_cast<const void*>(&path_of_this_code), &info) != 0 &&
                 info.dli_fname != nullptr
             ? info.dli_fname
             : "";
}

CudaModule CudaModuleSearch::look() const {
  const std::vector<std::string> files =
      source_.files ? source_.files()
                    : std::vector<std::string>{
                          (fs::path(path_of_this_code()).parent_path() / kCudaModuleFile).string()};
  CudaModule refused;
  for (const std::string& file : files) {
    std::error_code error;
    if (!fs::exists(file, error)) continue;
    CudaModule module = open_cuda_module(file);
    if (module.missing.empty()) return module;
    if (refused.missing.empty()) refused = std::move(module);
  }
  if (refused.missing.empty())
    refused.missing = std::string("no ") + kCudaModuleFile +
                      " with the CUDA kernels; 'grasppanda ops build' compiles it";
  return refused;
}

const CudaModule& CudaModuleSearch::found() {
  const std::lock_guard lock(mutex_);
  if (used_) return *used_;
  if (!found_) found_ = look();
  return *found_;
}

const CudaModule& CudaModuleSearch::used() {
  const std::lock_guard lock(mutex_);
  if (used_) return *used_;
  CudaModule module = found_ ? *found_ : look();
  if (!module.missing.empty() && source_.build) {
    const BuiltCudaModule built = source_.build();
    if (built.failure.empty())
      module = open_cuda_module(built.file);
    else
      module.missing += "; " + built.failure;
  }
  if (!module.missing.empty())
    log_line("operators on CUDA run on their references: " + module.missing);
  used_ = std::move(module);
  return *used_;
}

void CudaModuleSearch::set_source(CudaModuleSource source) {
  const std::lock_guard lock(mutex_);
  source_ = std::move(source);
}

CudaModuleSearch& cuda_module() {
  static CudaModuleSearch search({});
  return search;
}

}  // namespace grasppanda::ops
