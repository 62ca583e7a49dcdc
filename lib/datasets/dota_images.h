// The pictures of a DOTA folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace grasppanda::datasets {

struct DotaImage {
  std::string name;  // what label files, lists and result files call it
  std::filesystem::path file;
};

/// The pictures ROOT/images/NAME.SUFFIX, whatever the case of the suffix (png, jpg, jpeg, tif,
/// tiff), in natural order of their names; none when there is no such folder. Throws
/// io::FormatError when two pictures have one name.
std::vector<DotaImage> list_dota_pictures(const std::filesystem::path& root);

/// The file of every name, in the order of `names`. Throws io::FormatError for the first name
/// without a picture.
std::vector<std::filesystem::path> find_dota_pictures(const std::filesystem::path& root,
                                                      const std::vector<std::string>& names);

}  // namespace grasppanda::datasets
