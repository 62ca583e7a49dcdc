// libgrasppanda_ops_cuda.so at run time: found, opened and checked on the first use. No LibTorch
// here and none in the library: it serves every LibTorch.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/ops/cuda_interface.h"
#include "lib/ops/rotated/cuda_interface.h"

namespace grasppanda::ops {

inline constexpr const char* kCudaModuleFile = "libgrasppanda_ops_cuda.so";

struct CudaFunctions {
  decltype(&grasppanda_cuda_search_scratch) search_scratch = nullptr;
  decltype(&grasppanda_cuda_sampling_scratch) sampling_scratch = nullptr;
  decltype(&grasppanda_cuda_furthest_point_sample) furthest_point_sample = nullptr;
  decltype(&grasppanda_cuda_ball_query) ball_query = nullptr;
  decltype(&grasppanda_cuda_cylinder_query) cylinder_query = nullptr;
  decltype(&grasppanda_cuda_knn) knn = nullptr;
  decltype(&grasppanda_cuda_rotated_iou) rotated_iou = nullptr;
  decltype(&grasppanda_cuda_rotated_nms) rotated_nms = nullptr;
  decltype(&grasppanda_cuda_sampled_iou) sampled_iou = nullptr;
  decltype(&grasppanda_cuda_sampled_mask) sampled_mask = nullptr;
  decltype(&grasppanda_cuda_roi_align) roi_align = nullptr;
  decltype(&grasppanda_cuda_cell_table) cell_table = nullptr;
  decltype(&grasppanda_cuda_neighbour_rows) neighbour_rows = nullptr;
  decltype(&grasppanda_cuda_link_levels) link_levels = nullptr;
  decltype(&grasppanda_cuda_sparse_convolution) sparse_convolution = nullptr;
};

struct CudaModule {
  std::string path;     // of the file that was opened; empty when none was
  std::string missing;  // why there are no functions, a sentence; empty when there are
  CudaFunctions functions;
};

/// Opens one file. Refuses one that was made of other sources than this program knows.
CudaModule open_cuda_module(const std::string& file);

/// The revision of the sources that this program was built with: hexadecimal digits.
std::string cuda_source_revision();

/// Where this code lies: the program, or libgrasppanda.so.
std::string path_of_this_code();

/// A module that was compiled: its file, or why there is none.
struct BuiltCudaModule {
  std::string file;
  std::string failure;
};
/// Where the module may be, and who can make it.
struct CudaModuleSource {
  /// Files in order of preference; those that are not there are passed over. Default: the file
  /// beside this code.
  std::function<std::vector<std::string>()> files;
  /// Compiles the module. Called at most once, where none that was found can be used.
  std::function<BuiltCudaModule()> build;
};

/// The module of a process. Thread-safe; what it has answered stays.
class CudaModuleSearch {
 public:
  explicit CudaModuleSearch(CudaModuleSource source) : source_(std::move(source)) {}

  /// The module as far as it is known: what `used` came to, else what is found; builds nothing,
  /// says nothing.
  const CudaModule& found();
  /// The module that a kernel on a CUDA device needs: found, else built. What goes wrong is logged
  /// in one line, once.
  const CudaModule& used();
  void set_source(CudaModuleSource source);

 private:
  CudaModule look() const;

  std::mutex mutex_;
  CudaModuleSource source_;
  std::optional<CudaModule> found_, used_;
};

/// That of this process. The program sets its source before the first use.
CudaModuleSearch& cuda_module();

}  // namespace grasppanda::ops
