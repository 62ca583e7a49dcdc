#include "app/commands/stage_dump.h"

#include <ATen/ATen.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>

#include "lib/io/array.h"
#include "lib/io/npy.h"
#include "lib/run/run_directory.h"

namespace grasppanda::app {

namespace {

io::DType dtype_of_tensor(at::ScalarType type) {
  switch (type) {
    case at::kBool:
      return io::DType::boolean;
    case at::kByte:
      return io::DType::uint8;
    case at::kChar:
      return io::DType::int8;
    case at::kShort:
      return io::DType::int16;
    case at::kInt:
      return io::DType::int32;
    case at::kLong:
      return io::DType::int64;
    case at::kHalf:
      return io::DType::float16;
    case at::kFloat:
      return io::DType::float32;
    case at::kDouble:
      return io::DType::float64;
    default:
      break;
  }
  throw std::logic_error(std::string("a stage of type ") + at::toString(type) +
                         " has no form in a .npy file");
}

}  // namespace

void require_stage_folder(const std::filesystem::path& folder) {
  try {
    run::make_folders(folder);
  } catch (const io::FormatError& error) {
    throw StageError(std::string("--stages: ") + error.what());
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw StageError("--stages: " + folder.string() +
                     ": cannot be written to: " + std::strerror(errno));
  }
}

models::StageObserver stage_writer(const std::filesystem::path& folder, const std::string& name) {
  return [folder = folder / name](const std::string& stage, const at::Tensor& value) {
    const at::Tensor tensor = value.detach().to(at::kCPU).contiguous();
    const io::Array array =
        io::make_array(dtype_of_tensor(tensor.scalar_type()), tensor.sizes().vec(),
                       {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()});
    try {
      run::make_folders(folder);
      io::write_npy(folder / (stage + ".npy"), array);
    } catch (const io::FormatError& error) {
      throw StageError(std::string("--stages: ") + error.what());
    }
  };
}

}  // namespace grasppanda::app
