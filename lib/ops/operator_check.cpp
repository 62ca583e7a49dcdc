#include "lib/ops/operator_check.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "lib/ops/cpu_isa.h"
#include "lib/ops/point/ball_query.h"
#include "lib/ops/point/cylinder_query.h"
#include "lib/ops/point/furthest_point_sample.h"
#include "lib/ops/point/knn.h"
#include "lib/ops/point/nested_cylinder_query.h"
#include "lib/ops/rotated/roi_align.h"
#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/rotated_nms.h"
#include "lib/ops/rotated/sampled_iou.h"
#include "lib/ops/rotated/sampled_nms.h"
#include "lib/ops/seeded_clouds.h"
#include "lib/ops/sparse/sparse_convolution.h"

namespace grasppanda::ops {
namespace {

// One below, at and one above: vectors of 4, 8 and 16, a warp, words of bits, blocks of threads and
// of points, where structures begin to pay.
constexpr int64_t kWidths[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024, 1500, 2048, 8192};

constexpr int kThreads[] = {2, 1, 8};

int64_t drawn_points(uint64_t seed) {
  SeededNumbers numbers(seed ^ 0x5bd1e995u);
  return kWidths[numbers.below(std::size(kWidths))] - 1 + numbers.below(3);
}

/// What the kernels of the CPU take turns on. Put back when it goes out of scope.
class Turns {
 public:
  explicit Turns(c10::Device device) : threads_(at::get_num_threads()), isa_(cpu_isa()) {
    if (!device.is_cpu()) return;
    for (const std::string& isa : available_cpu_isas())
      for (const int threads : kThreads) all_.push_back({isa, threads});
  }
  ~Turns() {
    if (all_.empty()) return;
    use_cpu_isa(isa_ == available_cpu_isas().front() ? "" : isa_);
    at::set_num_threads(threads_);
  }
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// "avx2, 8 threads"; empty where there is nothing to choose.
  std::string take(uint64_t turn) const {
    if (all_.empty()) return {};
    const Turn& now = all_[turn % all_.size()];
    use_cpu_isa(now.isa);
    at::set_num_threads(now.threads);
    return now.isa + ", " + std::to_string(now.threads) +
           (now.threads == 1 ? " thread" : " threads");
  }
  uint64_t count() const { return std::max<uint64_t>(1, all_.size()); }
  /// As many turns in a row have one instruction set.
  uint64_t per_isa() const { return all_.empty() ? 1 : std::size(kThreads); }

 private:
  struct Turn {
    std::string isa;
    int threads;
  };
  int threads_;
  std::string isa_;
  std::vector<Turn> all_;
};

template <class Fn, class Call>
struct Checked {
  std::string_view name;
  const KernelList<Fn>& list;
  std::string (*self_check)(const Kernel<Fn>&, c10::Device);
  Call (*draw)(uint64_t seed, int64_t points);
  std::string (*compare)(const Kernel<Fn>&, c10::Device, const Call&);
  bool to_rounding = false;
};

/// Its difference, or that it failed, or nothing.
std::string guarded(const std::function<std::string()>& compare) {
  try {
    return compare();
  } catch (const std::exception& error) {
    return std::string("it failed: ") + error.what();
  }
}

template <class Fn, class Call>
KernelCheck check_kernel(const Checked<Fn, Call>& op, const Kernel<Fn>& kernel,
                         const CheckSettings& settings, const Turns& turns) {
  KernelCheck check{kernel.name, {}, 0, {}};
  if (kernel.missing) check.missing = kernel.missing(settings.device.type());
  if (!check.missing.empty()) return check;
  for (uint64_t turn = 0; turn < turns.count() && check.difference.empty();
       turn += turns.per_isa(), ++check.calls) {
    const std::string setting = turns.take(turn);
    const std::string difference = guarded([&] { return op.self_check(kernel, settings.device); });
    if (!difference.empty())
      check.difference =
          "self-check" + (setting.empty() ? "" : " on " + setting) + ": " + difference;
  }
  for (int64_t call = 0; call < settings.calls && check.difference.empty(); ++call, ++check.calls) {
    const uint64_t seed = settings.seed + static_cast<uint64_t>(call);
    const int64_t points = drawn_points(seed);
    const std::string setting = turns.take(seed);
    const std::string difference =
        guarded([&] { return op.compare(kernel, settings.device, op.draw(seed, points)); });
    if (!difference.empty())
      check.difference = "--seed " + std::to_string(seed) + " (" + std::to_string(points) +
                         " points" + (setting.empty() ? "" : "; " + setting) + "): " + difference;
  }
  return check;
}

template <class Fn, class Call>
void check_operator(const Checked<Fn, Call>& op, const CheckSettings& settings,
                    const std::function<void(const OperatorCheck&)>& done) {
  if (!settings.only.empty() && settings.only != op.name) return;
  const auto start = std::chrono::steady_clock::now();
  OperatorCheck check{op.name, {}, {}, 0, op.to_rounding};
  {
    const Turns turns(settings.device);
    for (uint64_t turn = 0; turn < turns.count(); ++turn)
      if (std::string setting = turns.take(turn); !setting.empty())
        check.settings.push_back(std::move(setting));
    for (const Kernel<Fn>& kernel : op.list.kernels())
      if (kernel.name != kReference)
        if (KernelCheck one = check_kernel(op, kernel, settings, turns);
            one.missing != kForAnotherDevice)
          check.kernels.push_back(std::move(one));
  }
  check.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  done(check);
}

}  // namespace

bool OperatorCheck::agrees() const {
  return std::ranges::all_of(kernels, [](const KernelCheck& k) { return k.difference.empty(); });
}

bool OperatorCheck::any_ran() const {
  return std::ranges::any_of(kernels, [](const KernelCheck& k) { return k.missing.empty(); });
}

void check_operators(const CheckSettings& settings,
                     const std::function<void(const OperatorCheck&)>& done) {
  check_operator(
      Checked<FurthestPointSampleFn, FurthestPointSampleCase>{
          "fps", furthest_point_sample_kernels(), check_furthest_point_sample,
          random_furthest_point_sample_case, compare_furthest_point_sample},
      settings, done);
  check_operator(
      Checked<BallQueryFn, BallQueryCase>{"ball_query", ball_query_kernels(), check_ball_query,
                                          random_ball_query_case, compare_ball_query},
      settings, done);
  check_operator(
      Checked<CylinderQueryFn, CylinderQueryCase>{"cylinder_query", cylinder_query_kernels(),
                                                  check_cylinder_query, random_cylinder_query_case,
                                                  compare_cylinder_query},
      settings, done);
  check_operator(
      Checked<NestedCylinderQueryFn, NestedCylinderQueryCase>{
          "nested_cylinder_query", nested_cylinder_query_kernels(), check_nested_cylinder_query,
          random_nested_cylinder_query_case, compare_nested_cylinder_query},
      settings, done);
  check_operator(
      Checked<KnnFn, KnnCase>{"knn", knn_kernels(), check_knn, random_knn_case, compare_knn},
      settings, done);
  check_operator(
      Checked<SparseConvolutionFn, SparseConvolutionCase>{
          "sparse_convolution", sparse_convolution_kernels(), check_sparse_convolution,
          random_sparse_convolution_case, compare_sparse_convolution, /*to_rounding=*/true},
      settings, done);
  check_operator(
      Checked<RotatedIouFn, RotatedIouCase>{"rotated_iou", rotated_iou_kernels(), check_rotated_iou,
                                            random_rotated_iou_case, compare_rotated_iou},
      settings, done);
  check_operator(
      Checked<RotatedNmsFn, RotatedNmsCase>{"rotated_nms", rotated_nms_kernels(), check_rotated_nms,
                                            random_rotated_nms_case, compare_rotated_nms},
      settings, done);
  check_operator(
      Checked<SampledIouFn, SampledIouCase>{"sampled_iou", sampled_iou_kernels(), check_sampled_iou,
                                            random_sampled_iou_case, compare_sampled_iou},
      settings, done);
  check_operator(
      Checked<SampledNmsFn, SampledNmsCase>{"sampled_nms", sampled_nms_kernels(), check_sampled_nms,
                                            random_sampled_nms_case, compare_sampled_nms},
      settings, done);
  check_operator(
      Checked<RoiAlignFn, RoiAlignCase>{"roi_align", roi_align_kernels(), check_roi_align,
                                        random_roi_align_case, compare_roi_align},
      settings, done);
}

std::string check_line(const OperatorCheck& check) {
  std::string line = std::string(check.name) + ":";
  if (check.kernels.empty()) line += " no kernel beside the reference";
  for (std::size_t i = 0; i < check.kernels.size(); ++i) {
    const KernelCheck& kernel = check.kernels[i];
    line += (i == 0 ? " " : "; ") + kernel.kernel + ": ";
    if (!kernel.missing.empty())
      line += "not run, " + kernel.missing;
    else if (kernel.difference.empty())
      line += std::to_string(kernel.calls) + " calls equal the reference" +
              (check.to_rounding ? " up to rounding" : "");
    else
      line += "DIFFERS, " + kernel.difference;
  }
  return line;
}

}  // namespace grasppanda::ops
