#include "lib/ops/rotated/rotated_iou_sample_count.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "lib/ops/errors.h"
#include "lib/ops/rotated/perfect_square.h"
#include "lib/ops/rotated/python_number.h"
#include "tests/catch.h"
#include "tests/ops/refused.h"
#include "tests/ops/rotated/environment.h"

namespace grasppanda::tests {
namespace {

using nlohmann::json;
using ops::SamplePurpose;
using Variables = std::map<std::string, std::string>;

at::Tensor box(double w, double h) {
  at::Tensor row = at::zeros({1, 5});
  row[0][2] = w;
  row[0][3] = h;
  return row;
}

int64_t count_for(double w, double h, SamplePurpose purpose = SamplePurpose::iou) {
  return ops::rotated_iou_sample_count(box(w, h), {}, purpose);
}

std::string refusal(const json& size, SamplePurpose purpose) {
  try {
    count_for(size[0], size[1], purpose);
  } catch (const ops::ArgumentError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("rotated_iou_sample_count: sizes of the text", "[rotated]") {
  CHECK(count_for(10, 10) == 25);
  CHECK(count_for(25, 25) == 169);
  CHECK(count_for(5, 100) == 1024);
  CHECK(ops::rotated_iou_sample_count(at::zeros({0, 5}), {}, SamplePurpose::iou) == 25);
  // The largest need of both sets decides.
  CHECK(ops::rotated_iou_sample_count(box(10, 10), box(5, 100), SamplePurpose::nms) == 1024);
  // What is no number asks for nothing.
  CHECK(count_for(std::nan(""), 20) == 100);
  CHECK(count_for(std::numeric_limits<double>::infinity(), 20) == 100);
}

TEST_CASE("rotated_iou_sample_count: a count that is asked for is a square", "[rotated]") {
  const auto asked = [](int64_t n) {
    return ops::rotated_iou_sample_count(box(10, 10), {}, SamplePurpose::iou, n);
  };
  for (const int64_t n : {0, 1, 4, 100, 1 << 20}) CHECK(asked(n) == n);
  for (const int64_t n : {10, 99, -1, -4})
    check_refused("rotated_iou_sample_count",
                  "num_samples must be a perfect square, got " + std::to_string(n),
                  [&] { asked(n); });
}

TEST_CASE("rotated_iou_sample_count: the package's counts and errors for every variable",
          "[rotated]") {
  GP_NEED_DATA(file, "goldens/rotated_ops/sample_counts.json");
  const json golden = json::parse(std::ifstream(file));
  const json& sizes = golden.at("sizes_w_h");
  int compared = 0, refused = 0;
  for (const json& entry : golden.at("env_cases")) {
    INFO(entry.at("env").dump());
    const EnvironmentScope scope(entry.at("env").get<Variables>());
    for (const auto& [name, purpose] :
         {std::pair{"iou", SamplePurpose::iou}, {"nms", SamplePurpose::nms}}) {
      const json& want = entry.at(name);
      if (want.is_string()) {
        CHECK("ValueError: " + refusal(sizes[0], purpose) == want.get<std::string>());
        ++refused;
        continue;
      }
      for (std::size_t i = 0; i < sizes.size(); ++i, ++compared) {
        INFO(sizes[i].dump());
        CHECK(count_for(sizes[i][0], sizes[i][1], purpose) == want[i].get<int64_t>());
      }
    }
  }
  CHECK(compared > 2500);
  CHECK(refused > 15);

  for (const json& batch : golden.at("batches")) {
    at::Tensor boxes = at::zeros({0, 5});
    for (const json& size : batch.at("sizes")) boxes = at::cat({boxes, box(size[0], size[1])});
    CHECK(ops::geometry_sample_count(boxes, {}, {}) ==
          batch.at(batch.contains("iou") ? "iou" : "geometry").get<int64_t>());
  }
  const json& parameters = golden.at("geometry_params");
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::size_t k = 1; k < parameters.size(); ++k) {
      const json& p = parameters[k];
      INFO(sizes[i].dump() << ' ' << p.dump());
      CHECK(
          ops::geometry_sample_count(box(sizes[i][0], sizes[i][1]), {}, {p[0], p[1], p[2], p[3]}) ==
          golden.at("geometry")[i][k - 1].get<int64_t>());
    }
}

TEST_CASE("ORIENTED_DET_ROTATED_BACKEND chooses the method", "[rotated]") {
  using ops::IouMethod;
  CHECK_FALSE(ops::method_from_environment().has_value());
  CHECK(ops::suppression_method(IouMethod::sampled, false) == IouMethod::sampled);
  for (const auto& [text, method] : {std::pair{"cpu", IouMethod::exact},
                                     {" CPU ", IouMethod::exact},
                                     {"auto", IouMethod::sampled},
                                     {"GPU_SAMPLE", IouMethod::sampled},
                                     {"mmcv", IouMethod::sampled}}) {
    const Variables variables = {{"ORIENTED_DET_ROTATED_BACKEND", text}};
    const EnvironmentScope scope(variables);
    CHECK(ops::method_from_environment() == method);
    CHECK(ops::suppression_method(IouMethod::exact, false) == method);
    CHECK(ops::suppression_method(IouMethod::sampled, true) == IouMethod::exact);
  }
  const Variables blank_variable = {{"ORIENTED_DET_ROTATED_BACKEND", " "}};
  const EnvironmentScope blank(blank_variable);
  CHECK_FALSE(ops::method_from_environment().has_value());
  CHECK(ops::parse_rotated_backend(" Gpu_Sample\n") == ops::RotatedBackendVariable::gpu_sample);
  CHECK(ops::parse_rotated_backend("0") == ops::RotatedBackendVariable::automatic);
}

TEST_CASE("ORIENTED_DET_WINDOW_BATCH_SIZE is a positive number, auto or probe", "[rotated]") {
  CHECK_FALSE(ops::window_batch_from_environment().has_value());
  const auto with = [](const char* text) {
    const Variables variables = {{"ORIENTED_DET_WINDOW_BATCH_SIZE", text}};
    const EnvironmentScope scope(variables);
    return ops::window_batch_from_environment();
  };
  CHECK(with(" 3 ") == 3U);
  for (const char* unset : {"", " ", "auto", "Probe"}) CHECK_FALSE(with(unset).has_value());
  for (const char* bad : {"0", "-2", "two", "1.5"}) {
    CHECK_THROWS_AS(with(bad), ops::ArgumentError);
  }
}

TEST_CASE("numbers are read as Python reads them", "[rotated]") {
  const auto number = [](const char* text) { return ops::parse_python_float(text); };
  CHECK(number("1e0") == 1.0);
  CHECK(number(" +.5\n") == 0.5);
  CHECK(number("-1_0.0_1E+1") == -100.1);
  CHECK(number("5.") == 5.0);
  CHECK(number("Infinity") == std::numeric_limits<double>::infinity());
  CHECK(number("1e999") == std::numeric_limits<double>::infinity());
  CHECK(number("1e-999") == 0.0);
  CHECK(std::isnan(number("-NaN").value()));
  for (const char* bad : {"", ".", "1_", "_1", "1__0", "0x1", "1e", "1 2", "e5", "1.5f"}) {
    INFO(bad);
    CHECK_FALSE(number(bad).has_value());
  }
  CHECK(ops::parse_python_int(" +1_00 ") == 100);
  CHECK(ops::parse_python_int("0025") == 25);
  CHECK(ops::parse_python_int("99999999999999999999") == std::numeric_limits<int64_t>::max());
  for (const char* bad : {"", "9.0", "0x19", "1_", "--1", "1 0"})
    CHECK_FALSE(ops::parse_python_int(bad).has_value());
  CHECK(ops::python_repr(0) == "0.0");
  CHECK(ops::python_repr(-1.5) == "-1.5");
  CHECK(ops::whole_square_root(1023) == 31);
  CHECK(ops::whole_square_root(std::numeric_limits<int64_t>::max()) == 3037000499);
  CHECK(ops::is_perfect_square(1024));
  CHECK_FALSE(ops::is_perfect_square(-4));
}

}  // namespace
}  // namespace grasppanda::tests
