// The one exception of the config room.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace grasppanda::config {

/// One thing that is wrong, with its place: "run.yaml:12:5: input.num_point: unknown key; did you
/// mean 'input.num_points'?" (line and column count from 1; 0: not from a file).
struct Problem {
  std::string source;  // "run.yaml", "--set", "GRASPPANDA_OPS"
  int line = 0, column = 0;
  std::string message;
  std::string text() const;
};

/// A foreign text as it may stand in a message: no control characters, not endlessly long.
std::string printable(std::string_view text);

/// Everything that is wrong with a configuration, together.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<Problem> problems);
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace grasppanda::config
