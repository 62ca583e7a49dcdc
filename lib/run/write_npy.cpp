#include "lib/io/npy.h"

#include <span>

#include "lib/run/writer.h"

namespace grasppanda::run {

void write_npy(const GraspResult& result, const std::filesystem::path& file) {
  const std::vector<geometry::Grasp> grasps = grasps_in_file_frame(result);
  io::write_npy(file,
                io::make_array(io::DType::float32,
                               {static_cast<std::int64_t>(grasps.size()), geometry::kGraspColumns},
                               std::as_bytes(std::span(grasps))));
}

}  // namespace grasppanda::run
