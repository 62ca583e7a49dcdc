#include "lib/datasets/input_names.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace grasppanda::datasets {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The run of digits at the front of `text`, taken off, without leading zeros.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

}  // namespace

fs::path absolute_path(const fs::path& path) {
  std::error_code ignored;
  fs::path absolute = fs::absolute(path, ignored).lexically_normal();
  if (!absolute.has_filename() && absolute.has_relative_path()) absolute = absolute.parent_path();
  return absolute;
}

std::string folder_name(const fs::path& folder) {
  const std::string name = absolute_path(folder).filename().string();
  return name.empty() ? "root" : name;  // "/" itself
}

std::vector<fs::path> sorted_children(const fs::path& folder) {
  std::vector<fs::path> children;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!it->path().filename().string().starts_with('.')) children.push_back(it->path());
  }
  std::sort(children.begin(), children.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.filename().string(), b.filename().string());
  });
  return children;
}

bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      const std::string_view x = take_digits(a), y = take_digits(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[0] != b[0]) {
        return static_cast<unsigned char>(a[0]) < static_cast<unsigned char>(b[0]);
      }
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // "01" and "1": some order, always the same
}

// predictions/coco.json holds all images of a run; an input of that name would be overwritten.
constexpr const char* kRunsOwnName = "coco";

void make_names_unique(std::vector<InputRef>& inputs) {
  std::unordered_set<std::string> taken;
  for (const InputRef& input : inputs) taken.insert(input.name);
  std::unordered_set<std::string> used = {kRunsOwnName};
  std::unordered_map<std::string, int> last;  // so that a thousand equal names stay linear
  for (InputRef& input : inputs) {
    if (used.insert(input.name).second) continue;
    int& number = last.try_emplace(input.name, 1).first->second;
    std::string name;
    do {
      name = input.name + "-" + std::to_string(++number);
    } while (taken.contains(name));
    taken.insert(name);
    used.insert(name);
    input.name = std::move(name);
  }
}

}  // namespace grasppanda::datasets
