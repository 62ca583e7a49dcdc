// The one place that maps an exception to an exit status and to what a person (or a program that
// asked for --json) is told.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "app/exit_code.h"

namespace grasppanda::app {

/// A wrong command line. The message is one sentence; status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// libgrasppanda.so cannot be opened; status 3.
class LibraryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ErrorReport {
  ExitCode status = ExitCode::internal;
  std::string kind;     // "usage", "config", "format", "checkpoint", "input", "backend", ...
  std::string message;  // lines: one per problem
  std::string json;     // the value of "error"
};

/// What `error` means to the outside. Does not throw.
ErrorReport describe_error(const std::exception_ptr& error);

/// Says it on stderr, one line per problem, and, when `json_schema` is not empty, prints the JSON
/// object of a failure on stdout. `file`: the one that the command was given; the object names it
/// when that file could not be used. Returns the exit status.
ExitCode report_error(const std::exception_ptr& error, std::string_view json_schema = {},
                      std::string_view file = {});

}  // namespace grasppanda::app
