#include "app/commands/input_settings.h"

#include <algorithm>
#include <charconv>

#include "app/report_error.h"

namespace grasppanda::app {

namespace {

std::int64_t whole_number(const std::string& option, const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0) {
    throw UsageError(option + ": '" + text + "' is no whole number from 0 on");
  }
  return value;
}

}  // namespace

datasets::OpenSettings open_settings(const config::Config& config, const Invocation& invocation) {
  datasets::OpenSettings settings;
  if (!config.is("input.depth.scale", "auto")) {
    settings.depth_scale = config.number("input.depth.scale");
  }
  using Mask = datasets::OpenSettings::Mask;
  if (config.is("input.workspace_mask", "none")) {
    settings.workspace_mask = Mask::none;
  } else if (!config.is("input.workspace_mask", "auto")) {
    settings.workspace_mask = Mask::file;
    settings.workspace_mask_file = config.file("input.workspace_mask");
  }
  if (config.has_numbers("input.intrinsics")) {
    const std::vector<double> k = config.numbers("input.intrinsics");
    settings.intrinsics = geometry::Intrinsics{.fx = k[0], .fy = k[1], .cx = k[2], .cy = k[3]};
  } else if (!config.is("input.intrinsics", "auto")) {
    settings.intrinsics_file = config.file("input.intrinsics");
  }
  if (invocation.has("--color")) settings.color_file = invocation.value("--color");
  settings.array_name = invocation.value("--array");
  if (invocation.has("--index")) {
    settings.array_index = whole_number("--index", invocation.value("--index"));
  }
  return settings;
}

datasets::CloudSettings cloud_settings(const config::Config& config) {
  datasets::CloudSettings settings;
  settings.depth_min = config.number("input.depth.min");
  if (!config.is("input.depth.max", "auto")) settings.depth_max = config.number("input.depth.max");
  if (!config.is("input.limit_box", "none")) {
    settings.limit_box.emplace();
    std::ranges::copy(config.numbers("input.limit_box"), settings.limit_box->begin());
  }
  if (!config.is("input.object_mask", "none")) {
    settings.object_mask = config.file("input.object_mask");
  }
  return settings;
}

datasets::ImageSettings image_settings(const config::Config& config) {
  datasets::ImageSettings settings;
  if (config.is("input.stretch", "percentile")) {
    settings.stretch = {2, 98};
  } else if (!config.is("input.stretch", "none")) {
    settings.stretch.emplace();
    std::ranges::copy(config.numbers("input.stretch"), settings.stretch->begin());
  }
  if (!config.is("input.bands", "auto")) {
    settings.bands.emplace();
    std::ranges::transform(config.numbers("input.bands"), settings.bands->begin(),
                           [](double band) { return static_cast<int>(band); });
  }
  settings.tiled_above = config.integer("detect.tiling.min_side");
  return settings;
}

geometry::Vec3 picture_up(const Invocation& invocation) {
  const config::Config& config = *invocation.config;
  if (!config.has("model.up")) return geometry::Vec3{0, 0, -1};
  if (!config.is_word("model.up")) {
    const std::vector<double> up = config.numbers("model.up");
    return {up[0], up[1], up[2]};
  }
  // A model that turns its input upright takes --points as they are: z up.
  return invocation.has("--points") ? geometry::Vec3{0, 0, 1} : geometry::Vec3{0, 0, -1};
}

}  // namespace grasppanda::app
