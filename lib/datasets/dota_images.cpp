#include "lib/datasets/dota_images.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>

#include "lib/datasets/input_names.h"
#include "lib/io/format_error.h"

namespace grasppanda::datasets {
namespace {

namespace fs = std::filesystem;

bool is_picture(const fs::path& file) {
  static constexpr std::array<std::string_view, 5> kSuffixes{".png", ".jpg", ".jpeg", ".tif",
                                                             ".tiff"};
  std::string suffix = file.extension().string();
  std::ranges::transform(suffix, suffix.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(kSuffixes, suffix) != kSuffixes.end();
}

}  // namespace

std::vector<DotaImage> list_dota_pictures(const fs::path& root) {
  std::vector<DotaImage> images;
  std::map<std::string, fs::path, std::less<>> seen;
  for (const fs::path& file : sorted_children(root / "images")) {
    if (!is_picture(file)) continue;
    const std::string name = file.stem().string();
    const auto [first, is_new] = seen.emplace(name, file);
    if (!is_new) {
      throw io::FormatError(file.string() + ": " + first->second.filename().string() +
                            " beside it has the same name; wanted one picture of a name");
    }
    images.push_back({name, file});
  }
  return images;
}

std::vector<fs::path> find_dota_pictures(const fs::path& root,
                                         const std::vector<std::string>& names) {
  std::map<std::string, fs::path, std::less<>> files;
  for (DotaImage& image : list_dota_pictures(root)) files.emplace(image.name, image.file);
  std::vector<fs::path> found;
  for (const std::string& name : names) {
    const auto file = files.find(name);
    if (file == files.end()) {
      throw io::FormatError((root / "images" / (name + ".png")).string() +
                            ": no such image, nor one with another suffix");
    }
    found.push_back(file->second);
  }
  return found;
}

}  // namespace grasppanda::datasets
