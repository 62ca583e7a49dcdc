#include "models/yolo_obb/candidates.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace grasppanda::models::yolo_obb {

namespace {

/// NaN has no place in an order: the worst value there is stands for it.
float ordered(float value, float worst) {
  return std::isnan(value) ? worst : value;
}

float sigmoid(float x) {
  return 1.0F / (1.0F + std::exp(-x));
}

/// The mean of 0, 1, ..., bins - 1 under the softmax of the logits.
float expected_bin(const float* logits, std::int64_t bins) {
  const float largest = *std::max_element(logits, logits + bins);
  float sum = 0, weighted = 0;
  for (std::int64_t i = 0; i < bins; ++i) {
    const float weight = std::exp(logits[i] - largest);
    sum += weight;
    weighted += weight * static_cast<float>(i);
  }
  return weighted / sum;
}

/// (B, C, H, W) channels-last -> (H W, C) of one picture, without a copy where it lies so.
at::Tensor by_anchor(const at::Tensor& level, std::int64_t batch_index) {
  const at::Tensor map = level.select(0, batch_index).permute({1, 2, 0});
  return map.reshape({-1, map.size(2)}).contiguous();
}

}  // namespace

AnchorGrid::AnchorGrid(const HeadOutput& head, std::int64_t batch_index, const Architecture& net)
    : classes_(net.classes), bins_(net.reg_max), raw_angle_(net.family == Family::yolo26) {
  for (std::size_t i = 0; i < head.size(); ++i) {
    levels_.push_back(
        {by_anchor(head[i].boxes, batch_index), by_anchor(head[i].scores, batch_index),
         by_anchor(head[i].angle, batch_index), anchors_, head[i].boxes.size(3), kStrides[i]});
    anchors_ += levels_.back().boxes.size(0);
  }
}

const AnchorGrid::Level& AnchorGrid::level_of(std::int64_t anchor) const {
  std::size_t level = levels_.size() - 1;
  while (anchor < levels_[level].first) --level;
  return levels_[level];
}

const float* AnchorGrid::logits(std::int64_t anchor) const {
  const Level& level = level_of(anchor);
  return level.scores.const_data_ptr<float>() + (anchor - level.first) * classes_;
}

float AnchorGrid::radians(float raw) const {
  return raw_angle_ ? raw : (sigmoid(raw) - 0.25F) * std::numbers::pi_v<float>;
}

Candidate AnchorGrid::decoded(std::int64_t anchor) const {
  const Level& level = level_of(anchor);
  const std::int64_t cell = anchor - level.first;
  const float* box = level.boxes.const_data_ptr<float>() + cell * 4 * bins_;
  float side[4];  // left, top, right, bottom, in cells
  for (int i = 0; i < 4; ++i) side[i] = bins_ > 1 ? expected_bin(box + i * bins_, bins_) : box[i];
  const float angle = radians(level.angle.const_data_ptr<float>()[cell]);
  const float cosine = std::cos(angle), sine = std::sin(angle);
  const float u = (side[2] - side[0]) / 2, v = (side[3] - side[1]) / 2;
  const float ax = static_cast<float>(cell % level.width) + 0.5F;
  const float ay = static_cast<float>(cell / level.width) + 0.5F;
  const auto stride = static_cast<float>(level.stride);
  return {.anchor = static_cast<std::int32_t>(anchor),
          .cx = (ax + (u * cosine - v * sine)) * stride,
          .cy = (ay + (u * sine + v * cosine)) * stride,
          .w = (side[0] + side[2]) * stride,
          .h = (side[1] + side[3]) * stride,
          .angle = angle,
          .score = 0,
          .class_index = 0};
}

at::Tensor AnchorGrid::all_boxes() const {
  std::vector<at::Tensor> parts;
  for (const Level& level : levels_) parts.push_back(level.boxes.t());
  return at::cat(parts, 1).unsqueeze(0);
}

at::Tensor AnchorGrid::all_scores() const {
  std::vector<at::Tensor> parts;
  for (const Level& level : levels_) parts.push_back(level.scores.t());
  return at::cat(parts, 1).unsqueeze(0);
}

at::Tensor AnchorGrid::all_angles() const {
  at::Tensor angles = at::empty({1, 1, anchors_}, at::kFloat);
  auto* to = angles.mutable_data_ptr<float>();
  for (const Level& level : levels_) {
    const auto* from = level.angle.const_data_ptr<float>();
    for (std::int64_t i = 0; i < level.angle.numel(); ++i) *to++ = radians(from[i]);
  }
  return angles;
}

at::Tensor AnchorGrid::all_decoded() const {
  at::Tensor decoded = at::empty({1, 4 + classes_ + 1, anchors_}, at::kFloat);
  auto* to = decoded.mutable_data_ptr<float>();
  for (std::int64_t a = 0; a < anchors_; ++a) {
    const Candidate box = this->decoded(a);
    const float* raw = logits(a);
    const float corners[4] = {box.cx, box.cy, box.w, box.h};
    for (int i = 0; i < 4; ++i) to[i * anchors_ + a] = corners[i];
    for (std::int64_t c = 0; c < classes_; ++c) to[(4 + c) * anchors_ + a] = sigmoid(raw[c]);
    to[(4 + classes_) * anchors_ + a] = box.angle;
  }
  return decoded;
}

std::vector<Candidate> select_candidates(const AnchorGrid& grid,
                                         const CandidateSettings& settings) {
  std::vector<Candidate> candidates;
  const std::int64_t classes = grid.classes();
  // Few anchors answer, and a logit costs less than its sigmoid: those clearly below are left out
  // first. The margin covers the rounding of both.
  const float threshold = settings.score_threshold;
  const float least = threshold > 0 && threshold < 1
                          ? std::log(threshold / (1.0F - threshold)) - 1e-3F
                          : -std::numeric_limits<float>::infinity();
  for (std::int64_t a = 0; a < grid.anchors(); ++a) {
    const float* raw = grid.logits(a);
    if (std::none_of(raw, raw + classes, [least](float logit) { return logit >= least; })) continue;
    Candidate candidate{};
    bool decoded = false;
    float best = threshold;
    std::int32_t best_class = -1;
    const auto keep = [&](float score, std::int32_t class_index) {
      if (!decoded) candidate = grid.decoded(a);
      decoded = true;
      candidate.score = score;
      candidate.class_index = class_index;
      candidates.push_back(candidate);
    };
    for (std::int32_t c = 0; c < classes; ++c) {
      const float score = sigmoid(raw[c]);
      if (settings.multi_label) {
        if (score > threshold) keep(score, c);
      } else if (score > best) {
        best = score;
        best_class = c;
      }
    }
    if (best_class >= 0) keep(best, best_class);
  }
  return candidates;
}

std::vector<Candidate> select_candidates(const at::Tensor& decoded,
                                         const CandidateSettings& settings) {
  const at::Tensor rows = decoded.t().contiguous();
  const std::int64_t width = rows.size(1), classes = width - 5;
  std::vector<Candidate> candidates;
  for (std::int64_t a = 0; a < rows.size(0); ++a) {
    const float* row = rows.const_data_ptr<float>() + a * width;
    const float* scores = row + 4;
    const auto best =
        static_cast<std::int32_t>(std::max_element(scores, scores + classes) - scores);
    for (std::int32_t c = 0; c < classes; ++c) {
      if (!(scores[c] > settings.score_threshold) || !(settings.multi_label || c == best)) continue;
      candidates.push_back({.anchor = static_cast<std::int32_t>(a),
                            .cx = row[0],
                            .cy = row[1],
                            .w = row[2],
                            .h = row[3],
                            .angle = row[width - 1],
                            .score = scores[c],
                            .class_index = c});
    }
  }
  return candidates;
}

std::vector<Candidate> best_pairs(const AnchorGrid& grid, std::int64_t count) {
  const std::int64_t classes = grid.classes();
  count = std::min(count, grid.anchors());
  const auto keep = static_cast<std::size_t>(count);
  struct Best {
    float logit;
    std::int32_t anchor;
  };
  // Logits order anchors as their scores do; among equals the first one comes first.
  std::vector<Best> anchors(static_cast<std::size_t>(grid.anchors()));
  for (std::int64_t a = 0; a < grid.anchors(); ++a) {
    const float* raw = grid.logits(a);
    anchors[static_cast<std::size_t>(a)] = {
        ordered(*std::max_element(raw, raw + classes), -std::numeric_limits<float>::infinity()),
        static_cast<std::int32_t>(a)};
  }
  const auto before = [](const Best& a, const Best& b) {
    return a.logit > b.logit || (a.logit == b.logit && a.anchor < b.anchor);
  };
  std::partial_sort(anchors.begin(), anchors.begin() + static_cast<std::ptrdiff_t>(keep),
                    anchors.end(), before);
  struct Pair {
    float score;
    std::size_t place;  // anchor's rank, then class
  };
  std::vector<Pair> pairs;
  pairs.reserve(keep * static_cast<std::size_t>(classes));
  for (std::size_t i = 0; i < keep; ++i) {
    const float* raw = grid.logits(anchors[i].anchor);
    for (std::int64_t c = 0; c < classes; ++c) {
      pairs.push_back(
          {ordered(sigmoid(raw[c]), 0), i * static_cast<std::size_t>(classes) + static_cast<std::size_t>(c)});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.score > b.score; });
  std::vector<Candidate> best;
  for (std::size_t i = 0; i < std::min(keep, pairs.size()); ++i) {
    const std::size_t rank = pairs[i].place / static_cast<std::size_t>(classes);
    Candidate candidate = grid.decoded(anchors[rank].anchor);
    candidate.score = pairs[i].score;
    candidate.class_index =
        static_cast<std::int32_t>(pairs[i].place % static_cast<std::size_t>(classes));
    best.push_back(candidate);
  }
  return best;
}

}  // namespace grasppanda::models::yolo_obb
