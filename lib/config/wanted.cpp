#include "lib/config/wanted.h"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace grasppanda::config {

std::string number_text(double number) {
  char buffer[40];
  if (number == std::floor(number) && std::abs(number) < 1e15) {
    const auto whole = std::to_chars(buffer, buffer + sizeof buffer, std::int64_t(number));
    return std::string(buffer, whole.ptr);
  }
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return std::string(buffer, end);
}

std::string alternatives(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ") + parts[i];
  return text;
}

namespace {

std::string range_text(const Key& key) {
  const bool low = std::isfinite(key.min), high = std::isfinite(key.max);
  const std::string least = number_text(key.min), most = number_text(key.max);
  if (low && high && key.min_exclusive) return " greater than " + least + ", at most " + most;
  if (low && high) return " from " + least + " to " + most;
  if (low) return (key.min_exclusive ? " greater than " : " of at least ") + least;
  if (high) return " of at most " + most;
  return "";
}

std::string list_text(const Key& key, std::string_view what) {
  std::string text = "a list of ";
  if (key.count > 0) text += std::to_string(key.count) + " ";
  return text + std::string(what);
}

}  // namespace

std::string wanted(const Key& key) {
  std::vector<std::string> forms(key.words.begin(), key.words.end());
  if (!key.form.empty()) forms.emplace_back(key.form);
  const bool choice_list = key.only_words && key.type == Type::texts;
  if (key.only_words && !choice_list) return alternatives(forms);
  std::string type;
  switch (key.type) {
    case Type::boolean:
      type = "true or false";
      break;
    case Type::integer:
      type = "a whole number" + range_text(key);
      break;
    case Type::number:
      type = "a number" + range_text(key);
      break;
    case Type::text:
      type = key.form.empty() ? "a text" : "";
      break;
    case Type::path:
      type = "a path";
      break;
    case Type::numbers:
      type = list_text(key, key.whole ? "whole numbers" : "numbers") + range_text(key);
      break;
    case Type::texts:
      type = list_text(key, choice_list ? "" : "texts");
      break;
  }
  if (choice_list) return type + alternatives(forms);
  std::vector<std::string> all;
  if (!type.empty()) all.push_back(type);
  if (!key.fields.empty()) {
    std::string map;
    for (const std::string_view field : key.fields)
      map += (map.empty() ? "{" : ", ") + std::string(field);
    all.push_back(map + "}");
  }
  all.insert(all.end(), forms.begin(), forms.end());
  return alternatives(all);
}

}  // namespace grasppanda::config
