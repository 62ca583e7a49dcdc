// From what the user typed (frames, folders, scenes, clouds, list files) to a list of inputs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/datasets/frame.h"

namespace grasppanda::datasets {

/// Settings that say how to open an input (the rest of `input.*` is in CloudSettings).
struct OpenSettings {
  std::optional<double> depth_scale;                        // none: factor_depth of the meta
  enum class Mask { automatic, none, file } workspace_mask = Mask::automatic;
  std::filesystem::path workspace_mask_file;
  std::optional<geometry::Intrinsics> intrinsics;           // given as numbers
  std::optional<std::filesystem::path> intrinsics_file;     // .mat .json .npy .yaml
  std::optional<std::filesystem::path> color_file;          // for --depth FILE --color FILE
  std::string array_name;                                   // --array: inside an .npz
  std::optional<std::int64_t> array_index;                  // --index: inside a stack of clouds
};

/// Expands arguments in order; list files hold one path a line (relative to the list file, `#`
/// comments). Names are unique: a clash gets `-2`. Does not open the inputs themselves.
/// Throws io::FormatError for an argument that does not exist or holds no input.
std::vector<InputRef> list_inputs(const std::vector<std::string>& arguments);

/// Reads and checks one input. Throws io::FormatError.
Frame open_input(const InputRef& input, const OpenSettings& settings);

}  // namespace grasppanda::datasets
