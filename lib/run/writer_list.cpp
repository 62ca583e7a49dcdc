#include <array>

#include "lib/run/writer.h"

namespace grasppanda::run {

namespace {

constexpr std::array<WriterEntry, 4> kWriters = {{
    {"npy", "predictions", ".npy", write_npy},
    {"json", "predictions", ".json", write_json},
    {"ply", "ply", ".ply", write_ply},
    {"png", "pictures", ".png", write_png},
}};

}  // namespace

std::span<const WriterEntry> writer_list() {
  return kWriters;
}

const WriterEntry* find_writer(std::string_view format) {
  for (const WriterEntry& writer : kWriters) {
    if (writer.format == format) return &writer;
  }
  return nullptr;
}

std::filesystem::path WriterEntry::file(std::string_view name) const {
  // Not replace_extension: "scene.v2.final" has none.
  return std::filesystem::path(folder) / (std::string(name) + std::string(suffix));
}

}  // namespace grasppanda::run
