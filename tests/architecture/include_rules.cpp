#include "tests/architecture/include_rules.h"

#include <algorithm>
#include <vector>

namespace grasppanda::tests {
namespace {

using Prefixes = std::vector<std::string>;

struct Room {
  std::string path;
  Prefixes may_include;  // besides itself
};

// First match wins.
const std::vector<Room> kRooms = {
    {"lib/geometry/", {}},
    {"lib/ops/", {}},
    {"lib/io/", {}},
    {"lib/config/", {}},
    {"lib/datasets/", {"lib/io/", "lib/geometry/"}},
    {"lib/render/", {"lib/io/", "lib/geometry/"}},
    {"lib/eval/", {"lib/ops/", "lib/geometry/", "lib/datasets/"}},
    // render: the list of writers names the pictures too.
    {"lib/run/", {"lib/config/", "lib/io/", "lib/geometry/", "lib/render/", "lib/ops/backend.h"}},
    {"models/",
     {"lib/ops/", "lib/io/checkpoint", "lib/geometry/", "lib/datasets/frame.h", "lib/config/"}},
    {"app/", {"lib/", "models/"}},
    {"tests/", {"lib/", "models/", "app/"}},
};

struct Library {
  std::string name;
  Prefixes headers;
  Prefixes allowed_in;
};

const std::vector<Library> kLibraries = {
    {"CLI11", {"CLI/"}, {"app/"}},
    {"spdlog", {"spdlog/", "fmt/"}, {"app/"}},
    {"yaml-cpp", {"yaml-cpp/"}, {"lib/config/"}},
    {"nlohmann-json",
     {"nlohmann/"},
     {"lib/io/", "lib/run/", "lib/render/", "lib/datasets/", "app/", "tests/"}},
    {"LibTorch",
     {"ATen/", "c10/", "torch/", "caffe2/"},
     {"lib/ops/", "models/", "app/commands/", "tests/"}},
    {"a file format's library",
     {"png.h", "jpeglib.h", "jerror.h", "turbojpeg.h", "tiff", "matio", "libexif/", "zlib.h"},
     {"lib/io/", "tests/io/"}},
    {"Highway", {"hwy/"}, {"lib/ops/"}},
    {"OpenSSL", {"openssl/"}, {"lib/io/", "tests/io/"}},
    {"Catch2", {"catch2/"}, {"tests/catch.h"}},
    {"Python", {"Python.h", "pybind11/"}, {}},
};

const Prefixes kCudaHeaders = {"cuda",       "cublas",   "cudnn",  "cub/",
                               "thrust/",    "nv",       "curand", "cooperative_groups",
                               "ATen/cuda/", "c10/cuda/"};

bool starts_with_one_of(const std::string& text, const Prefixes& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return text.starts_with(prefix); });
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

/// models/gsnet/ and models/mmrotate/oriented_rcnn/ know themselves, the folders above them and
/// the backbones; what two models share moves there.
bool model_may_include(const std::string& file, const std::string& target) {
  const std::string folder = folder_of(target);
  return target.starts_with("models/backbones/") || folder_of(file).starts_with(folder);
}

std::optional<std::string> why_ours_forbidden(const std::string& file, const std::string& target) {
  const auto room = std::find_if(kRooms.begin(), kRooms.end(),
                                 [&](const Room& r) { return file.starts_with(r.path); });
  if (room == kRooms.end()) return "lies in no room";
  if (file.starts_with("models/") && target.starts_with("models/")) {
    // The list of models is the one file that names them all.
    if (file.starts_with("models/model_") || model_may_include(file, target)) return {};
    return "a model includes another; what they share belongs in models/backbones";
  }
  if (target.starts_with(room->path) || starts_with_one_of(target, room->may_include)) return {};
  return room->path + " may not include it";
}

}  // namespace

std::optional<std::string> why_forbidden(const std::string& file, const Include& include) {
  const std::string& target = include.target;
  const bool is_header = file.ends_with(".h");
  if (starts_with_one_of(target, {"app/", "lib/", "models/", "tests/"})) {
    if (include.angled) return "our own headers are included with quotes";
    return why_ours_forbidden(file, target);
  }
  if (!include.angled) return "includes are written from the repository root";
  if (starts_with_one_of(target, {"torch/torch.h", "torch/extension.h", "torch/script.h"}))
    return "doubles the compile time; ATen/ATen.h or less";
  if (is_header && target == "ATen/ATen.h" && file != "tests/catch.h")
    return "headers include ATen/core/Tensor.h";
  if (starts_with_one_of(target, kCudaHeaders) && !file.ends_with("_cuda.cu"))
    return "CUDA headers only in *_cuda.cu";
  for (const Library& library : kLibraries) {
    if (starts_with_one_of(target, library.headers) &&
        !starts_with_one_of(file, library.allowed_in))
      return library.name + " is not for this room";
  }
  return {};
}

}  // namespace grasppanda::tests
