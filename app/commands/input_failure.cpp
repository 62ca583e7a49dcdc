#include "app/commands/input_failure.h"

#include <filesystem>
#include <new>
#include <string>

#include "lib/io/format_error.h"
#include "models/checkpoint_error.h"

namespace grasppanda::app {

namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

void note_failure(const std::exception_ptr& failure, run::InputRecord& record) {
  record.status = run::InputStatus::failed;
  try {
    std::rethrow_exception(failure);
  } catch (const io::FormatError& error) {
    record.kind = "format";
    record.error = error.what();
  } catch (const models::InputError& error) {
    record.kind = "input";
    record.error = error.what();
    // A cloud in the wrong unit has no table either: the doubt of the reader is the likelier cause.
    for (const std::string& warning : record.warnings) record.error += "; " + warning;
  } catch (const std::bad_alloc&) {
    record.kind = "memory";
    record.error = "there is not enough memory for this input";
  } catch (const std::exception& error) {
    record.kind = kInternalFailure;
    record.error = "a fault of grasppanda: " + first_line(error.what());
  } catch (...) {
    record.kind = kInternalFailure;
    record.error = "a fault of grasppanda without a word";
  }
  // Readers name the file; everything else has to say which input it speaks of. A view of a scene
  // is its depth picture, its other files lie in the camera's folder.
  const std::filesystem::path source = record.source;
  const bool view = source.parent_path().filename() == "depth";
  const std::string folder = source.parent_path().parent_path().string();
  if (!record.error.starts_with(view && !folder.empty() ? folder : record.source)) {
    record.error = record.source + ": " + record.error;
  }
}

}  // namespace grasppanda::app
