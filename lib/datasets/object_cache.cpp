#include "lib/datasets/object_cache.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "lib/io/atomic_file.h"
#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"
#include "lib/io/sha256.h"

namespace grasppanda::datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "grasppanda grid 1\n";

// Everything before the values, as it lies in the file.
struct Head {
  std::int64_t nodes[3];
  double origin[3];
  double step;
};

std::string entry_bytes(const io::SdfGrid& grid) {
  Head head{};
  std::copy(grid.nodes.begin(), grid.nodes.end(), head.nodes);
  std::copy(grid.origin.begin(), grid.origin.end(), head.origin);
  head.step = grid.step;
  std::string bytes(kMagic);
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
  bytes.append(reinterpret_cast<const char*>(grid.values.data()),
               grid.values.size() * sizeof(double));
  // What a crash of the machine, or an editor, made of the file is told by its last line.
  return bytes + io::sha256_hex(std::as_bytes(std::span(bytes)));
}

std::optional<io::SdfGrid> read_entry(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return {};
  constexpr std::size_t kDigest = 64;
  const io::SharedBytes bytes = io::map_file(file);
  const std::size_t fixed = kMagic.size() + sizeof(Head) + kDigest;
  if (bytes.size < fixed || !bytes.text().starts_with(kMagic)) return {};
  Head head{};
  std::memcpy(&head, bytes.data.get() + kMagic.size(), sizeof head);
  std::int64_t count = 1;
  for (const std::int64_t nodes : head.nodes) {
    if (nodes < 2 || nodes > 1 << 20 || count > io::kMaxSdfValues / nodes) return {};
    count *= nodes;
  }
  if (bytes.size != fixed + static_cast<std::size_t>(count) * sizeof(double)) return {};
  const io::SharedBytes body = bytes.part(0, bytes.size - kDigest);
  if (io::sha256_hex(body.span()) != bytes.text().substr(body.size)) return {};
  io::SdfGrid grid;
  std::copy(head.nodes, head.nodes + 3, grid.nodes.begin());
  std::copy(head.origin, head.origin + 3, grid.origin.begin());
  grid.step = head.step;
  grid.values.resize(static_cast<std::size_t>(count));
  std::memcpy(grid.values.data(), bytes.data.get() + kMagic.size() + sizeof head,
              grid.values.size() * sizeof(double));
  return grid;
}

io::SdfGrid cached_grid(const fs::path& text, const fs::path& cache) {
  const io::SharedBytes bytes = io::map_file(text);
  const fs::path entry = cache / (io::sha256_hex(bytes.span()) + ".grid");
  try {
    if (auto grid = read_entry(entry)) return std::move(*grid);
  } catch (const io::FormatError&) {
    // Removed or made unreadable meanwhile: the text is there all the same.
  }
  io::SdfGrid grid = io::parse_sdf(bytes.span(), text.string());
  try {
    std::error_code ignored;
    fs::create_directories(cache, ignored);
    io::write_file_atomically(entry, entry_bytes(grid));
  } catch (const io::FormatError&) {
    // No permission, disk full: the next run parses again.
  }
  return grid;
}

}  // namespace

ObjectFiles read_object_files(const fs::path& root, int object_id, const fs::path& cache) {
  if (cache.empty()) return read_object_files(root, object_id);
  const fs::path folder = object_folder(root, object_id);
  return checked_object_files(folder, cached_grid(folder / "textured.sdf", cache));
}

}  // namespace grasppanda::datasets
