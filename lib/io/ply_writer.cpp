#include <bit>
#include <cstring>
#include <stdexcept>

#include "lib/io/atomic_file.h"
#include "lib/io/ply.h"

namespace grasppanda::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are written as they lie in memory");

template <class T>
char* put(char* to, const T* values, std::size_t count) {
  if (count > 0) std::memcpy(to, values, count * sizeof(T));  // an empty vector has no address
  return to + count * sizeof(T);
}

void check(const PlyMesh& mesh) {
  const bool sizes = mesh.xyz.size() % 3 == 0 && mesh.faces.size() % 3 == 0 &&
                     mesh.edges.size() % 2 == 0 &&
                     (mesh.rgb.empty() || mesh.rgb.size() == mesh.xyz.size());
  if (!sizes) throw std::invalid_argument("ply_bytes: sizes of vertices, colours, faces disagree");
  const auto vertices = static_cast<std::int64_t>(mesh.xyz.size() / 3);
  for (const auto* numbers : {&mesh.faces, &mesh.edges}) {
    for (const std::int32_t number : *numbers) {
      if (number < 0 || number >= vertices) {
        throw std::invalid_argument("ply_bytes: there is no vertex " + std::to_string(number));
      }
    }
  }
}

std::string header(const PlyMesh& mesh) {
  std::string text = "ply\nformat binary_little_endian 1.0\n";
  text += "element vertex " + std::to_string(mesh.xyz.size() / 3) + "\n";
  text += "property float x\nproperty float y\nproperty float z\n";
  if (!mesh.rgb.empty()) {
    text += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  }
  if (!mesh.faces.empty()) {
    text += "element face " + std::to_string(mesh.faces.size() / 3) + "\n";
    text += "property list uchar int vertex_indices\n";
  }
  if (!mesh.edges.empty()) {
    text += "element edge " + std::to_string(mesh.edges.size() / 2) + "\n";
    text += "property int vertex1\nproperty int vertex2\n";
  }
  return text + "end_header\n";
}

}  // namespace

std::string ply_bytes(const PlyMesh& mesh) {
  check(mesh);
  std::string file = header(mesh);
  const std::size_t start = file.size();
  const std::size_t vertices = mesh.xyz.size() / 3;
  file.resize(start + mesh.xyz.size() * 4 + mesh.rgb.size() + mesh.faces.size() / 3 * 13 +
              mesh.edges.size() * 4);
  char* to = file.data() + start;
  for (std::size_t i = 0; i < vertices; ++i) {
    to = put(to, mesh.xyz.data() + 3 * i, 3);
    if (!mesh.rgb.empty()) to = put(to, mesh.rgb.data() + 3 * i, 3);
  }
  for (std::size_t i = 0; i < mesh.faces.size(); i += 3) {
    *to++ = 3;
    to = put(to, mesh.faces.data() + i, 3);
  }
  put(to, mesh.edges.data(), mesh.edges.size());
  return file;
}

void write_ply(const std::filesystem::path& path, const PlyMesh& mesh) {
  write_file_atomically(path, ply_bytes(mesh));
}

}  // namespace grasppanda::io
