#include "lib/ops/rotated/sampled_iou.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/ops/cpu_isa.h"
#include "lib/ops/rotated/rotated_iou_sample_count.h"
#include "lib/ops/rotated/rotated_nms.h"
#include "lib/ops/rotated/sampled_nms.h"
#include "lib/ops/rotated/seeded_boxes.h"
#include "tests/catch.h"
#include "tests/ops/golden_cases.h"
#include "tests/ops/refused.h"
#include "tests/ops/thread_count.h"

namespace grasppanda::tests {
namespace {

using ops::BoxKind;
using ops::IouMethod;

at::Tensor box(std::vector<float> values) {
  return at::tensor(values).view({1, 5});
}

TEST_CASE("sampled_iou: samples counted by hand, every kernel", "[rotated]") {
  // Squares of side 10, 2 x 2 samples at +-4.95: shifted by 5 two of four lie inside.
  const at::Tensor a = box({0, 0, 10, 10, 0}), b = box({5, 0, 10, 10, 0});
  for (const auto& kernel : ops::sampled_iou_kernels().kernels_on(c10::kCPU)) {
    INFO(kernel.name);
    const auto run = [&](const at::Tensor& x, const at::Tensor& y, int64_t n) {
      return kernel.run(x, y, false, n).item<float>();
    };
    CHECK(run(a, b, 4) == Approx(50.0 / 150));
    CHECK(run(a, a, 4) == Approx(1));
    CHECK(run(a, a, 9) <= 1);
    // One sample, in the corner at (-4.95, -4.95): the left box's lies outside, the right one's in.
    CHECK(run(a, b, 1) == Approx(1));
    CHECK(run(a, box({10, 0, 10, 10, 0}), 4) == 0);   // the edges touch
    CHECK(run(a, box({100, 0, 10, 10, 0}), 4) == 0);  // apart
    // The larger of the two shares: all four samples of the small box, none of the large one.
    CHECK(run(a, box({0, 0, 2, 2, 0}), 4) == Approx(0.04));
    CHECK(run(box({0, 0, -10, -10, 0}), a, 4) == Approx(1));
    CHECK(run(box({0, 0, 0, 10, 0}), a, 4) == 0);
    CHECK(run(box({std::nanf(""), 0, 10, 10, 0}), a, 4) == 0);
    CHECK(std::isnan(run(box({0, 0, INFINITY, 10, 0.1F}), a, 4)));
  }
}

TEST_CASE("sampled_iou: every kernel returns the reference's bits", "[rotated]") {
  uint64_t seed = 700;
  int64_t grid = 0;
  for (const auto& kernel : ops::sampled_iou_kernels().kernels_on(c10::kCPU))
    for (const BoxKind kind : {BoxKind::aerial, BoxKind::clusters, BoxKind::lattice,
                               BoxKind::slivers, BoxKind::far_out, BoxKind::degenerate})
      for (const int64_t count : {1, 17, 60}) {
        grid = grid % 11 + 1;
        INFO(kernel.name << " seed " << seed << " kind " << static_cast<int>(kind) << " count "
                         << count << " grid " << grid);
        const at::Tensor a = ops::seeded_boxes(kind, count, ++seed, 128);
        const at::Tensor b = ops::seeded_boxes(kind, count + 3, ++seed, 128);
        const at::Tensor want = ops::sampled_iou_reference(a, b, false, grid * grid);
        REQUIRE(ops::first_difference("iou", kernel.run(a, b, false, grid * grid), want) == "");
        REQUIRE(ops::first_difference("transposed", kernel.run(b, a, false, grid * grid).t(),
                                      want) == "");
        REQUIRE(ops::first_difference("aligned",
                                      kernel.run(a, b.narrow(0, 0, count), true, grid * grid),
                                      want.narrow(1, 0, count).diagonal()) == "");
      }
  const auto cpu = ops::sampled_iou_kernels().kernels_on(c10::kCPU).front();
  REQUIRE(cpu.name == "cpu");
  for (const std::string& isa : ops::available_cpu_isas()) {
    INFO(isa);
    REQUIRE(ops::use_cpu_isa(isa));
    CHECK(ops::check_sampled_iou(cpu, at::kCPU) == "");
  }
  ops::use_cpu_isa("");
  for (const int threads : {1, 2, 8}) {
    const ThreadCount scope(threads);
    CHECK(ops::check_sampled_iou(cpu, at::kCPU) == "");
  }
  CHECK(ops::check_sampled_iou(
            {"x",
             {},
             {},
             [](const at::Tensor& a, const at::Tensor& b, bool aligned, int64_t n) {
               return ops::sampled_iou_reference(a, b, aligned, n).mul(1.0000001);
             }},
            at::kCPU) != "");
}

TEST_CASE("sampled_nms: kernels, and both forms of the suppression, keep the same", "[rotated]") {
  int64_t suppressed = 0;
  for (const auto& kernel : ops::sampled_nms_kernels().kernels_on(c10::kCPU)) {
    CHECK(ops::check_sampled_nms(kernel, at::kCPU) == "");
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const BoxKind kind = seed % 2 == 0 ? BoxKind::clusters : BoxKind::degenerate;
      const at::Tensor boxes = ops::seeded_boxes(kind, 150, seed, 128);
      INFO(kernel.name << " seed " << seed);
      const at::Tensor want = ops::sampled_nms_reference(boxes, 0.2, 25);
      REQUIRE(kernel.run(boxes, 0.2, 25).equal(want));
      suppressed += 150 - want.numel();
    }
  }
  CHECK(suppressed > 1000);
}

TEST_CASE("sampled_iou: the package's numbers", "[rotated]") {
  GP_NEED_DATA(folder, "goldens/rotated_ops");
  const auto pairs = [&](const char* name) { return npz_tensor(folder / "pairs.npz", name); };
  const at::Tensor a = pairs("a").to(at::kFloat), b = pairs("b").to(at::kFloat);
  // 99.5 % within 1e-6; the others move by at most sqrt(samples) samples of one box.
  const auto compare = [](const at::Tensor& got, const at::Tensor& want, double samples) {
    const at::Tensor difference = (got - want).abs();
    CHECK(difference.le(1e-6).to(at::kDouble).mean().item<double>() >= 0.995);
    CHECK(difference.max().item<double>() <= 2 / std::sqrt(samples));
    return difference.gt(1e-6).sum().item<int64_t>();
  };
  int64_t moved = 0;
  for (const int64_t n : {25, 100, 1024})
    moved += compare(ops::aligned_sampled_iou(a, b, n),
                     pairs(("sampled_" + std::to_string(n)).c_str()), static_cast<double>(n));
  const at::Tensor counts = pairs("num_samples"), alone = pairs("sampled");
  std::vector<float> values;
  for (int64_t i = 0; i < a.size(0); ++i) {
    const at::Tensor first = a.narrow(0, i, 1), second = b.narrow(0, i, 1);
    CHECK(ops::rotated_iou_sample_count(first, second, ops::SamplePurpose::iou) ==
          counts[i].item<int64_t>());
    values.push_back(ops::sampled_iou(first, second).item<float>());
  }
  moved += compare(at::tensor(values), alone, 25);
  INFO("pairs that moved: " << moved);
  CHECK(moved <= 6);

  const auto matrix = [&](const char* name) { return npz_tensor(folder / "matrix.npz", name); };
  const at::Tensor boxes1 = matrix("boxes1"), boxes2 = matrix("boxes2"), large = matrix("large");
  CHECK(ops::rotated_iou_sample_count(boxes1, boxes2, ops::SamplePurpose::iou) ==
        matrix("num_samples").item<int64_t>());
  compare(ops::sampled_iou(boxes1, boxes2), matrix("sampled"), 1024);
  compare(ops::sampled_iou(boxes2, boxes1), matrix("sampled_transposed"), 1024);
  compare(ops::sampled_iou(boxes1, boxes2, 25), matrix("sampled_25"), 25);
  compare(ops::sampled_iou(boxes1, boxes2, 100), matrix("sampled_100"), 100);
  compare(ops::sampled_iou(large, boxes2), matrix("sampled_large"), 1024);
  CHECK(ops::rotated_iou_sample_count(large, boxes2, ops::SamplePurpose::iou) ==
        matrix("num_samples_large").item<int64_t>());
}

TEST_CASE("sampled_iou: the package's answers to degenerate boxes", "[rotated]") {
  GP_NEED_DATA(file, "goldens/rotated_ops/degenerate.json");
  const auto golden = nlohmann::json::parse(std::ifstream(file));
  const auto number = [](const nlohmann::json& value) {
    return value.is_string() ? std::stof(value.get<std::string>()) : value.get<float>();
  };
  for (const auto& entry : golden) {
    INFO(entry.dump());
    std::vector<float> values;
    for (const char* name : {"a", "b"})
      for (const auto& value : entry.at(name)) values.push_back(number(value));
    const at::Tensor boxes = at::tensor(values).view({2, 5});
    const at::Tensor a = boxes.narrow(0, 0, 1), b = boxes.narrow(0, 1, 1);
    CHECK(ops::rotated_iou_sample_count(a, b, ops::SamplePurpose::iou) ==
          entry.at("num_samples").get<int64_t>());
    const float got = ops::sampled_iou(a, b).item<float>(), want = number(entry.at("sampled"));
    CHECK(std::isnan(got) == std::isnan(want));
    if (!std::isnan(want)) CHECK(got == Approx(want).margin(1e-6));

    const at::Tensor scores = at::tensor({0.9F, 0.8F});
    const auto kept = [&](IouMethod method) {
      const at::Tensor found =
          ops::rotated_nms(boxes, scores, {.iou_threshold = 0.5, .method = method});
      return std::vector<int64_t>(found.const_data_ptr<int64_t>(),
                                  found.const_data_ptr<int64_t>() + found.numel());
    };
    CHECK(kept(IouMethod::sampled) == entry.at("sampled_nms_keep").get<std::vector<int64_t>>());
    if (entry.at("exact_nms_keep").is_string())
      check_refused("rotated_nms", "row ", [&] { kept(IouMethod::exact); });
    else
      CHECK(kept(IouMethod::exact) == entry.at("exact_nms_keep").get<std::vector<int64_t>>());
  }
  CHECK(golden.size() == 14);
}

TEST_CASE("rotated_nms keeps what the package keeps, sampled", "[rotated]") {
  GP_NEED_DATA(file, "goldens/rotated_ops/nms.npz");
  const auto array = [&](const std::string& name) { return npz_tensor(file, name); };
  int equal = 0, compared = 0;
  const auto compare = [&](const at::Tensor& got, const at::Tensor& want) {
    ++compared;
    if (got.equal(want)) {
      ++equal;
      return;
    }
    const at::Tensor common = got.unsqueeze(1).eq(want.unsqueeze(0)).any(1).sum();
    const double larger = static_cast<double>(std::max(got.numel(), want.numel()));
    CHECK(common.item<double>() >= 0.99 * larger);
  };
  for (const std::string set : {"dense", "sparse", "clusters", "thin", "ties", "chain", "one",
                                "identical_equal_scores", "threshold_edge", "big5000"}) {
    // Among equal scores the package keeps no order of its own. Threshold 1 keeps all boxes and so
    // tells which one it took; they are given in that order.
    const at::Tensor order =
        set == "ties" ? array("ties_sampled_1") : at::arange(array(set + "_scores").size(0));
    const at::Tensor boxes = array(set + "_boxes").index_select(0, order);
    const at::Tensor scores = array(set + "_scores").index_select(0, order);
    const auto run = [&](double threshold, std::optional<int64_t> cap, const at::Tensor& labels) {
      const at::Tensor kept = ops::rotated_nms(
          boxes, scores,
          {.iou_threshold = threshold, .method = IouMethod::sampled, .max_detections = cap},
          labels);
      return order.index_select(0, kept);
    };
    for (const auto& [name, threshold] : std::map<std::string, double>{
             {"0", 0}, {"0.1", 0.1}, {"0.3", 0.3}, {"0.5", 0.5}, {"0.7", 0.7}, {"1", 1}}) {
      INFO(set << " at " << name);
      compare(run(threshold, {}, {}), array(set + "_sampled_" + name));
      if (set == "dense" || set == "clusters")
        if (name == "0.1" || name == "0.3" || name == "0.5")
          compare(run(threshold, {}, array(set + "_labels")),
                  array(set + "_retina_sampled_" + name));
    }
    for (const int64_t cap : {5, 20})
      compare(run(0.3, cap, {}), array(set + "_sampled_0.3_max" + std::to_string(cap)));
  }
  INFO(equal << " of " << compared << " equal");
  CHECK(compared == 86);
  CHECK(equal >= compared - 2);
}

TEST_CASE("sampled_iou: empty sets and refused arguments", "[rotated]") {
  const at::Tensor boxes = at::ones({3, 5}), none = at::zeros({0, 5});
  CHECK(ops::sampled_iou(none, boxes).sizes() == at::IntArrayRef{0, 3});
  CHECK(ops::sampled_iou(boxes, none).sizes() == at::IntArrayRef{3, 0});
  check_refused("sampled_iou", "num_samples is 0", [&] { ops::sampled_iou(boxes, boxes, 0); });
  check_refused("rotated_iou_sample_count", "must be a perfect square, got 10",
                [&] { ops::sampled_iou(boxes, boxes, 10); });
  check_refused("sampled_iou", "boxes2 holds 0 boxes",
                [&] { ops::aligned_sampled_iou(boxes, none); });
}

}  // namespace
}  // namespace grasppanda::tests
