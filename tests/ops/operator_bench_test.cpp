#include "lib/ops/operator_bench.h"

#include <regex>
#include <set>
#include <string>
#include <thread>

#include "lib/ops/errors.h"
#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

using ops::Backend;
using ops::passes_filter;

TEST_CASE("ops bench: a star takes slashes, too; several globs with commas") {
  const std::string name = "knn/1024x20000/k1/b1";
  for (const char* passes : {"", "*", "knn*", "knn/*", "*/b1", "*20000*k1*", "knn/????x20000/k?/b1",
                             "fps/*,knn/*", "knn/1024x20000/k1/b1", "**b1", "*/*/*/*"})
    CHECK(passes_filter(name, passes));
  for (const char* stopped : {"knn", "fps/*", "*b4", "knn/1024x2000?/b1", "fps/*,*/b4", "?", "*x"})
    CHECK_FALSE(passes_filter(name, stopped));
  CHECK_FALSE(passes_filter(std::string(60, 'a'), "*a*a*a*a*a*a*a*a*a*a*a*a*b"));
}

TEST_CASE("ops bench: the cases of the contract, each once") {
  std::set<std::string> names;
  const std::regex shape(R"((fps/\d+x\d+/(lowest_index|pointnet2_cuda)|)"
                         R"((ball|cylinder)_query/\d+x\d+/\d+|nested_cylinder_query/\d+x\d+/4x\d+|)"
                         R"(knn/\d+x\d+/k\d+)/b\d|)"
                         R"((rotated|sampled)_iou/\d+x\d+|rotated_nms/\d+/\d+px|)"
                         R"(rotated_roi_align/\d+/\d+x\d+x\d+/7x7/2|)"
                         R"(sparse_convolution/\d+/k\d/\d+x\d+)");
  for (const ops::BenchCase& bench_case : ops::operator_bench_cases()) {
    REQUIRE(bench_case.rows.size() == 1);
    INFO(bench_case.rows.front());
    CHECK(std::regex_match(bench_case.rows.front(), shape));
    CHECK(names.insert(bench_case.rows.front()).second);
  }
  for (const char* wanted :
       {"fps/1024x3000/lowest_index/b1", "fps/1024x15000/pointnet2_cuda/b4",
        "fps/1024x1000000/lowest_index/b1", "ball_query/1024x1024/16/b4",
        "ball_query/1024x1000000/64/b1", "cylinder_query/1024x20000/64/b1",
        "cylinder_query/1024x100000/16/b1", "knn/15000x1024/k3/b4", "knn/20000x1024/k3/b1",
        "knn/1024x15000/k1/b1", "knn/1024x20000/k1/b4", "knn/1024x1000000/k1/b1",
        "rotated_iou/1000x1000", "rotated_nms/10000/1024px", "rotated_nms/100000/1024px",
        "rotated_nms/100000/20000px", "rotated_roi_align/1000/256x256x256/7x7/2",
        "sparse_convolution/10000/k3/192x192"})
    CHECK(names.contains(wanted));
}

/// A case that knows what it answers and how long it takes.
ops::BenchCase made_up(double compiled_result, bool has_compiled = true) {
  return {{"made/up"}, [=](c10::Device) -> ops::BenchRun {
            return [=](Backend backend) {
              const bool compiled = backend == Backend::compiled;
              if (compiled && !has_compiled) throw ops::BackendError("no kernel here");
              std::this_thread::sleep_for(std::chrono::milliseconds(compiled ? 2 : 20));
              return ops::BenchOutcome{{at::scalar_tensor(compiled ? compiled_result : 1.0)}, {}};
            };
          }};
}

TEST_CASE("ops bench: pairs, times and ratio") {
  const auto results = ops::run_bench_case(made_up(1.0), at::kCPU, 4);
  REQUIRE(results.size() == 1);
  const ops::BenchResult& result = results.front();
  CHECK(result.row == "made/up");
  CHECK(result.pairs == 4);
  CHECK(result.difference == "");
  REQUIRE(result.reference);
  REQUIRE(result.compiled);
  REQUIRE(result.ratio);
  CHECK(result.reference->minimum >= 20);
  CHECK(result.reference->median >= result.reference->minimum);
  CHECK(result.compiled->minimum >= 2);
  CHECK(*result.ratio > 1);
  CHECK(ops::bench_line(result).find("made/up") == 0);
  CHECK(ops::run_bench_case(made_up(1.0), at::kCPU, 0).front().pairs >= 3);
}

TEST_CASE("ops bench: a result that differs and a kernel that is missing are in the row") {
  const ops::BenchResult wrong = ops::run_bench_case(made_up(2.0), at::kCPU, 1).front();
  CHECK(wrong.difference.find("result 0[0] is 2, the reference has 1") == 0);
  CHECK(ops::bench_line(wrong).find("DIFFERS: result 0[0]") != std::string::npos);

  const ops::BenchResult missing = ops::run_bench_case(made_up(1.0, false), at::kCPU, 1).front();
  CHECK(missing.reference);
  CHECK_FALSE(missing.compiled);
  CHECK_FALSE(missing.ratio);
  CHECK(missing.note == "no kernel here");
  CHECK(ops::bench_line(missing).find("no kernel here") != std::string::npos);
}

TEST_CASE("ops bench: a case whose reference is too slow runs alone and says so") {
  ops::BenchCase bench_case = made_up(2.0);
  bench_case.alone = "the reference takes hours";
  const ops::BenchResult alone = ops::run_bench_case(bench_case, at::kCPU, 3).front();
  CHECK_FALSE(alone.reference);
  CHECK_FALSE(alone.ratio);
  CHECK(alone.difference == "");
  REQUIRE(alone.compiled);
  CHECK(alone.pairs == 3);
  CHECK(ops::bench_line(alone).find("the reference takes hours") != std::string::npos);

  bench_case = made_up(2.0, false);
  bench_case.alone = "the reference takes hours";
  const ops::BenchResult missing = ops::run_bench_case(bench_case, at::kCPU, 3).front();
  CHECK_FALSE(missing.compiled);
  CHECK(missing.note == "no kernel here");
}

TEST_CASE("ops bench: a case that times its own parts has a row for each") {
  const ops::BenchCase staged = {
      {"model/x/first/b1", "model/x/second/b1"}, [](c10::Device) -> ops::BenchRun {
        return [](Backend backend) {
          return ops::BenchOutcome{{}, {backend == Backend::compiled ? 1.0 : 4.0, 8.0}};
        };
      }};
  const auto results = ops::run_bench_case(staged, at::kCPU, 2);
  REQUIRE(results.size() == 2);
  CHECK(results[0].ratio.value() == 4.0);
  CHECK(results[1].ratio.value() == 1.0);
  CHECK(results[1].compiled->median == 8.0);
}

TEST_CASE("ops bench: a small case of every operator runs and its backends agree") {
  int ran = 0;
  for (const ops::BenchCase& bench_case : ops::operator_bench_cases()) {
    if (!passes_filter(bench_case.rows.front(),
                       "fps/1024x3000/*/b1,*_query/1024x1024/*/b1,rotated_iou/*"))
      continue;
    for (const ops::BenchResult& result : ops::run_bench_case(bench_case, at::kCPU, 1)) {
      INFO(ops::bench_line(result));
      CHECK(result.difference == "");
      CHECK(result.ratio);
      ++ran;
    }
  }
  CHECK(ran >= 8);
}

}  // namespace
}  // namespace grasppanda::tests
