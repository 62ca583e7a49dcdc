// What the record says about one input: an entry of `inputs` in summary.json.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lib/geometry/camera.h"
#include "lib/run/file_stamp.h"

namespace grasppanda::run {

enum class InputStatus { done, empty, failed };
std::string_view status_name(InputStatus status);

struct ImageSize {
  std::int64_t width = 0, height = 0;
};

/// The masked cloud before any sampling or voxel step; with 0 points the rest means nothing.
struct CloudRecord {
  std::int64_t points = 0;
  geometry::Vec3 min{}, max{}, mean{};
  double median_depth = 0;
};

/// Seconds of work. `overlapped`: the part of read and prepare that passed while earlier inputs
/// were at work, so read + prepare + network + postprocess + write - overlapped is wall time.
struct InputSeconds {
  double read = 0, prepare = 0, network = 0, postprocess = 0, write = 0;
  double overlapped = 0;
  double wall() const { return read + prepare + network + postprocess + write - overlapped; }
};

/// One window of an image that was cut into tiles.
struct TileRecord {
  std::array<std::int64_t, 4> window{};  // x, y, width, height, pixels
  std::vector<std::pair<std::string, std::int64_t>> counts{};
};

struct InputRecord {
  std::string name{};
  std::string source{};
  InputStatus status = InputStatus::done;
  std::vector<std::string> warnings{};
  std::optional<ImageSize> image{};                  // none for a stored cloud
  std::optional<geometry::Intrinsics> intrinsics{};  // likewise
  CloudRecord cloud{};
  std::vector<std::pair<std::string, std::int64_t>> counts{};  // in order of the way
  /// Of an image: how it was brought to the network, and the tiles if it was cut.
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> figures{};
  std::vector<TileRecord> tiles{};
  InputSeconds seconds{};
  std::string predictions{};      // "predictions/NAME.npy"; empty: none (failed, format not asked)
  std::vector<FileStamp> read{};  // absolute paths
  std::vector<FileStamp> written{};  // relative to the run directory
  std::string error{}, kind{};       // failed only
};

nlohmann::ordered_json to_json(const InputRecord& record);
/// Reads back what to_json wrote. Throws nlohmann::json::exception for another shape.
InputRecord record_from_json(const nlohmann::ordered_json& json);

/// The line of failures.jsonl, without its end: {"name", "input", "error", "kind"}.
std::string failure_line(const InputRecord& record);

/// JSON on one line; bytes that are no UTF-8 (file names) become U+FFFD instead of an exception.
std::string dump_line(const nlohmann::ordered_json& json);

}  // namespace grasppanda::run
