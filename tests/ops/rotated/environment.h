// Environment variables for the length of a scope.
#pragma once

#include <cstdlib>
#include <map>
#include <string>

namespace grasppanda::tests {

class EnvironmentScope {
 public:
  explicit EnvironmentScope(std::map<std::string, std::string> variables)
      : variables_(std::move(variables)) {
    for (const auto& [name, value] : variables_) setenv(name.c_str(), value.c_str(), 1);
  }
  ~EnvironmentScope() {
    for (const auto& entry : variables_) unsetenv(entry.first.c_str());
  }
  EnvironmentScope(const EnvironmentScope&) = delete;
  EnvironmentScope& operator=(const EnvironmentScope&) = delete;

 private:
  std::map<std::string, std::string> variables_;
};

}  // namespace grasppanda::tests
