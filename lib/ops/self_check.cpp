#include "lib/ops/self_check.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <sstream>

#include "lib/ops/argument_check.h"
#include "lib/ops/log.h"

namespace grasppanda::ops {
namespace {

at::Tensor as_bits(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kDouble:
      return tensor.view(at::kLong);
    case at::kFloat:
      return tensor.view(at::kInt);
    case at::kHalf:
    case at::kBFloat16:
      return tensor.view(at::kShort);
    default:
      return tensor;
  }
}

struct Verdict {
  std::once_flag once;
  std::string difference;
};

}  // namespace

struct SelfCheckVerdicts::State {
  std::mutex mutex;
  std::map<std::string, Verdict> by_device;  // nodes stay where they are

  Verdict& on(c10::Device device) {
    const std::lock_guard lock(mutex);
    // "cuda" without an index is the first device.
    return by_device[device.is_cpu() ? "cpu"
                                     : "cuda:" + std::to_string(std::max<int>(0, device.index()))];
  }
};

SelfCheckVerdicts::SelfCheckVerdicts() : state_(std::make_shared<State>()) {}

const std::string& SelfCheckVerdicts::on(c10::Device device, const std::string& kernel,
                                         const std::function<std::string()>& check) const {
  Verdict& verdict = state_->on(device);
  std::call_once(verdict.once, [&] {
    try {
      verdict.difference = check();
    } catch (const std::exception& error) {
      verdict.difference = std::string("it failed: ") + error.what();
    }
    if (!verdict.difference.empty())
      log_line(kernel + " on " + device.str() +
               " differs from the reference and is not used: " + verdict.difference);
  });
  return verdict.difference;
}

std::string first_difference(std::string_view what, const at::Tensor& got, const at::Tensor& want) {
  std::ostringstream text;
  text.precision(9);
  if (got.sizes() != want.sizes() || got.scalar_type() != want.scalar_type()) {
    text << what << " is " << c10::toString(got.scalar_type()) << ' ' << shape_text(got)
         << ", the reference has " << c10::toString(want.scalar_type()) << ' ' << shape_text(want);
    return text.str();
  }
  const at::Tensor a = got.cpu().contiguous(), b = want.cpu().contiguous();
  at::Tensor differs = as_bits(a).ne(as_bits(b));
  if (a.is_floating_point()) differs.logical_and_(a.isnan().logical_and(b.isnan()).logical_not_());
  if (!differs.any().item<bool>()) return {};
  const int64_t place = differs.view({-1}).nonzero()[0].item<int64_t>();
  text << what << '[' << place << "] is " << a.view({-1})[place].item<double>()
       << ", the reference has " << b.view({-1})[place].item<double>();
  return text.str();
}

}  // namespace grasppanda::ops
