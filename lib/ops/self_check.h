// Before a kernel is used on a device for the first time it is compared with the reference.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace grasppanda::ops {

/// Verdicts on one kernel, one per device, each formed once. Copies share them. Thread-safe: a
/// second thread waits for the first one's check.
class SelfCheckVerdicts {
 public:
  SelfCheckVerdicts();

  /// What is wrong with the kernel on `device`; empty when it may run. The first call runs `check`,
  /// which returns its first difference from the reference or nothing; a check that throws is a
  /// difference too. A difference is logged in one line, the kernel stays off for the process.
  const std::string& on(c10::Device device, const std::string& kernel,
                        const std::function<std::string()>& check) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Where `got` first differs from `want`, bit for bit, any NaN equal to any NaN; empty if nowhere.
std::string first_difference(std::string_view what, const at::Tensor& got, const at::Tensor& want);

}  // namespace grasppanda::ops
