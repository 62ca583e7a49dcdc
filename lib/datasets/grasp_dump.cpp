#include "lib/datasets/grasp_dump.h"

#include <cmath>
#include <string>

#include "lib/geometry/rotation.h"
#include "lib/io/format_error.h"
#include "lib/io/npy.h"

namespace grasppanda::datasets {
namespace {

constexpr std::int64_t kColumns = geometry::kGraspColumns;
constexpr double kRotationTolerance = 1e-3;

std::string row_of(const std::string& file, std::int64_t row) {
  return file + ": row " + std::to_string(row);
}

void check_rows(const GraspDump& dump, const std::string& file) {
  for (std::int64_t row = 0; row < dump.count(); ++row) {
    const double* values = dump.rows.data() + kColumns * row;
    for (std::int64_t column = 0; column < kColumns; ++column) {
      if (std::isfinite(values[column])) continue;
      throw io::FormatError(row_of(file, row) + ", column " + std::to_string(column) +
                            " is not finite; every number of a grasp must be");
    }
    geometry::Mat3 rotation;
    for (std::size_t i = 0; i < 9; ++i) rotation[i] = values[4 + i];
    if (!geometry::is_rotation(rotation, kRotationTolerance)) {
      throw io::FormatError(row_of(file, row) +
                            ": columns 4 to 12 are no rotation (3x3, row by row, orthonormal)");
    }
  }
}

}  // namespace

GraspDump read_grasp_dump(const std::filesystem::path& file) {
  const io::Array array = io::read_npy(file);
  const bool is_float = array.dtype == io::DType::float32 || array.dtype == io::DType::float64;
  if (!is_float || array.shape.size() != 2 || array.shape[1] != kColumns) {
    throw io::FormatError(file.string() + ": is " + io::describe(array) +
                          "; grasps are (N, 17) float32 or float64: score, width, height, depth, "
                          "rotation (9), translation (3), object id");
  }
  GraspDump dump{io::to_float64(array), array.dtype == io::DType::float32};
  check_rows(dump, file.string());
  return dump;
}

GraspDump to_grasp_dump(std::span<const geometry::Grasp> grasps) {
  GraspDump dump;
  dump.rows.reserve(grasps.size() * static_cast<std::size_t>(kColumns));
  for (const geometry::Grasp& grasp : grasps) {
    for (const float value : {grasp.score, grasp.width, grasp.height, grasp.depth}) {
      dump.rows.push_back(value);
    }
    dump.rows.insert(dump.rows.end(), grasp.rotation.begin(), grasp.rotation.end());
    dump.rows.insert(dump.rows.end(), grasp.translation.begin(), grasp.translation.end());
    dump.rows.push_back(grasp.object_id);
  }
  return dump;
}

}  // namespace grasppanda::datasets
