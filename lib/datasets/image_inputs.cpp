#include "lib/datasets/image_inputs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "lib/datasets/input_names.h"
#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"
#include "lib/io/text_numbers.h"

namespace grasppanda::datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWanted =
    "wanted a PNG, JPEG or TIFF image, a folder of them or a list file";

constexpr std::array<std::string_view, 12> kImageSuffixes = {".png",  ".jpg", ".jpeg", ".tif",
                                                             ".tiff", ".bmp", ".webp", ".gif",
                                                             ".jp2",  ".ecw", ".img",  ".ppm"};

bool has_image_suffix(const fs::path& path) {
  std::string suffix = path.extension().string();
  std::ranges::transform(suffix, suffix.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::find(kImageSuffixes, suffix) != kImageSuffixes.end();
}

bool is_image(io::Content content) {
  return content == io::Content::png || content == io::Content::jpeg ||
         content == io::Content::tiff;
}

io::Content content_of_file(const fs::path& path) {
  try {
    return io::content_of(io::map_file(path).span());
  } catch (const io::FormatError&) {
    return io::Content::unknown;  // opening it says why
  }
}

class Lister {
 public:
  void add(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      add_folder(path);
    } else if (!fs::exists(path, ignored)) {
      add_problem(path, "does not exist");
    } else if (is_image(content_of_file(path)) || has_image_suffix(path)) {
      add_image(path);
    } else {
      add_list(path);
    }
  }

  std::vector<InputRef> take() {
    const bool any =
        std::ranges::any_of(inputs_, [](const InputRef& input) { return input.problem.empty(); });
    if (!any && !inputs_.empty()) throw io::FormatError(inputs_.front().problem);
    make_names_unique(inputs_);
    return std::move(inputs_);
  }

 private:
  void add_image(const fs::path& path) {
    inputs_.push_back({path.stem().string(), path, InputRef::Kind::image_file, {}, {}});
  }
  void add_problem(const fs::path& path, const std::string& problem) {
    inputs_.push_back(
        {folder_name(path), path, InputRef::Kind::image_file, {}, path.string() + ": " + problem});
  }

  void add_children(const fs::path& folder) {
    std::error_code ignored;
    for (const fs::path& child : sorted_children(folder)) {
      if (!fs::is_regular_file(child, ignored)) continue;
      if (has_image_suffix(child) || is_image(content_of_file(child))) add_image(child);
    }
  }
  void add_folder(const fs::path& folder) {
    const std::size_t before = inputs_.size();
    add_children(folder);
    if (inputs_.size() == before) add_children(folder / "images");
    if (inputs_.size() == before) {
      add_problem(folder, "holds no image; " + std::string(kWanted));
    }
  }

  void add_list(const fs::path& file) {
    const io::SharedBytes bytes = io::map_file(file);
    const io::Content content = io::content_of(bytes.span());
    std::string_view text = bytes.text();
    if (content != io::Content::unknown || text.find('\0') != std::string_view::npos) {
      add_problem(file,
                  "is " + std::string(io::content_words(content)) + "; " + std::string(kWanted));
      return;
    }
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    const std::size_t before = inputs_.size();
    io::TextLines lines(text);
    std::string_view line;
    while (lines.next(line)) {
      const auto start = line.find_first_not_of(" \t");
      if (start == std::string_view::npos || line[start] == '#') continue;
      line = line.substr(start, line.find_last_not_of(" \t\r") + 1 - start);
      add_line(file, lines.number(), fs::path(line));
    }
    if (inputs_.size() == before) add_problem(file, "is a list without a path in it");
  }

  void add_line(const fs::path& file, std::int64_t number, const fs::path& entry) {
    const fs::path path = file.parent_path() / entry;  // an absolute entry stays
    std::error_code ignored;
    const std::size_t before = inputs_.size();
    if (!fs::exists(path, ignored)) {
      add_problem(path, "does not exist");
    } else if (fs::is_directory(path, ignored)) {
      add_folder(path);
    } else if (is_image(content_of_file(path)) || has_image_suffix(path)) {
      add_image(path);
    } else {
      add_problem(path, "is no image; " + std::string(kWanted) + ", and lists do not nest");
    }
    for (std::size_t i = before; i < inputs_.size(); ++i) {
      InputRef& input = inputs_[i];
      if (!input.problem.empty()) {
        input.problem = file.string() + ":" + std::to_string(number) + ": " + input.problem;
      }
      name_by_list(entry, input);
    }
  }

  /// Below the list file, the path that the list gives is the name's front, as below a root.
  static void name_by_list(const fs::path& entry, InputRef& input) {
    const fs::path normal = entry.lexically_normal();
    if (entry.is_absolute() || normal.empty() || *normal.begin() == "..") return;
    const fs::path front = normal.has_filename() ? normal.parent_path() : normal;
    if (front.empty() || front == ".") return;
    input.name = (front / input.name).generic_string();
  }

  std::vector<InputRef> inputs_;
};

}  // namespace

std::vector<InputRef> list_images(const std::vector<std::string>& arguments) {
  Lister lister;
  for (const std::string& argument : arguments) lister.add(argument);
  return lister.take();
}

}  // namespace grasppanda::datasets
