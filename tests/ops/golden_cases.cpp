#include "tests/ops/golden_cases.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lib/io/npy.h"
#include "lib/io/npz.h"
#include "lib/ops/errors.h"
#include "lib/ops/self_check.h"

namespace grasppanda::tests {
namespace {

at::ScalarType scalar_type(io::DType dtype) {
  switch (dtype) {
    case io::DType::boolean:
      return at::kBool;
    case io::DType::uint8:
      return at::kByte;
    case io::DType::int8:
      return at::kChar;
    case io::DType::int32:
      return at::kInt;
    case io::DType::int64:
      return at::kLong;
    case io::DType::float32:
      return at::kFloat;
    case io::DType::float64:
      return at::kDouble;
    default:
      throw std::runtime_error("a type that no golden of the operators uses");
  }
}

ops::OperatorCall::Value parameter(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return std::string(value.get<bool>() ? "true" : "false");
  if (value.is_number_integer()) return at::scalar_tensor(value.get<int64_t>(), at::kLong);
  return at::scalar_tensor(value.get<double>(), at::kDouble);
}

// Distance in units of the last place of positive numbers, any NaN equal to any NaN.
std::string root_difference(const at::Tensor& got, const at::Tensor& want) {
  const at::Tensor gap =
      got.contiguous().view(at::kInt).sub(want.contiguous().view(at::kInt)).abs();
  const at::Tensor bad = gap.gt(1).logical_and(got.isnan().logical_and(want.isnan()).logical_not());
  return bad.any().item<bool>() ? "distance is more than one unit in the last place off" : "";
}

std::string difference(const std::string& name, const at::Tensor& got, const at::Tensor& want) {
  if (got.sizes() != want.sizes()) return ops::first_difference(name, got, want);
  if (!got.is_floating_point())
    return ops::first_difference(name, got.to(at::kLong), want.to(at::kLong));
  if (name == "distance") return root_difference(got, want);
  if (name == "weight" || name == "value")
    return at::allclose(got, want, 1e-6, 1e-6, /*equal_nan=*/true) ? "" : name + " is off by 1e-6";
  return ops::first_difference(name, got, want);
}

int64_t differing_queries(const ops::NamedTensors& got, const GoldenCase& golden) {
  const at::Tensor count = got.at("count").ne(golden.expected.at("count"));
  const at::Tensor index = got.at("index").ne(golden.expected.at("index")).any(-1);
  return count.logical_or(index).sum().item<int64_t>();
}

}  // namespace

at::Tensor tensor_of(const io::Array& array) {
  const auto type = at::TensorOptions().dtype(scalar_type(array.dtype));
  if (array.numel() == 0) return at::empty(array.shape, type);
  return at::from_blob(const_cast<std::byte*>(array.data.get()), array.shape, type).clone();
}

at::Tensor npz_tensor(const std::filesystem::path& archive, const std::string& name) {
  return tensor_of(io::NpzReader(archive).read(name));
}

at::Tensor npy_tensor(const std::filesystem::path& file) {
  return tensor_of(io::read_npy(file));
}

std::vector<GoldenCase> read_golden_cases(const std::filesystem::path& folder) {
  std::ifstream file(folder / "cases.json");
  const nlohmann::json document = nlohmann::json::parse(file);
  std::map<std::string, at::Tensor> arrays;
  for (const std::string name : document.at("files")) {
    const io::NpzReader reader(folder / name);
    for (const std::string& entry : reader.names()) arrays[entry] = tensor_of(reader.read(entry));
  }
  std::vector<GoldenCase> cases;
  for (const nlohmann::json& entry : document.at("cases")) {
    GoldenCase golden{entry.at("id"), entry.at("op"), entry.at("note"), {}, {}, 0};
    golden.queries_in_band = entry.value("queries_in_band", int64_t{0});
    const auto tags = entry.value("tags", std::vector<std::string>{});
    golden.clear = std::find(tags.begin(), tags.end(), "clear") != tags.end();
    for (const auto& [name, array] : entry.at("inputs").items())
      golden.values[name] = arrays.at(array.get<std::string>());
    for (const auto& [name, value] : entry.at("params").items())
      golden.values[name] = parameter(value);
    for (const auto& [name, value] : entry.at("expect").items())
      if (name != "error") golden.expected[name] = arrays.at(value.get<std::string>());
    cases.push_back(std::move(golden));
  }
  return cases;
}

std::string golden_difference(const GoldenCase& golden) {
  ops::NamedTensors got;
  try {
    got = ops::run_operator(golden.op, golden.values);
  } catch (const ops::ArgumentError& error) {
    return golden.expected.empty() ? "" : std::string("refused: ") + error.what();
  }
  if (golden.expected.empty()) return "was not refused";
  if (golden.queries_in_band > 0 && golden.op == "cylinder_query") {
    const int64_t differing = differing_queries(got, golden);
    return differing <= golden.queries_in_band
               ? ""
               : std::to_string(differing) + " queries differ, a BLAS may decide " +
                     std::to_string(golden.queries_in_band);
  }
  for (const auto& [name, want] : golden.expected) {
    const auto found = got.find(name);
    if (found == got.end()) return "there is no output " + name;
    if (std::string text = difference(name, found->second, want); !text.empty()) return text;
  }
  return "";
}

}  // namespace grasppanda::tests
