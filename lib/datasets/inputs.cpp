#include "lib/datasets/inputs.h"

#include <iterator>
#include <string_view>

#include "lib/datasets/dataset_list.h"
#include "lib/datasets/graspnet_1billion.h"
#include "lib/datasets/input_names.h"
#include "lib/datasets/plain_folder.h"
#include "lib/datasets/stored_cloud.h"
#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"
#include "lib/io/printable_text.h"
#include "lib/io/text_numbers.h"
#include "lib/io/utf8.h"

namespace grasppanda::datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWanted =
    "wanted a frame folder, a GraspNet-1Billion folder, a cloud (.ply .pcd .npy .npz .xyz) or a "
    "list file";

class Lister {
 public:
  void add(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      add_folder(path);
    } else if (const auto view = graspnet_view(path)) {
      inputs_.push_back(*view);
    } else if (!fs::exists(path, ignored)) {
      add_problem(path, "does not exist");
    } else if (!fs::is_regular_file(path, ignored)) {  // a pipe, a device, a socket
      add_problem(path, "is not a regular file");
    } else if (is_cloud_file(path)) {
      inputs_.push_back(cloud_input(path, path.stem().string()));
    } else {
      add_list(path);
    }
  }

  std::vector<InputRef> take() {
    for (InputRef& input : inputs_) refuse_odd_bytes(input);
    for (const InputRef& input : inputs_) {
      if (input.problem.empty()) {
        make_names_unique(inputs_);
        return std::move(inputs_);
      }
    }
    if (inputs_.empty()) return {};
    const std::string more =
        inputs_.size() == 1
            ? ""
            : " (none of the " + std::to_string(inputs_.size()) + " inputs can be used)";
    throw io::FormatError(inputs_.front().problem + more);
  }

 private:
  static InputRef cloud_input(const fs::path& path, std::string name) {
    return {std::move(name), path, InputRef::Kind::cloud_file, {}, {}};
  }

  /// The record is JSON, which is UTF-8: it could not name this input, nor find it again.
  static void refuse_odd_bytes(InputRef& input) {
    const std::string path = absolute_path(input.source).string();
    if (io::is_valid_utf8(path) && io::is_valid_utf8(input.view)) return;
    const std::string said = io::printable(path + (input.view.empty() ? "" : "/" + input.view));
    if (input.problem.empty()) {
      input.problem =
          said + ": this path is not valid UTF-8, so the record cannot name it; rename it";
    } else {
      input.problem = io::printable(input.problem);
    }
    input.source = said;
    input.name = io::printable(input.name);
    input.view = io::printable(input.view);
  }

  void add_problem(const fs::path& path, const std::string& problem) {
    inputs_.push_back({folder_name(path),
                       path,
                       InputRef::Kind::frame_folder,
                       {},
                       path.string() + ": " + problem});
  }

  static std::vector<InputRef> list_dataset(const fs::path& folder) {
    for (const DatasetEntry& dataset : dataset_list()) {
      if (dataset.recognises(folder)) return dataset.list(folder);
    }
    return {};
  }

  void append(std::vector<InputRef> more) {
    inputs_.insert(inputs_.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
  }

  void add_folder(const fs::path& folder) {
    const std::size_t before = inputs_.size();
    append(list_dataset(folder));
    if (inputs_.size() == before) add_children(folder);
    if (inputs_.size() > before) return;
    std::error_code closed;
    fs::directory_iterator probe(folder, closed);
    add_problem(folder, closed ? "cannot be opened: " + closed.message()
                               : "holds no input; " + std::string(kWanted));
  }

  /// Frames, scenes and clouds that lie directly in the folder. Not deeper: models, dumps and
  /// results lie below data sets and are no inputs.
  void add_children(const fs::path& folder) {
    std::error_code ignored;
    for (const fs::path& child : sorted_children(folder)) {
      if (fs::is_directory(child, ignored)) {
        append(list_dataset(child));
      } else if (child.extension() != ".txt" && is_cloud_file(child)) {
        inputs_.push_back(cloud_input(child, child.stem().string()));
      }
    }
  }

  void add_list(const fs::path& file) {
    io::SharedBytes bytes;
    try {
      bytes = io::map_file(file);
    } catch (const io::FormatError& error) {  // no permission
      inputs_.push_back({folder_name(file), file, InputRef::Kind::frame_folder, {}, error.what()});
      return;
    }
    const io::Content content = io::content_of(bytes.span());
    std::string_view text = bytes.text();
    if (content != io::Content::unknown || text.find('\0') != std::string_view::npos) {
      const bool picture = content == io::Content::png || content == io::Content::tiff;
      add_problem(file, "is " + std::string(io::content_words(content)) + "; " +
                            std::string(kWanted) +
                            (picture ? ", or --depth FILE for a depth picture" : ""));
      return;
    }
    const std::size_t before = inputs_.size();
    for (const ListLine& line : list_lines(text)) add_line(file, line.number, fs::path(line.path));
    if (inputs_.size() == before) add_problem(file, "is a list without a path in it");
  }

  void add_line(const fs::path& file, std::int64_t number, const fs::path& entry) {
    const fs::path path = file.parent_path() / entry;  // an absolute entry stays
    const std::string where = file.string() + ":" + std::to_string(number) + ": ";
    std::error_code ignored;
    const std::size_t before = inputs_.size();
    if (!fs::exists(path, ignored) && !graspnet_view(path)) {
      add_problem(path, "does not exist");
    } else if (fs::is_regular_file(path, ignored) && !is_cloud_file(path) && !graspnet_view(path)) {
      add_problem(path, "is no input; " + std::string(kWanted) + ", and lists do not nest");
    } else {
      add(path);
    }
    for (std::size_t i = before; i < inputs_.size(); ++i) {
      InputRef& input = inputs_[i];
      if (!input.problem.empty()) input.problem = where + input.problem;
      name_by_list(entry, input);
    }
  }

  /// Below the list file, the path that the list gives is the name's front, as below a root.
  static void name_by_list(const fs::path& entry, InputRef& input) {
    if (input.kind == InputRef::Kind::scene_frame) return;
    const fs::path normal = entry.lexically_normal();
    if (entry.is_absolute() || normal.empty() || *normal.begin() == "..") return;
    fs::path front =
        normal.has_filename() ? normal.parent_path() : normal.parent_path().parent_path();
    if (front.empty() || front == ".") return;
    input.name = (front / input.name).generic_string();
  }

  std::vector<InputRef> inputs_;
};

}  // namespace

std::vector<ListLine> list_lines(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<ListLine> paths;
  io::TextLines lines(text);
  std::string_view line;
  while (lines.next(line)) {
    const auto start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos || line[start] == '#') continue;
    line = line.substr(start, line.find_last_not_of(" \t") + 1 - start);
    paths.push_back({lines.number(), std::string(line)});
  }
  return paths;
}

std::vector<InputRef> list_inputs(const std::vector<std::string>& arguments) {
  Lister lister;
  for (const std::string& argument : arguments) lister.add(argument);
  return lister.take();
}

fs::path input_path(const InputRef& input) {
  if (input.kind != InputRef::Kind::scene_frame || !input.problem.empty()) return input.source;
  return input.source / "depth" / (input.view + ".png");
}

Frame open_input(const InputRef& input, const OpenSettings& settings) {
  if (!input.problem.empty()) throw io::FormatError(input.problem);
  switch (input.kind) {
    case InputRef::Kind::depth_file:
      return open_depth_file(input, settings);
    case InputRef::Kind::cloud_file:
    case InputRef::Kind::network_points:
      return open_stored_cloud(input, settings);
    default:
      break;
  }
  for (const DatasetEntry& dataset : dataset_list()) {
    if (dataset.kind == input.kind) return dataset.open(input, settings);
  }
  throw std::logic_error("open_input: a kind of input without a data set");
}

}  // namespace grasppanda::datasets
