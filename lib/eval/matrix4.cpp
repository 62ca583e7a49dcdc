#include "lib/eval/matrix4.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/eval/errors.h"

namespace grasppanda::eval {
namespace {

constexpr std::size_t kSize = 4;

double& at(Matrix4d& m, std::size_t row, std::size_t column) {
  return m[kSize * row + column];
}

}  // namespace

Matrix4d multiply(const Matrix4d& a, const Matrix4d& b) {
  Matrix4d result;
  for (std::size_t row = 0; row < kSize; ++row) {
    for (std::size_t column = 0; column < kSize; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k < kSize; ++k) sum += a[kSize * row + k] * b[kSize * k + column];
      result[kSize * row + column] = sum;
    }
  }
  return result;
}

Matrix4d inverse(const Matrix4d& m) {
  Matrix4d lu = m;
  Matrix4d x{};
  for (std::size_t i = 0; i < kSize; ++i) x[5 * i] = 1;
  for (std::size_t k = 0; k < kSize; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < kSize; ++row) {
      if (std::abs(at(lu, row, k)) > std::abs(at(lu, pivot, k))) pivot = row;
    }
    if (!(std::abs(at(lu, pivot, k)) > 0)) throw EvaluationError("a pose matrix is singular");
    for (std::size_t column = 0; column < kSize && pivot != k; ++column) {
      std::swap(at(lu, k, column), at(lu, pivot, column));
      std::swap(at(x, k, column), at(x, pivot, column));
    }
    const double reciprocal = 1.0 / at(lu, k, k);
    for (std::size_t row = k + 1; row < kSize; ++row) {
      const double factor = at(lu, row, k) * reciprocal;
      for (std::size_t column = k + 1; column < kSize; ++column) {
        at(lu, row, column) -= factor * at(lu, k, column);
      }
      for (std::size_t column = 0; column < kSize; ++column) {
        at(x, row, column) -= factor * at(x, k, column);
      }
    }
  }
  for (std::size_t k = kSize; k-- > 0;) {
    for (std::size_t column = 0; column < kSize; ++column) {
      at(x, k, column) /= at(lu, k, k);
      for (std::size_t row = 0; row < k; ++row) {
        at(x, row, column) -= at(lu, row, k) * at(x, k, column);
      }
    }
  }
  return x;
}

Matrix4f inverse(const Matrix4f& m) {
  Matrix4d wide;
  std::copy(m.begin(), m.end(), wide.begin());
  wide = inverse(wide);
  Matrix4f result;
  std::transform(wide.begin(), wide.end(), result.begin(),
                 [](double value) { return static_cast<float>(value); });
  return result;
}

}  // namespace grasppanda::eval
