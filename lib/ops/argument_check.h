// The checks that operators share. Each throws ArgumentError: operator, argument, got, wanted.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>

namespace grasppanda::ops {

/// Throws ArgumentError "<op>: <argument> <got>, wants <wanted>".
[[noreturn]] void refuse_argument(std::string_view op, std::string_view argument,
                                  std::string_view got, std::string_view wanted);

/// "(1, 20000, 3)".
std::string shape_text(const at::Tensor& tensor);

/// (B, N, 3) of a floating type.
void require_cloud(std::string_view op, std::string_view argument, const at::Tensor& cloud);

/// Two clouds of equal batch size, type and device.
void require_query_and_support(std::string_view op, const at::Tensor& query,
                               const at::Tensor& support);

/// `other` has the type and the device of `first`.
void require_like(std::string_view op, std::string_view argument, const at::Tensor& other,
                  std::string_view first_argument, const at::Tensor& first);

/// Two clouds and a matrix (B, M, 3, 3) for every query.
void require_cylinders(std::string_view op, const at::Tensor& query, const at::Tensor& support,
                       const at::Tensor& rotation);

/// Not NaN.
void require_number(std::string_view op, std::string_view argument, double value);

/// Not negative, not NaN; infinity passes.
void require_radius(std::string_view op, double radius);

/// At least 1.
void require_nsample(std::string_view op, int64_t nsample);

/// A result of `rows` rows with `value` numbers each holds no more than 2^31 - 1.
void require_result_size(std::string_view op, std::string_view argument, int64_t value,
                         int64_t rows);

}  // namespace grasppanda::ops
