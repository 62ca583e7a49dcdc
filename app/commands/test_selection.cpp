#include "app/commands/test_selection.h"

#include <charconv>

#include "app/report_error.h"

namespace grasppanda::app {

namespace {

constexpr int kMostNumber = 999'999;

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

}  // namespace grasppanda::app
