#include "lib/datasets/plain_folder.h"

#include "lib/datasets/frame_parts.h"
#include "lib/datasets/input_names.h"
#include "lib/io/format_error.h"

namespace grasppanda::datasets {
namespace {

std::filesystem::path find_depth(const std::filesystem::path& folder) {
  return first_existing(folder, {"depth.png", "depth.npy"});
}

std::filesystem::path find_meta(const std::filesystem::path& folder) {
  return first_existing(folder, {"meta.mat", "meta.json"});
}

}  // namespace

bool is_frame_folder(const std::filesystem::path& folder) {
  return !find_depth(folder).empty() || !find_meta(folder).empty();
}

std::vector<InputRef> list_frame_folder(const std::filesystem::path& folder) {
  return {{folder_name(folder), folder, InputRef::Kind::frame_folder, {}, {}}};
}

Frame open_frame_folder(const InputRef& input, const OpenSettings& settings) {
  const std::filesystem::path& folder = input.source;
  FrameFiles files;
  files.depth = find_depth(folder);
  if (files.depth.empty()) {
    throw io::FormatError(folder.string() + ": no depth.png or depth.npy in this frame");
  }
  files.meta = find_meta(folder);
  files.color = first_existing(folder, {"color.png", "color.jpg"});
  files.workspace_mask = first_existing(folder, {"workspace_mask.png"});
  Frame frame = read_frame(input, files, settings);
  if (files.depth.extension() == ".png" && !first_existing(folder, {"depth.npy"}).empty()) {
    frame.warnings.emplace_back("holds both depth.png and depth.npy; depth.png is used");
  }
  if (files.meta.extension() == ".mat" && !first_existing(folder, {"meta.json"}).empty()) {
    frame.warnings.emplace_back("holds both meta.mat and meta.json; meta.mat is used");
  }
  return frame;
}

Frame open_depth_file(const InputRef& input, const OpenSettings& settings) {
  FrameFiles files;
  files.depth = input.source;
  return read_frame(input, files, settings);
}

}  // namespace grasppanda::datasets
