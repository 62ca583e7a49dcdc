#include "lib/ops/rotated/sampling_settings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "lib/ops/errors.h"
#include "lib/ops/rotated/perfect_square.h"
#include "lib/ops/rotated/python_number.h"

namespace grasppanda::ops {
namespace {

constexpr int64_t kFlatSamples = 100;
constexpr const char* kIouSwitch = "ORIENTED_DET_GPU_ORIENTED_IOU_SAMPLE_BY_MAX_SIDE";
constexpr const char* kSpacing = "ORIENTED_DET_GPU_ORIENTED_IOU_TARGET_SPACING_PX";
constexpr const char* kMinSamples = "ORIENTED_DET_GPU_ORIENTED_IOU_MIN_SAMPLES";
constexpr const char* kMaxSamples = "ORIENTED_DET_GPU_ORIENTED_IOU_MAX_SAMPLES";
constexpr const char* kNmsSamples = "ORIENTED_DET_GPU_NMS_IOU_SAMPLES";
constexpr const char* kNmsSwitch = "ORIENTED_DET_GPU_NMS_IOU_SAMPLE_BY_MAX_SIDE";
constexpr const char* kBackend = "ORIENTED_DET_ROTATED_BACKEND";
constexpr const char* kWindowBatch = "ORIENTED_DET_WINDOW_BATCH_SIZE";

// Not set and blank are the same.
std::optional<std::string> variable(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || trimmed(text).empty()) return std::nullopt;
  return text;
}

std::string word_of(std::string_view text) {
  std::string word(trimmed(text));
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return word;
}

// An unknown word switches off.
bool is_on(const char* name) {
  const auto text = variable(name);
  if (!text) return true;
  const std::string word = word_of(*text);
  return word == "1" || word == "true" || word == "yes" || word == "on";
}

[[noreturn]] void refuse(const std::string& sentence) {
  throw ArgumentError(sentence);
}

double spacing() {
  const auto text = variable(kSpacing);
  if (!text) return SampleGeometry{}.target_spacing;
  const auto value = parse_python_float(*text);
  if (!value) refuse(std::string(kSpacing) + " must be a float, got '" + *text + "'");
  if (*value <= 0) refuse(std::string(kSpacing) + " must be > 0, got " + python_repr(*value));
  return *value;
}

std::optional<int64_t> samples(const char* name) {
  const auto text = variable(name);
  if (!text) return std::nullopt;
  const auto value = parse_python_int(*text);
  if (!value) refuse(std::string(name) + " must be a non-negative integer, got '" + *text + "'");
  if (*value < 1) refuse(std::string(name) + " must be >= 1, got " + std::to_string(*value));
  if (!is_perfect_square(*value))
    refuse(std::string(name) + "=" + std::to_string(*value) +
           " must be a perfect square (e.g. 25, 36, 49, 64, 81, 100, 121, ...).");
  return value;
}

}  // namespace

SampleSettings sample_settings(SamplePurpose purpose) {
  SampleSettings settings;
  if (purpose == SamplePurpose::nms) {
    // Checked in any case; used only without geometry, whatever the documentation of the variable.
    const int64_t flat = samples(kNmsSamples).value_or(kFlatSamples);
    if (!is_on(kNmsSwitch)) settings.flat = flat;
  } else if (!is_on(kIouSwitch)) {
    settings.flat = kFlatSamples;
  }
  if (settings.flat) return settings;  // the other variables are not even looked at
  const SampleGeometry defaults;
  settings.geometry.target_spacing = spacing();
  settings.geometry.min_samples = samples(kMinSamples).value_or(defaults.min_samples);
  settings.geometry.max_samples = samples(kMaxSamples).value_or(defaults.max_samples);
  return settings;
}

RotatedBackendVariable parse_rotated_backend(std::string_view text) {
  const std::string word = word_of(text);
  if (word == "cpu") return RotatedBackendVariable::cpu;
  return word == "gpu_sample" ? RotatedBackendVariable::gpu_sample
                              : RotatedBackendVariable::automatic;
}

std::optional<IouMethod> method_from_environment() {
  const auto text = variable(kBackend);
  if (!text) return std::nullopt;
  return parse_rotated_backend(*text) == RotatedBackendVariable::cpu ? IouMethod::exact
                                                                     : IouMethod::sampled;
}

std::optional<std::size_t> window_batch_from_environment() {
  const auto text = variable(kWindowBatch);
  if (!text) return std::nullopt;
  const std::string word = word_of(*text);
  if (word == "auto" || word == "probe") return std::nullopt;
  const auto number = parse_python_int(*text);
  if (!number || *number < 1) {
    refuse(std::string(kWindowBatch) + " must be a positive integer, auto or probe, got '" + *text +
           "'");
  }
  return static_cast<std::size_t>(*number);
}

IouMethod suppression_method(IouMethod configured, bool force_cpu) {
  return force_cpu ? IouMethod::exact : method_from_environment().value_or(configured);
}

}  // namespace grasppanda::ops
