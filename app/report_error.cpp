#include "app/report_error.h"

#include <iostream>
#include <new>
#include <nlohmann/json.hpp>

#include "app/log.h"
#include "lib/config/config_error.h"
#include "lib/eval/errors.h"
#include "lib/io/format_error.h"
#include "lib/ops/errors.h"
#include "models/checkpoint_error.h"

namespace grasppanda::app {

namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

ErrorReport report(ExitCode status, std::string kind, std::string message) {
  Json json = {{"kind", kind}, {"message", message}};
  return {status, std::move(kind), std::move(message), dump(json, -1)};
}

/// LibTorch's messages carry a stack trace, which belongs into log.txt at most.
std::string without_trace(std::string message) {
  for (const char* start : {"\nException raised from ", "\nFrame #0"})
    if (const std::size_t at = message.find(start); at != std::string::npos) message.resize(at);
  return message;
}

bool is_out_of_memory(std::string_view message) {
  return message.find("DefaultCPUAllocator: can't allocate memory") != std::string_view::npos ||
         message.find("CUDA out of memory") != std::string_view::npos;
}

ErrorReport report_out_of_memory() {
  return report(ExitCode::internal, "internal",
                "out of memory; give the run fewer points or more memory");
}

ErrorReport report(const config::ConfigError& error) {
  ErrorReport made = report(ExitCode::usage, "config", error.what());
  Json json = {{"kind", "config"}, {"message", error.what()}};
  Json problems = Json::array();
  for (const config::Problem& problem : error.problems()) {
    Json entry = {{"message", problem.message}};
    if (!problem.source.empty()) entry["file"] = problem.source;
    if (problem.line > 0) entry["line"] = problem.line;
    if (problem.column > 0) entry["column"] = problem.column;
    problems.push_back(std::move(entry));
  }
  if (!problems.empty())
    for (const char* field : {"file", "line", "column"})
      if (problems[0].contains(field)) json[field] = problems[0][field];
  json["problems"] = std::move(problems);
  made.json = dump(json, -1);
  return made;
}

}  // namespace

ErrorReport describe_error(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const config::ConfigError& e) {
    return report(e);
  } catch (const UsageError& e) {
    return report(ExitCode::usage, "usage", e.what());
  } catch (const ops::ArgumentError& e) {
    return report(ExitCode::usage, "argument", e.what());
  } catch (const io::FormatError& e) {
    return report(ExitCode::unusable_input, "format", e.what());
  } catch (const eval::EvaluationError& e) {
    return report(ExitCode::unusable_input, "input", e.what());
  } catch (const models::CheckpointError& e) {
    return report(ExitCode::unusable_input, "checkpoint", e.what());
  } catch (const models::InputError& e) {
    return report(ExitCode::unusable_input, "input", e.what());
  } catch (const LibraryError& e) {
    return report(ExitCode::unusable_input, "library", e.what());
  } catch (const ops::BackendError& e) {
    return report(ExitCode::not_available, "backend", e.what());
  } catch (const std::bad_alloc&) {
    return report_out_of_memory();
  } catch (const std::exception& e) {
    if (is_out_of_memory(e.what())) return report_out_of_memory();
    return report(ExitCode::internal, "internal",
                  std::string("a fault of this program, please report it with log.txt (or "
                              "--log-file): ") +
                      without_trace(e.what()));
  } catch (...) {
    return report(ExitCode::internal, "internal",
                  "a fault of this program, please report it with log.txt (or --log-file)");
  }
}

ExitCode report_error(const std::exception_ptr& error, std::string_view json_schema,
                      std::string_view file) {
  const ErrorReport report = describe_error(error);
  for (std::size_t begin = 0; begin <= report.message.size();) {
    // A configuration's problems are one line each; any other message is one line.
    const std::size_t end = report.kind == "config"
                                ? std::min(report.message.find('\n', begin), report.message.size())
                                : report.message.size();
    log_error(report.message.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!json_schema.empty()) {
    Json details = Json::parse(report.json);
    if (report.status == ExitCode::unusable_input && !file.empty()) details["file"] = file;
    const Json answer = {{"schema", json_schema}, {"ok", false}, {"error", std::move(details)}};
    std::cout << dump(answer, 2) << "\n";
  }
  return report.status;
}

}  // namespace grasppanda::app
