#include "lib/ops/rotated/rotated_iou.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "lib/ops/cpu_isa.h"
#include "lib/ops/rotated/seeded_boxes.h"
#include "lib/ops/self_check.h"
#include "tests/catch.h"
#include "tests/ops/refused.h"
#include "tests/ops/rotated/polygon_clip.h"
#include "tests/ops/thread_count.h"

namespace grasppanda::tests {
namespace {

using ops::BoxKind;
using ops::OverlapRatio;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kQuarter = std::numbers::pi / 4;

at::Tensor box(std::vector<double> values) {
  return at::tensor(values, at::kDouble).view({1, 5});
}

struct Oracle {
  std::string name;
  std::vector<double> a, b;
  double iou, iof;
};

// Areas by hand.
const std::vector<Oracle> kOracles = {
    {"half shifted", {0, 0, 4, 2, 0}, {2, 0, 4, 2, 0}, 1.0 / 3, 0.5},
    {"itself", {7, -3, 40, 20, 0.3}, {7, -3, 40, 20, 0.3}, 1, 1},
    {"half a turn", {7, -3, 40, 20, 0.3}, {7, -3, 40, 20, 0.3 + std::numbers::pi}, 1, 1},
    {"sides swapped", {7, -3, 40, 20, 0.3}, {7, -3, 20, 40, 0.3 - 2 * kQuarter}, 1, 1},
    {"contained", {0, 0, 10, 10, 0}, {1, 1, 2, 2, 0.4}, 0.04, 0.04},
    {"a square and itself turned by 45 degrees",
     {0, 0, 2, 2, 0},
     {0, 0, 2, 2, kQuarter},
     (std::sqrt(2.0) - 1) * 8 / (8 - (std::sqrt(2.0) - 1) * 8),
     2 * (std::sqrt(2.0) - 1)},
    {"a cross", {0, 0, 10, 2, 0}, {0, 0, 10, 2, 2 * kQuarter}, 4.0 / 36, 0.2},
    {"one edge shared", {0, 0, 2, 2, 0}, {0, 2, 2, 2, 0}, 0, 0},
    {"one corner shared", {0, 0, 2, 2, 0}, {2, 2, 2, 2, 0}, 0, 0},
    {"an edge shared, turned",
     {0, 0, 4, 2, 0.3},
     {4 * std::cos(0.3), 4 * std::sin(0.3), 4, 2, 0.3},
     0,
     0},
    {"far apart", {0, 0, 2, 2, 0}, {1e6, 0, 2, 2, 1}, 0, 0},
    {"zero width", {0, 0, 0, 10, 0.4}, {0, 0, 10, 10, 0.4}, 0, 0},
    {"negative side", {0, 0, -10, 10, 0.4}, {0, 0, 10, 10, 0.4}, 0, 0},
    {"NaN", {kNan, 0, 10, 10, 0.4}, {0, 0, 10, 10, 0.4}, 0, 0},
    {"infinite angle", {0, 0, 10, 10, kInf}, {0, 0, 10, 10, 0.4}, 0, 0},
    {"infinite side", {0, 0, kInf, 10, 0}, {0, 0, 10, 10, 0.4}, 0, 0},
    {"area beyond all numbers", {0, 0, 1e200, 1e200, 0}, {0, 0, 10, 10, 0.4}, 0, 0},
    {"area below all numbers", {0, 0, 1e-200, 1e-200, 0}, {0, 0, 1e-200, 1e-200, 0}, 0, 0},
    {"centres at the ends of the numbers", {1e308, 0, 1, 1, 0}, {-1e308, 0, 1, 1, 0}, 0, 0},
};

TEST_CASE("rotated_iou: areas computed by hand, every kernel", "[rotated]") {
  for (const auto& kernel : ops::rotated_iou_kernels().kernels_on(c10::kCPU))
    for (const Oracle& oracle : kOracles) {
      INFO(kernel.name << ": " << oracle.name);
      const at::Tensor a = box(oracle.a), b = box(oracle.b);
      const auto run = [&](const at::Tensor& first, const at::Tensor& second, OverlapRatio ratio) {
        return kernel.run(first, second, false, ratio).item<double>();
      };
      CHECK(run(a, b, OverlapRatio::iou) == Approx(oracle.iou).margin(1e-14).epsilon(1e-14));
      CHECK(run(a, b, OverlapRatio::iof) == Approx(oracle.iof).margin(1e-14).epsilon(1e-14));
      CHECK(run(a, b, OverlapRatio::iou) == run(b, a, OverlapRatio::iou));
      if (oracle.iou == 0) CHECK(run(a, b, OverlapRatio::iou) == 0);
      CHECK(run(a, b, OverlapRatio::iou) <= 1);
    }
}

TEST_CASE("rotated_iou: the reference against clipping in long double", "[rotated]") {
  double worst = 0, worst_symmetry = 0;
  int overlapping = 0;
  uint64_t seed = 0;
  for (const BoxKind kind :
       {BoxKind::aerial, BoxKind::clusters, BoxKind::lattice, BoxKind::slivers})
    for (const double extent : {64.0, 256.0}) {
      const at::Tensor a = ops::seeded_boxes(kind, 60, ++seed, extent).to(at::kDouble);
      const at::Tensor b = ops::seeded_boxes(kind, 60, ++seed, extent).to(at::kDouble);
      const at::Tensor got = ops::rotated_iou_reference(a, b, false, OverlapRatio::iou);
      const at::Tensor swapped = ops::rotated_iou_reference(b, a, false, OverlapRatio::iou);
      CHECK(swapped.t().equal(got));
      for (int64_t i = 0; i < 60; ++i)
        for (int64_t j = 0; j < 60; ++j) {
          const double want = clipped_iou(a[i], b[j]), value = got[i][j].item<double>();
          overlapping += want > 0;
          worst = std::max(worst, std::abs(value - want));
          if (std::abs(value - want) > 1e-9)
            FAIL_CHECK(a[i] << b[j] << value << " instead of " << want);
        }
      worst_symmetry = std::max(worst_symmetry, (swapped.t() - got).abs().max().item<double>());
    }
  INFO("largest difference " << worst);
  CHECK(worst < 1e-9);
  CHECK(worst_symmetry == 0);
  CHECK(overlapping > 5000);
}

TEST_CASE("rotated_iou: every kernel returns the reference's bits, on every instruction set",
          "[rotated]") {
  for (const auto& kernel : ops::rotated_iou_kernels().kernels_on(c10::kCPU)) {
    CHECK(ops::check_rotated_iou(kernel, at::kCPU) == "");
    uint64_t seed = 100;
    for (const BoxKind kind : {BoxKind::aerial, BoxKind::clusters, BoxKind::lattice,
                               BoxKind::slivers, BoxKind::far_out, BoxKind::degenerate})
      for (const int64_t count : {1, 2, 7, 16, 33, 130}) {
        INFO(kernel.name << " seed " << seed << " kind " << static_cast<int>(kind) << " count "
                         << count);
        const at::Tensor a = ops::seeded_boxes(kind, count, ++seed, 128);
        const at::Tensor b = ops::seeded_boxes(kind, 1 + count / 2, ++seed, 128);
        REQUIRE(ops::first_difference("iou", kernel.run(a, b, false, OverlapRatio::iou),
                                      ops::rotated_iou_reference(a, b, false, OverlapRatio::iou)) ==
                "");
      }
  }
  const auto cpu = ops::rotated_iou_kernels().kernels_on(c10::kCPU).front();
  REQUIRE(cpu.name == "cpu");
  for (const std::string& isa : ops::available_cpu_isas()) {
    INFO(isa);
    REQUIRE(ops::use_cpu_isa(isa));
    CHECK(ops::check_rotated_iou(cpu, at::kCPU) == "");
  }
  ops::use_cpu_isa("");
}

TEST_CASE("rotated_iou: threads, strides and the size of the call change no bit", "[rotated]") {
  const at::Tensor a = ops::seeded_boxes(BoxKind::aerial, 700, 1, 1024);
  const at::Tensor b = ops::seeded_boxes(BoxKind::aerial, 1100, 2, 1024);
  const at::Tensor want = ops::rotated_iou(a, b);
  CHECK(want.count_nonzero().item<int64_t>() > 2000);
  for (const int threads : {1, 2, 8}) {
    const ThreadCount scope(threads);
    CHECK(ops::rotated_iou(a, b).equal(want));
  }
  CHECK(ops::rotated_iou(a.t().contiguous().t(), b).equal(want));
  CHECK(ops::rotated_iou(a.narrow(0, 100, 50), b).equal(want.narrow(0, 100, 50)));
  CHECK(ops::aligned_rotated_iou(a, b.narrow(0, 0, 700)).equal(want.narrow(1, 0, 700).diagonal()));
  CHECK(ops::rotated_iou(b, a).equal(want.t()));
  CHECK(want.ge(0).logical_and(want.le(1)).all().item<bool>());
}

TEST_CASE("rotated_iou: a wrong kernel is caught", "[rotated]") {
  const auto check = [](auto run) { return ops::check_rotated_iou({"x", {}, {}, run}, at::kCPU); };
  const auto reference = ops::rotated_iou_reference;
  CHECK(check(reference) == "");
  CHECK(check([&](const at::Tensor& a, const at::Tensor& b, bool aligned, OverlapRatio) {
          return reference(a, b, aligned, OverlapRatio::iou);
        }) != "");
  CHECK(check([&](const at::Tensor& a, const at::Tensor& b, bool aligned, OverlapRatio ratio) {
          const at::Tensor turned = a.clone();
          turned.select(1, 4).neg_();
          return reference(turned, b, aligned, ratio);
        }) != "");
  CHECK(check([&](const at::Tensor& a, const at::Tensor& b, bool aligned, OverlapRatio ratio) {
          return reference(a.to(at::kDouble), b.to(at::kDouble), aligned, ratio).to(at::kFloat);
        }) != "");
}

TEST_CASE("rotated_iou: empty sets and refused arguments", "[rotated]") {
  const at::Tensor boxes = at::ones({3, 5}), none = at::zeros({0, 5});
  CHECK(ops::rotated_iou(none, boxes).sizes() == at::IntArrayRef{0, 3});
  CHECK(ops::rotated_iou(boxes, none).sizes() == at::IntArrayRef{3, 0});
  CHECK(ops::aligned_rotated_iou(none, none).numel() == 0);
  check_refused("rotated_iou", "boxes1 has shape (3, 4), wants (N, 5)", [&] {
    ops::rotated_iou(at::ones({3, 4}), boxes);
  });
  check_refused("rotated_iou", "boxes2 is Long, wants float32 or float64",
                [&] { ops::rotated_iou(boxes, boxes.to(at::kLong)); });
  check_refused("rotated_iou", "boxes2 is Double, wants Float like boxes1",
                [&] { ops::rotated_iou(boxes, boxes.to(at::kDouble)); });
  check_refused("rotated_iou", "boxes2 holds 0 boxes, wants 3 like boxes1",
                [&] { ops::aligned_rotated_iou(boxes, none); });
}

}  // namespace
}  // namespace grasppanda::tests
