#include "app/commands/test_selection.h"

#include <charconv>
#include <filesystem>

#include "app/report_error.h"
#include "lib/run/input_list.h"
#include "lib/run/run_directory.h"

namespace grasppanda::app {

namespace {

constexpr int kMostNumber = 999'999;

constexpr const char* kEvaluatedOptions[] = {"--data",  "--split", "--scenes", "--cameras",
                                             "--views", "--limit", "--iou",    "--details"};

std::string typed_text(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += " " + value;
  return text;
}

int number_from(const std::string& option, const std::string& word, std::string_view text) {
  int value = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < 0 ||
      value > kMostNumber) {
    throw UsageError(option + ": '" + word + "' is no whole number, and no range such as 100-129");
  }
  return value;
}

}  // namespace

std::vector<std::string> listed_words(const Invocation& invocation, const char* option) {
  std::vector<std::string> words;
  for (const std::string& value : invocation.all(option)) {
    for (std::size_t begin = 0; begin <= value.size();) {
      const std::size_t comma = std::min(value.find(',', begin), value.size());
      words.push_back(value.substr(begin, comma - begin));
      if (words.back().empty()) {
        throw UsageError(std::string(option) + ": an empty entry in '" + value + "'");
      }
      begin = comma + 1;
    }
  }
  return words;
}

std::vector<int> listed_numbers(const Invocation& invocation, const char* option) {
  std::vector<int> numbers;
  for (const std::string& word : listed_words(invocation, option)) {
    const std::size_t dash = word.find('-');
    const int first = number_from(option, word, std::string_view(word).substr(0, dash));
    const int last = dash == word.npos
                         ? first
                         : number_from(option, word, std::string_view(word).substr(dash + 1));
    if (last < first) {
      throw UsageError(std::string(option) + ": the range '" + word + "' ends before it starts");
    }
    for (int number = first; number <= last; ++number) numbers.push_back(number);
  }
  return numbers;
}

std::string number_list(std::span<const int> numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (i > 0) text += ',';
    text += std::to_string(numbers[i]);
    if (last > i) text.append("-").append(std::to_string(numbers[last]));
    i = last + 1;
  }
  return text;
}

datasets::TruthSelection truth_selection(const Invocation& invocation) {
  datasets::TruthSelection selection;
  selection.split = invocation.value("--split", "all");
  selection.scenes = listed_numbers(invocation, "--scenes");
  selection.views = listed_numbers(invocation, "--views");
  selection.cameras = listed_words(invocation, "--cameras");
  for (const std::string& camera : selection.cameras) {
    if (camera != "kinect" && camera != "realsense") {
      throw UsageError("--cameras: '" + camera +
                       "' is not a camera of the data set; it has kinect "
                       "and realsense");
    }
  }
  return selection;
}

std::map<std::string, std::vector<std::string>> evaluated_options(const Invocation& invocation) {
  std::map<std::string, std::vector<std::string>> options;
  if (invocation.command != "test") return options;
  for (const char* option : kEvaluatedOptions) {
    if (!invocation.has(option)) continue;
    std::vector<std::string> values = invocation.all(option);
    if (std::string_view(option) == "--data") {
      for (std::string& value : values) value = std::filesystem::absolute(value).string();
    }
    options[option] = std::move(values);
  }
  return options;
}

Invocation resumed_test(const Invocation& invocation) {
  const std::string run = invocation.value("--resume");
  static_cast<void>(run::RunDirectory::open(run));  // a run, and no one writes it
  const run::InputList list = run::read_input_list(run);
  if (!list.options.contains("--data")) {
    throw UsageError("--resume: " + run +
                     " was not begun by test with a model; a run of infer goes on with infer "
                     "--resume, stored predictions are evaluated anew");
  }
  for (const auto& [option, values] : evaluated_options(invocation)) {
    const auto begun = list.options.find(option);
    if (begun != list.options.end() && begun->second == values) continue;
    throw UsageError(
        "--resume: " + option + typed_text(values) + " is not what " + run + " was begun with (" +
        (begun == list.options.end() ? "not given" : option + typed_text(begun->second)) +
        "); leave it out, or start a new run");
  }
  Invocation resumed = invocation;
  for (const auto& [option, values] : list.options) {
    resumed.options.insert_or_assign(option, values);
  }
  return resumed;
}

}  // namespace grasppanda::app
