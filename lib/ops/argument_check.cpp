#include "lib/ops/argument_check.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "lib/ops/errors.h"

namespace grasppanda::ops {
namespace {

std::string number_text(double value) {
  std::ostringstream text;
  text.precision(9);
  text << value;
  return text.str();
}

}  // namespace

void refuse_argument(std::string_view op, std::string_view argument, std::string_view got,
                     std::string_view wanted) {
  std::ostringstream text;
  text << op << ": " << argument << ' ' << got << ", wants " << wanted;
  throw ArgumentError(text.str());
}

std::string shape_text(const at::Tensor& tensor) {
  std::ostringstream text;
  text << '(';
  for (int64_t axis = 0; axis < tensor.dim(); ++axis)
    text << (axis == 0 ? "" : ", ") << tensor.size(axis);
  text << (tensor.dim() == 1 ? ",)" : ")");
  return text.str();
}

void require_cloud(std::string_view op, std::string_view argument, const at::Tensor& cloud) {
  if (!cloud.defined()) refuse_argument(op, argument, "is missing", "a tensor (B, N, 3)");
  if (cloud.dim() != 3 || cloud.size(2) != 3)
    refuse_argument(op, argument, "has shape " + shape_text(cloud), "(B, N, 3)");
  if (!cloud.is_floating_point())
    refuse_argument(op, argument, "is " + std::string(c10::toString(cloud.scalar_type())),
                    "a floating type");
}

void require_like(std::string_view op, std::string_view argument, const at::Tensor& other,
                  std::string_view first_argument, const at::Tensor& first) {
  const std::string like = " like " + std::string(first_argument);
  if (other.scalar_type() != first.scalar_type())
    refuse_argument(op, argument, "is " + std::string(c10::toString(other.scalar_type())),
                    c10::toString(first.scalar_type()) + like);
  if (other.device() != first.device())
    refuse_argument(op, argument, "is on " + other.device().str(), first.device().str() + like);
}

void require_query_and_support(std::string_view op, const at::Tensor& query,
                               const at::Tensor& support) {
  require_cloud(op, "query", query);
  require_cloud(op, "support", support);
  require_like(op, "support", support, "query", query);
  if (query.size(0) != support.size(0))
    refuse_argument(op, "support", "holds " + std::to_string(support.size(0)) + " clouds",
                    std::to_string(query.size(0)) + " like query");
}

void require_cylinders(std::string_view op, const at::Tensor& query, const at::Tensor& support,
                       const at::Tensor& rotation) {
  require_query_and_support(op, query, support);
  if (rotation.dim() != 4 || rotation.size(0) != query.size(0) ||
      rotation.size(1) != query.size(1) || rotation.size(2) != 3 || rotation.size(3) != 3)
    refuse_argument(op, "rotation", "has shape " + shape_text(rotation),
                    "(B, M, 3, 3) for query " + shape_text(query));
  require_like(op, "rotation", rotation, "query", query);
}

void require_number(std::string_view op, std::string_view argument, double value) {
  if (std::isnan(value)) refuse_argument(op, argument, "is NaN", "a number");
}

void require_radius(std::string_view op, double radius) {
  if (!(radius >= 0)) refuse_argument(op, "radius", "is " + number_text(radius), "a number >= 0");
}

void require_nsample(std::string_view op, int64_t nsample) {
  if (nsample < 1) refuse_argument(op, "nsample", "is " + std::to_string(nsample), ">= 1");
}

void require_result_size(std::string_view op, std::string_view argument, int64_t value,
                         int64_t rows) {
  constexpr int64_t kMostNumbers = std::numeric_limits<int32_t>::max();
  if (rows > 0 && value > kMostNumbers / rows)
    refuse_argument(op, argument, "is " + std::to_string(value),
                    "at most " + std::to_string(kMostNumbers / rows) + " for " +
                        std::to_string(rows) + " rows: a result of 2^31 - 1 numbers");
}

}  // namespace grasppanda::ops
