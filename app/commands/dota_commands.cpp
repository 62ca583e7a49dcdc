// `grasppanda dota split` and `grasppanda dota merge`.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <thread>

#include "app/commands/commands.h"
#include "app/commands/compute_setup.h"
#include "app/commands/test_selection.h"
#include "app/log.h"
#include "app/report_error.h"
#include "app/terminal.h"
#include "lib/datasets/bicubic.h"
#include "lib/datasets/dota_merge.h"
#include "lib/datasets/dota_tiles.h"
#include "lib/datasets/input_names.h"
#include "lib/eval/parallel_items.h"
#include "lib/io/atomic_file.h"
#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"
#include "lib/io/png.h"
#include "lib/run/run_directory.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

struct Rate {
  std::string text;  // as typed: it becomes part of the tiles' names
  double value = 1;
};

struct Source {
  std::string name;
  fs::path image;
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

// A folder of our own: what another call left there would look like a result of this one.
fs::path new_folder(const std::string& given) {
  const fs::path folder = given;
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_empty(folder, ignored)) {
    throw UsageError(given + ": is there already and not empty; name a new folder");
  }
  run::make_folders(folder);
  return folder;
}

std::vector<Source> images_of(const fs::path& root) {
  std::vector<Source> sources;
  for (const fs::path& file : datasets::sorted_children(root / "images")) {
    std::string suffix = file.extension().string();
    std::ranges::transform(suffix, suffix.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const char* known : {".png", ".jpg", ".jpeg", ".tif", ".tiff"}) {
      if (suffix == known) sources.push_back({file.stem().string(), file});
    }
  }
  if (sources.empty()) {
    throw io::FormatError((root / "images").string() +
                          ": no picture (.png, .jpg, .tif) to cut into tiles");
  }
  return sources;
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

class Splitter {
 public:
  Splitter(const Invocation& invocation, fs::path root, fs::path out)
      : root_(std::move(root)),
        out_(std::move(out)),
        rates_(rates_from(invocation)),
        grid_(grid_from(invocation)),
        labelled_(datasets::has_dota_truth(root_)) {
    run::make_folders(out_ / "images");
    if (labelled_) run::make_folders(out_ / "labelTxt");
  }

  /// Number of tiles.
  std::size_t split(const Source& source) const {
    const io::Image image = writable(io::read_image(source.image));
    std::vector<datasets::DotaObject> objects;
    if (labelled_) {
      objects = datasets::read_dota_labels(root_ / "labelTxt" / (source.name + ".txt"));
    }
    std::size_t tiles = 0;
    for (const Rate& rate : rates_) {
      const bool as_is = rate.value == 1;
      const io::Image scaled = as_is ? io::Image{} : datasets::resize_bicubic(image, rate.value);
      const io::Image& here = as_is ? image : scaled;
      const auto labels = datasets::scaled_objects(objects, rate.value);
      for (const auto& origin : datasets::tile_origins(here.width, here.height, grid_)) {
        const std::string name = datasets::tile_name(source.name, rate.text, origin);
        io::write_png(out_ / "images" / (name + ".png"), cut_tile(here, origin, grid_.size));
        ++tiles;
        if (!labelled_) continue;
        io::write_file_atomically(out_ / "labelTxt" / (name + ".txt"),
                                  datasets::dota_label_text(datasets::tile_objects(
                                      labels, here.width, here.height, origin, grid_)));
      }
    }
    return tiles;
  }

 private:
  fs::path root_, out_;
  std::vector<Rate> rates_;
  datasets::TileGrid grid_;
  bool labelled_;
};

}  // namespace

ExitCode run_dota_split(const Invocation& invocation) {
  const fs::path root = invocation.arguments.at(0);
  const std::vector<Source> sources = images_of(root);
  rates_from(invocation);
  grid_from(invocation);
  const Splitter splitter(invocation, root, new_folder(invocation.arguments.at(1)));
  const int threads = set_threads(std::stoll(invocation.value("--threads", "0")));
  Progress progress(invocation, "images", static_cast<std::int64_t>(sources.size()));
  std::atomic<std::size_t> tiles = 0, done = 0;
  const std::thread::id here = std::this_thread::get_id();
  eval::for_each_item(sources.size(), threads, [&](std::size_t i) {
    tiles += splitter.split(sources[i]);
    const std::size_t now = ++done;
    if (std::this_thread::get_id() == here) {
      progress.update(static_cast<std::int64_t>(now), sources[i].name);
    }
  });
  std::cout << sources.size() << " images, " << tiles.load() << " tiles\n";
  return ExitCode::done;
}

ExitCode run_dota_merge(const Invocation& invocation) {
  const fs::path results = invocation.arguments.at(0);
  double iou = 0.3;
  if (invocation.has("--iou")) {
    const std::string text = invocation.value("--iou");
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), iou);
    if (error != std::errc() || stop != text.data() + text.size() || !(iou >= 0 && iou <= 1)) {
      throw UsageError("--iou: '" + text + "' is no overlap from 0 to 1");
    }
  }
  std::vector<fs::path> files;
  for (const fs::path& file : datasets::sorted_children(results)) {
    const std::string name = file.filename().string();
    if (file.extension() == ".txt" && (name.starts_with("Task1_") || name.starts_with("Task2_"))) {
      files.push_back(file);
    }
  }
  if (files.empty()) {
    throw io::FormatError(results.string() + ": no Task1_CLASS.txt or Task2_CLASS.txt in it");
  }
  const fs::path out = new_folder(invocation.arguments.at(1));
  std::size_t read = 0, kept = 0;
  for (const fs::path& file : files) {
    const io::SharedBytes bytes = io::map_file(file);
    std::string text;
    const auto merge = [&](auto rows) {
      read += rows.size();
      const auto merged = datasets::merge_tiles(std::move(rows), iou, file.string());
      kept += merged.size();
      text = datasets::result_text(merged);
    };
    if (file.filename().string().starts_with("Task1_")) {
      merge(datasets::parse_task1(bytes.text(), file.string()));
    } else {
      merge(datasets::parse_task2(bytes.text(), file.string()));
    }
    io::write_file_atomically(out / file.filename(), text);
  }
  std::cout << files.size() << " files, " << read << " rows of tiles, " << kept
            << " rows of images\n";
  return ExitCode::done;
}

}  // namespace grasppanda::app
