#include "lib/config/config.h"

#include <stdexcept>

namespace grasppanda::config {

const Value& Config::value(std::string_view path) const {
  const auto found = values.find(path);
  if (found == values.end())
    throw std::logic_error("configuration has no key '" + std::string(path) + "'");
  return *found->second;
}

namespace {

const Value& require(const Config& config, std::string_view path, bool fits, const char* what) {
  if (!fits)
    throw std::logic_error("configuration value '" + std::string(path) + "' is no " + what);
  return config.value(path);
}

bool plain(const Value& value, Type type) {
  return value.type == type && !value.is_word && !value.is_fields;
}

}  // namespace

bool Config::has(std::string_view path) const {
  return values.find(path) != values.end();
}

bool Config::is_word(std::string_view path) const {
  return value(path).is_word;
}

bool Config::is(std::string_view path, std::string_view word) const {
  const Value& v = value(path);
  return v.is_word && v.text == word;
}

bool Config::has_numbers(std::string_view path) const {
  const Value& v = value(path);
  return v.is_fields || plain(v, Type::numbers);
}

bool Config::boolean(std::string_view path) const {
  return require(*this, path, plain(value(path), Type::boolean), "boolean").boolean;
}

std::int64_t Config::integer(std::string_view path) const {
  return require(*this, path, plain(value(path), Type::integer), "integer").integer;
}

double Config::number(std::string_view path) const {
  return require(*this, path, plain(value(path), Type::number), "number").number;
}

std::string Config::text(std::string_view path) const {
  const Value& v = value(path);
  return require(*this, path, v.is_word || plain(v, Type::text) || plain(v, Type::path), "text")
      .text;
}

std::vector<double> Config::numbers(std::string_view path) const {
  return require(*this, path, has_numbers(path), "list of numbers").numbers;
}

std::vector<std::string> Config::texts(std::string_view path) const {
  return require(*this, path, plain(value(path), Type::texts), "list of texts").texts;
}

std::filesystem::path Config::file(std::string_view path) const {
  const Value& v = require(*this, path, plain(value(path), Type::path), "path");
  const std::filesystem::path file(v.text);
  return file.is_absolute() ? file : v.base / file;
}

std::string Config::origin(std::string_view path) const {
  return value(path).origin;
}

}  // namespace grasppanda::config
