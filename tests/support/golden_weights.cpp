#include "tests/support/golden_weights.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "lib/io/npz.h"

namespace grasppanda::tests {

namespace {

std::uint64_t fnv1a64(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  return hash;
}

// Number i of a key: SplitMix64 seeded by the key, its upper 24 bits as a number in [-1, 1).
double unit_value(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  z ^= z >> 31;
  return static_cast<double>(z >> 40) * 0x1p-23 - 1.0;
}

double product(const std::vector<std::int64_t>& shape, std::size_t first, std::size_t last) {
  double result = 1;
  for (std::size_t axis = first; axis < last; ++axis) result *= static_cast<double>(shape[axis]);
  return result;
}

// The scaling is done in double and rounded once, to the tensor's own type.
template <class T>
io::Array filled(const std::string& key, const std::vector<std::int64_t>& shape,
                 const std::string& init) {
  std::vector<T> values(static_cast<std::size_t>(product(shape, 0, shape.size())));
  const std::uint64_t seed = fnv1a64(key);
  const auto fill = [&](auto value_of) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(value_of(i));
    return io::make_array<T>(shape, values);
  };
  if (init == "zeros") return fill([](auto) { return 0.0; });
  if (init == "ones") return fill([](auto) { return 1.0; });
  if (init.starts_with("const:")) {
    const double value = std::stod(init.substr(6));
    return fill([value](auto) { return value; });
  }
  if (init.starts_with("uniform:")) {
    const std::size_t colon = init.find(':', 8);
    const double low = std::stod(init.substr(8)), high = std::stod(init.substr(colon + 1));
    return fill([=](auto i) { return low + (high - low) * (unit_value(seed, i) + 1.0) / 2.0; });
  }
  std::optional<double> fan_in;
  if (init == "kaiming") fan_in = product(shape, 1, shape.size());
  if (init == "kaiming_kio") fan_in = product(shape, 0, shape.size() - 1);
  if (!fan_in) throw std::runtime_error(key + ": unknown init '" + init + "'");
  const double scale = std::sqrt(6.0 / *fan_in);
  return fill([=](auto i) { return unit_value(seed, i) * scale; });
}

std::uint16_t to_float16(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;   // NaN
  if (magnitude >= 0x477ff000) return sign | 0x7c00;  // rounds beyond 65504
  if (magnitude < 0x38800000) {                       // subnormal in float16
    const float scaled = std::nearbyint(std::fabs(value) * 0x1p24f);
    return sign | static_cast<std::uint16_t>(scaled);
  }
  const std::uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return sign | static_cast<std::uint16_t>((rounded - 0x38000000) >> 13);
}

}  // namespace

GoldenWeights golden_weights(const std::filesystem::path& manifest,
                             const std::filesystem::path& stats) {
  const auto json = nlohmann::ordered_json::parse(std::ifstream(manifest));
  std::optional<io::NpzReader> measured;
  if (!stats.empty()) measured.emplace(stats);
  GoldenWeights weights;
  if (json.at("container").is_string()) weights.container = json["container"];
  weights.extra = json.value("extra", nlohmann::ordered_json::object());
  for (const auto& entry : json.at("tensors")) {
    const std::string key = entry.at("key"), init = entry.at("init");
    const std::string dtype = entry.value("dtype", "float32");
    const auto shape = entry.at("shape").get<std::vector<std::int64_t>>();
    io::Array array;
    if (init == "stats") {
      array = measured.value().read(key);
      if (array.shape != shape || io::dtype_name(array.dtype) != dtype) {
        throw std::runtime_error(key + ": the measured array is " + io::describe(array));
      }
    } else if (dtype == "int64") {
      array = filled<std::int64_t>(key, shape, init);
    } else if (dtype == "float32") {
      array = filled<float>(key, shape, init);
    } else {
      throw std::runtime_error(key + ": unknown type '" + dtype + "'");
    }
    weights.tensors.push_back({key, std::move(array)});
  }
  return weights;
}

std::vector<io::NamedArray> halved(const std::vector<io::NamedArray>& tensors) {
  std::vector<io::NamedArray> result;
  for (const io::NamedArray& tensor : tensors) {
    if (tensor.array.dtype != io::DType::float32) {
      result.push_back(tensor);
      continue;
    }
    std::vector<std::uint16_t> halves;
    for (const float value : tensor.array.as<float>()) halves.push_back(to_float16(value));
    result.push_back({tensor.key, io::make_array(io::DType::float16, tensor.array.shape,
                                                 std::as_bytes(std::span(halves)))});
  }
  return result;
}

std::vector<io::NamedArray> prefixed(const std::vector<io::NamedArray>& tensors,
                                     const std::string& prefix) {
  std::vector<io::NamedArray> result = tensors;
  for (io::NamedArray& tensor : result) tensor.key.insert(0, prefix);
  return result;
}

}  // namespace grasppanda::tests
