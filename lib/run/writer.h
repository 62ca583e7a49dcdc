// Output formats: how one input's grasps become a file of the run directory.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lib/geometry/camera.h"
#include "lib/geometry/grasp.h"
#include "lib/io/image.h"

namespace grasppanda::run {

/// Row-major 4x4, a rigid motion.
using Matrix4 = std::array<double, 16>;

/// Where a frame's picture comes from; a stored cloud has none and is drawn from above.
struct PictureSource {
  std::int64_t width = 0, height = 0;
  geometry::Intrinsics intrinsics;
  const io::Image* color = nullptr;  // 8-bit RGB of that size, or null
};

/// One input and its grasps. Spans and pointers outlive the call of a writer.
struct GraspResult {
  std::string name{};
  std::span<const geometry::Grasp> grasps{};  // camera frame (frame of the cloud), best first
  /// Further numbers per grasp for the JSON file: name -> one value a grasp.
  std::span<const std::pair<std::string, std::vector<float>>> extra{};
  std::span<const double> cloud_xyz{};        // 3 per point, metres, same frame as the grasps
  std::span<const std::uint8_t> cloud_rgb{};  // 3 per point, or empty
  std::optional<PictureSource> picture{};
  std::int64_t drawn = 50;      // so many of them are in pictures and meshes; 0: all
  geometry::Vec3 up{0, 0, -1};  // away from the table, for pictures of stored clouds
  /// `output.frame` as a file: npy, json and ply are in the robot's frame, pictures stay.
  std::optional<Matrix4> base_from_camera{};
};

struct DetectionResult;  // lib/run/detection_writer.h

struct WriterEntry {
  std::string_view format;  // as in output.formats
  std::string_view folder;  // of the run directory
  std::string_view suffix;
  /// Writes whole or not at all. Throws io::FormatError. Null: a format that is not for grasps.
  void (*write)(const GraspResult& result, const std::filesystem::path& file);
  /// The same for detections of one image; null: a format that is not for them.
  void (*write_detections)(const DetectionResult& result, const std::filesystem::path& file);
  /// FOLDER/NAME.SUFFIX, relative to the run directory.
  std::filesystem::path file(std::string_view name) const;
};

/// THE list of output formats, in the order in which they are written and shown to users.
std::span<const WriterEntry> writer_list();
/// Null for a format that is not offered.
const WriterEntry* find_writer(std::string_view format);

/// The grasps in the frame of the files: the camera's, or the robot's (computed in double, each
/// number a float32 value).
std::vector<geometry::Grasp> grasps_in_file_frame(const GraspResult& result);

/// The way back, for grasps that were read from a file.
std::vector<geometry::Grasp> grasps_in_camera_frame(std::span<const geometry::Grasp> grasps,
                                                    const Matrix4& base_from_camera);
/// predictions/NAME.json read back, in the frame of the file. Throws io::FormatError for a file
/// that is none of ours.
struct StoredGrasps {
  std::vector<geometry::Grasp> grasps;
  bool in_base_frame = false;
};
StoredGrasps read_grasps(const std::filesystem::path& file);
/// The same of a document that was read; `name` stands in messages.
StoredGrasps grasps_of(const nlohmann::json& document, const std::string& name);

/// One function per format, for writer_list.cpp.
void write_npy(const GraspResult& result, const std::filesystem::path& file);
void write_json(const GraspResult& result, const std::filesystem::path& file);
void write_ply(const GraspResult& result, const std::filesystem::path& file);
void write_png(const GraspResult& result, const std::filesystem::path& file);

}  // namespace grasppanda::run
