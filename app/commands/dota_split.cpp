// `grasppanda dota split`.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <thread>

#include "app/commands/commands.h"
#include "app/commands/compute_setup.h"
#include "app/commands/input_failure.h"
#include "app/commands/new_folder.h"
#include "app/commands/test_selection.h"
#include "app/log.h"
#include "app/report_error.h"
#include "app/terminal.h"
#include "lib/datasets/bicubic.h"
#include "lib/datasets/dota_images.h"
#include "lib/datasets/dota_tiles.h"
#include "lib/eval/parallel_items.h"
#include "lib/io/atomic_file.h"
#include "lib/io/format_error.h"
#include "lib/io/png.h"
#include "lib/run/run_directory.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

struct Rate {
  std::string text;  // as typed: it becomes part of the tiles' names
  double value = 1;
};

std::vector<Rate> rates_from(const Invocation& invocation) {
  std::vector<Rate> rates;
  for (const std::string& word : listed_words(invocation, "--rate")) {
    Rate rate{word, 0};
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), rate.value);
    if (error != std::errc() || stop != word.data() + word.size() || !(rate.value > 0) ||
        rate.value > 100) {
      throw UsageError("--rate: '" + word + "' is no scale above 0 and at most 100");
    }
    rates.push_back(std::move(rate));
  }
  return rates.empty() ? std::vector<Rate>{{"1.0", 1.0}} : rates;
}

datasets::TileGrid grid_from(const Invocation& invocation) {
  datasets::TileGrid grid;
  grid.size = std::stoll(invocation.value("--size", "1024"));
  grid.gap = std::stoll(invocation.value("--gap", "200"));
  if (grid.gap >= grid.size || grid.size > 65'535) {
    throw UsageError("--size " + std::to_string(grid.size) + " --gap " + std::to_string(grid.gap) +
                     ": wanted a size up to 65535 and a gap below it");
  }
  return grid;
}

std::vector<datasets::DotaImage> images_of(const fs::path& root) {
  std::vector<datasets::DotaImage> images = datasets::list_dota_pictures(root);
  if (images.empty()) {
    throw io::FormatError((root / "images").string() +
                          ": no picture (.png, .jpg, .tif) to cut into tiles");
  }
  return images;
}

// The tile's part of a picture; what lies outside is black.
io::Image cut_tile(const io::Image& image, const datasets::TileOrigin& origin, std::int64_t size) {
  io::Image tile;
  tile.width = tile.height = size;
  tile.channels = image.channels;
  tile.bits = image.bits;
  const std::size_t pixel = static_cast<std::size_t>(image.channels) * (image.bits == 16 ? 2 : 1);
  tile.pixels.assign(static_cast<std::size_t>(size) * static_cast<std::size_t>(size) * pixel, 0);
  const std::int64_t wide = std::min(size, image.width - origin.x);
  const std::int64_t high = std::min(size, image.height - origin.y);
  for (std::int64_t y = 0; y < high; ++y) {
    std::memcpy(tile.pixels.data() + static_cast<std::size_t>(y * size) * pixel,
                image.pixels.data() +
                    static_cast<std::size_t>((origin.y + y) * image.width + origin.x) * pixel,
                static_cast<std::size_t>(wide) * pixel);
  }
  return tile;
}

// Pictures of more than four bands keep the first three, which is what a PNG can hold.
io::Image writable(io::Image image) {
  return image.channels <= 4 ? std::move(image) : io::to_rgb8(image);
}

// The tiles of one picture are all there or none is: half of them would pass for a whole set.
class WrittenTiles {
 public:
  WrittenTiles() = default;
  ~WrittenTiles() {
    std::error_code ignored;
    for (const fs::path& file : files_) fs::remove(file, ignored);
  }
  WrittenTiles(const WrittenTiles&) = delete;
  WrittenTiles& operator=(const WrittenTiles&) = delete;

  const fs::path& add(fs::path file) { return files_.emplace_back(std::move(file)); }
  void keep() { files_.clear(); }

 private:
  std::vector<fs::path> files_;
};

// A file of the new data set could not be written: no picture's fault, the next would fare no
// better.
class CannotWrite : public io::FormatError {
 public:
  using io::FormatError::FormatError;
};

// The new data set.
class TileFolder {
 public:
  TileFolder(fs::path folder, bool labelled) : folder_(std::move(folder)), labelled_(labelled) {
    make_new_folder(folder_);
    run::make_folders(folder_ / "images");
    if (labelled_) run::make_folders(folder_ / "labelTxt");
  }

  bool labelled() const { return labelled_; }

  void write(const std::string& name, const io::Image& tile,
             const std::vector<datasets::DotaObject>& labels, WrittenTiles& written) const {
    try {
      io::write_png(written.add(folder_ / "images" / (name + ".png")), tile);
      if (!labelled_) return;
      io::write_file_atomically(written.add(folder_ / "labelTxt" / (name + ".txt")),
                                datasets::dota_label_text(labels));
    } catch (const io::FormatError& error) {
      throw CannotWrite(error.what());
    }
  }

  /// When nothing came of it.
  void remove_if_empty() const {
    std::error_code ignored;
    for (const char* part : {"images", "labelTxt", ""}) fs::remove(folder_ / part, ignored);
  }

 private:
  fs::path folder_;
  bool labelled_;
};

class Splitter {
 public:
  Splitter(const Invocation& invocation, fs::path root)
      : root_(std::move(root)), rates_(rates_from(invocation)), grid_(grid_from(invocation)) {}

  /// Number of tiles. Throws io::FormatError when the picture or its labels cannot be read,
  /// CannotWrite; then no tile of it stays.
  std::size_t split(const datasets::DotaImage& source, const TileFolder& out) const {
    std::vector<datasets::DotaObject> objects;
    if (out.labelled()) {
      objects = datasets::read_dota_labels(root_ / "labelTxt" / (source.name + ".txt"));
    }
    const io::Image image = writable(io::read_image(source.file));
    WrittenTiles written;
    std::size_t tiles = 0;
    for (const Rate& rate : rates_) {
      const bool as_is = rate.value == 1;
      const io::Image scaled = as_is ? io::Image{} : datasets::resize_bicubic(image, rate.value);
      const io::Image& here = as_is ? image : scaled;
      const auto labels = datasets::scaled_objects(objects, rate.value);
      for (const auto& origin : datasets::tile_origins(here.width, here.height, grid_)) {
        out.write(datasets::tile_name(source.name, rate.text, origin),
                  cut_tile(here, origin, grid_.size),
                  datasets::tile_objects(labels, here.width, here.height, origin, grid_), written);
        ++tiles;
      }
    }
    written.keep();
    return tiles;
  }

 private:
  fs::path root_;
  std::vector<Rate> rates_;
  datasets::TileGrid grid_;
};

// One picture; what is wrong with it, or nothing.
std::string failure_of(const Splitter& splitter, const datasets::DotaImage& source,
                       const TileFolder& out, std::atomic<std::size_t>& tiles) {
  try {
    tiles += splitter.split(source, out);
    return {};
  } catch (const CannotWrite&) {
    throw;
  } catch (...) {
    run::InputRecord record{.name = source.name, .source = source.file.string()};
    note_failure(std::current_exception(), record);
    return record.error;
  }
}

}  // namespace

ExitCode run_dota_split(const Invocation& invocation) {
  const fs::path root = invocation.arguments.at(0);
  const std::vector<datasets::DotaImage> sources = images_of(root);
  const Splitter splitter(invocation, root);
  const TileFolder out(invocation.arguments.at(1), datasets::has_dota_truth(root));
  const int threads = set_threads(std::stoll(invocation.value("--threads", "0")));
  std::vector<std::string> failures(sources.size());
  std::atomic<std::size_t> tiles = 0, done = 0;
  {
    Progress progress(invocation, "images", static_cast<std::int64_t>(sources.size()));
    const std::thread::id here = std::this_thread::get_id();
    eval::for_each_item(sources.size(), threads, [&](std::size_t i) {
      failures[i] = failure_of(splitter, sources[i], out, tiles);
      const std::size_t now = ++done;
      if (std::this_thread::get_id() == here) {
        progress.update(static_cast<std::int64_t>(now), sources[i].name);
      }
    });
  }
  std::size_t failed = 0;
  for (const std::string& failure : failures) {
    if (failure.empty()) continue;
    log_error(failure);
    ++failed;
  }
  if (failed == sources.size()) out.remove_if_empty();
  std::cout << sources.size() - failed
            << (failed > 0 ? " of " + std::to_string(sources.size()) : "") << " images, "
            << tiles.load() << " tiles\n";
  if (failed == 0) return ExitCode::done;
  return failed == sources.size() ? ExitCode::unusable_input : ExitCode::some_inputs_failed;
}

}  // namespace grasppanda::app
