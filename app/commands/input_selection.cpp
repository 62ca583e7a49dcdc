#include "app/commands/input_selection.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "app/commands/input_settings.h"
#include "app/commands/test_selection.h"
#include "app/report_error.h"
#include "lib/datasets/image_inputs.h"
#include "lib/datasets/input_names.h"
#include "lib/datasets/inputs.h"
#include "lib/io/format_error.h"
#include "lib/io/printable_text.h"
#include "lib/io/utf8.h"

namespace grasppanda::app {

namespace {

using Kind = datasets::InputRef::Kind;

constexpr std::array<std::pair<Kind, const char*>, 6> kKindNames = {{
    {Kind::frame_folder, "frame_folder"},
    {Kind::scene_frame, "scene_frame"},
    {Kind::cloud_file, "cloud_file"},
    {Kind::depth_file, "depth_file"},
    {Kind::network_points, "network_points"},
    {Kind::image_file, "image_file"},
}};

const char* kind_name(Kind kind) {
  for (const auto& [known, name] : kKindNames) {
    if (known == kind) return name;
  }
  return "frame_folder";
}

Kind kind_from_name(const std::string& name) {
  for (const auto& [kind, known] : kKindNames) {
    if (name == known) return kind;
  }
  throw io::FormatError("inputs.json: kind '" + name + "' of an input is not known");
}

std::vector<std::string> lines_of_stdin() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  std::vector<std::string> lines;
  for (datasets::ListLine& line : datasets::list_lines(text)) lines.push_back(std::move(line.path));
  return lines;
}

bool names_file(std::string_view option) {
  return option != "--array" && option != "--index";
}

datasets::InputRef file_input(const std::string& option, const std::string& file, Kind kind) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    throw io::FormatError(file + ": no such file (" + option + ")");
  }
  if (!io::is_valid_utf8(datasets::absolute_path(file).string())) {
    throw io::FormatError(io::printable(file) + ": the path is not valid UTF-8, so the record " +
                          "cannot name it; rename it (" + option + ")");
  }
  datasets::InputRef input;
  input.name = std::filesystem::path(file).stem().string();
  input.source = file;
  input.kind = kind;
  return input;
}

}  // namespace

bool names_inputs(const Invocation& invocation) {
  return !invocation.arguments.empty() || invocation.has("--points") || invocation.has("--depth");
}

std::vector<datasets::InputRef> typed_inputs(const Invocation& invocation, Takes takes) {
  if (!names_inputs(invocation)) {
    throw UsageError(takes == Takes::images
                         ? "no input: name an image, a folder of images or a list file, or '-' for "
                           "a list on stdin"
                         : "no input: name a frame, a cloud, a folder or a list file, or '-' for a "
                           "list on stdin");
  }
  for (const char* option : kInputOptions) {
    if (takes == Takes::images && invocation.has(option)) {
      throw UsageError(std::string(option) + " is for models of grasps; a detector takes images");
    }
  }
  std::vector<std::string> arguments;
  for (const std::string& argument : invocation.arguments) {
    if (argument != "-") {
      arguments.push_back(argument);
      continue;
    }
    std::vector<std::string> lines = lines_of_stdin();
    if (lines.empty()) throw UsageError("'-': no path came in on stdin");
    std::ranges::move(lines, std::back_inserter(arguments));
  }
  std::vector<datasets::InputRef> inputs;
  if (takes == Takes::images) return datasets::list_images(arguments);
  if (!arguments.empty()) inputs = datasets::list_inputs(arguments);
  for (const auto& [option, kind] :
       {std::pair{"--depth", Kind::depth_file}, std::pair{"--points", Kind::network_points}}) {
    for (const std::string& file : invocation.all(option)) {
      inputs.push_back(file_input(option, file, kind));
    }
  }
  // a/depth.png and b/depth.png are two inputs, not one.
  datasets::make_names_unique(inputs);
  return inputs;
}

run::InputList to_listed(const std::vector<datasets::InputRef>& inputs,
                         const Invocation& invocation) {
  run::InputList list;
  list.working_directory = std::filesystem::current_path();
  for (const char* option : kInputOptions) {
    if (!invocation.has(option)) continue;
    std::vector<std::string> values = invocation.all(option);
    if (names_file(option)) {  // from wherever the run is resumed
      for (std::string& value : values) value = std::filesystem::absolute(value).string();
    }
    list.options[option] = std::move(values);
  }
  if (invocation.has("--shard")) list.options["--shard"] = {invocation.value("--shard")};
  list.options.merge(evaluated_options(invocation));
  for (const datasets::InputRef& input : inputs) {
    list.inputs.push_back({.name = input.name,
                           .source = input.source.string(),
                           .kind = kind_name(input.kind),
                           .view = input.view,
                           .problem = input.problem});
  }
  return list;
}

std::vector<datasets::InputRef> from_listed(const run::InputList& list) {
  const bool elsewhere = std::filesystem::current_path() != list.working_directory;
  std::vector<datasets::InputRef> inputs;
  for (const run::ListedInput& input : list.inputs) {
    std::filesystem::path source = input.source;
    if (elsewhere) source = list.working_directory / source;
    inputs.push_back({.name = input.name,
                      .source = std::move(source),
                      .kind = kind_from_name(input.kind),
                      .view = input.view,
                      .problem = input.problem});
  }
  return inputs;
}

std::vector<datasets::InputRef> joined_inputs(std::vector<datasets::InputRef> kept,
                                              const std::vector<datasets::InputRef>& typed) {
  // Sources tell inputs apart, not names: two different frames may have one name.
  const auto place = [](const datasets::InputRef& input) {
    return std::filesystem::absolute(input.source).lexically_normal().string() + "\n" + input.view;
  };
  std::unordered_set<std::string> places;
  for (const datasets::InputRef& input : kept) places.insert(place(input));
  for (const datasets::InputRef& input : typed) {
    if (places.insert(place(input)).second) kept.push_back(input);
  }
  datasets::make_names_unique(kept);
  return kept;
}

}  // namespace grasppanda::app
