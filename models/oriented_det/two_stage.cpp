#include "models/oriented_det/two_stage.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace grasppanda::models::oriented_det {

namespace {

constexpr std::int64_t kRegionsAtOnce = 1024;  // features of more would fill the memory
constexpr std::int64_t kMostDetections = 3000;

bool is_usable(const Box& b) {
  return b.w > 0 && b.h > 0 && std::isfinite(b.cx + b.cy + b.w + b.h + b.angle);
}

at::Tensor rows_of(const std::vector<Proposal>& proposals) {
  std::vector<Candidate> boxes;
  for (const Proposal& p : proposals) boxes.push_back({p.box, p.score, 0});
  return boxes_of(boxes);
}

at::Tensor scores_of_proposals(const std::vector<Proposal>& proposals) {
  at::Tensor scores = at::empty({static_cast<std::int64_t>(proposals.size())}, at::kFloat);
  auto* to = scores.mutable_data_ptr<float>();
  for (const Proposal& p : proposals) *to++ = p.score;
  return scores;
}

/// The first of two names that the file has; the other one may lie beside it.
std::string stored_name(LayerSource& source, std::span<const io::NamedArray> tensors,
                        const std::string& name, const std::string& other) {
  const bool has_name = tensors.empty() || shape_of(tensors, name + ".weight") != nullptr;
  const bool has_other = shape_of(tensors, other + ".weight") != nullptr;
  if (!has_name && has_other) return other;
  if (has_other) {
    for (const char* part : {".weight", ".bias"}) {
      if (const auto* shape = shape_of(tensors, other + part)) source.unused(other + part, *shape);
    }
  }
  return name;
}

}  // namespace

std::vector<Proposal> TwoStageHeads::propose(const Pyramid& levels, const Passage& passage) const {
  const Settings& settings = passage.settings;
  std::vector<Proposal> found;
  std::int64_t anchors = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const RpnOutput output = rpn_(levels[i]);
    const std::string number = std::to_string(i);
    passage.show("rpn.cls" + number, output.classes);
    passage.show("rpn.bbox" + number, output.boxes);
    const ProposalLevel level = proposal_level(output);
    anchors += level.anchors();
    const AnchorGrid grid = proposal_anchors(
        live_stride(passage.input, levels[i], settings.strides[i]), output.classes.size(3));
    // Twice the limit, which is one of the picture, not of the level.
    const std::int64_t most = level.anchors() > settings.proposals_before
                                  ? 2 * settings.proposals_before
                                  : level.anchors();
    std::vector<std::int64_t> places = best_places(level.scores, most);
    std::ranges::sort(places);
    for (const std::int64_t anchor : places) {
      const Box box = decode_proposal(grid[anchor], level.deltas_of(anchor), passage);
      if (is_usable(box)) found.push_back({box, level.scores[static_cast<std::size_t>(anchor)]});
    }
  }
  passage.accounting.counts.emplace_back("anchors", anchors);
  std::vector<float> scores;
  for (const Proposal& p : found) scores.push_back(p.score);
  std::vector<Proposal> best;
  for (const std::int64_t i : best_places(scores, settings.proposals_before)) {
    best.push_back(found[static_cast<std::size_t>(i)]);
  }
  std::vector<Proposal> kept;
  if (best.empty()) return kept;
  const at::Tensor stays = suppress_proposals(rows_of(best), scores_of_proposals(best), settings);
  for (std::int64_t i = 0; i < stays.size(0); ++i) {
    kept.push_back(best[static_cast<std::size_t>(stays.const_data_ptr<std::int64_t>()[i])]);
  }
  return kept;
}

std::vector<Candidate> TwoStageHeads::classify(const Pyramid& levels,
                                               const std::vector<Proposal>& proposals,
                                               const Passage& passage) const {
  const Settings& settings = passage.settings;
  const at::Tensor rows = rows_of(proposals);
  std::vector<at::Tensor> features_seen, logits, deltas;
  for (std::int64_t begin = 0; begin < rows.size(0); begin += kRegionsAtOnce) {
    const std::int64_t count = std::min(kRegionsAtOnce, rows.size(0) - begin);
    const at::Tensor regions = features(levels, rows.narrow(0, begin, count), passage);
    const RegionOutput output = head_(regions);
    logits.push_back(output.classes.to(at::kCPU));
    deltas.push_back(output.boxes.to(at::kCPU));
    if (passage.observe) features_seen.push_back(regions);
  }
  const at::Tensor classes = at::cat(logits), boxes = at::cat(deltas).contiguous();
  if (passage.observe) {
    passage.observe("roi_features", at::cat(features_seen).view({-1, 256, 7, 7}));
    passage.observe("roi_cls_logits", classes);
    passage.observe("roi_reg", boxes);
  }
  const at::Tensor scores = at::softmax(classes, 1).contiguous();
  const std::int64_t columns = scores.size(1);
  std::vector<Candidate> candidates;
  for (std::int64_t r = 0; r < scores.size(0); ++r) {
    const float* row = scores.const_data_ptr<float>() + r * columns + 1;  // 0: background
    const float* best = std::max_element(row, row + columns - 1);
    const auto decoded = [&] {
      return decode_region_box(proposals[static_cast<std::size_t>(r)].box,
                               boxes.const_data_ptr<float>() + 5 * r);
    };
    for (const float* score = row; score != row + columns - 1; ++score) {
      if (settings.top_class_only && score != best) continue;
      if (!(*score > settings.detect.score_threshold)) continue;
      candidates.push_back({decoded(), *score, static_cast<std::int32_t>(score - row)});
    }
  }
  passage.accounting.counts.emplace_back("above_threshold",
                                         static_cast<std::int64_t>(candidates.size()));
  std::vector<Candidate> kept = suppress(
      candidates, settings.detect,
      {.most_before = 0, .most = settings.detect.max_detections.value_or(kMostDetections)});
  // Small boxes go after suppression here, and so may have suppressed others.
  std::erase_if(kept, [](const Candidate& c) { return c.box.w < 1 || c.box.h < 1; });
  passage.accounting.counts.emplace_back("after_nms", static_cast<std::int64_t>(kept.size()));
  return kept;
}

std::vector<Candidate> TwoStageHeads::find(const Pyramid& levels, const Passage& passage) const {
  const std::vector<Proposal> proposals = propose(levels, passage);
  passage.accounting.counts.emplace_back("proposals", static_cast<std::int64_t>(proposals.size()));
  if (passage.observe) passage.observe("proposals", proposal_rows(proposals));
  if (proposals.empty()) return {};
  return classify(levels, proposals, passage);
}

ops::FeaturePyramid feature_pyramid(const Pyramid& levels, const Passage& passage) {
  ops::FeaturePyramid pyramid;
  for (std::size_t i = 0; i < 4; ++i) {  // P6 serves proposals only
    pyramid.levels.push_back(levels[i]);
    pyramid.strides.push_back(
        static_cast<double>(live_stride(passage.input, levels[i], passage.settings.strides[i])));
  }
  return pyramid;
}

RpnHead rpn_head(LayerSource& source, std::int64_t deltas) {
  return {source,
          {"rpn_head.rpn_conv", "rpn_head.conv_cls", "rpn_head.conv_bbox"},
          kProposalAnchors,
          deltas};
}

RegionHead region_head(LayerSource& source, std::span<const io::NamedArray> tensors) {
  const auto name = [&](const char* first, const char* second) {
    return stored_name(source, tensors, std::string("roi_head.") + first,
                       std::string("roi_head.") + second);
  };
  const RegionHeadNames names{name("shared_fcs.0", "fc6"), name("shared_fcs.2", "fc7"),
                              name("fc_cls", "cls_head"), name("fc_reg", "bbox_head")};
  return {source, names, region_classes(tensors) + 1, 5};
}

std::int64_t region_classes(std::span<const io::NamedArray> tensors) {
  const std::int64_t rows = outputs_of(tensors, "roi_head.fc_cls.weight", 0);
  return (rows > 0 ? rows : outputs_of(tensors, "roi_head.cls_head.weight", 16)) - 1;
}

std::int64_t proposal_deltas(std::span<const io::NamedArray> tensors) {
  return outputs_of(tensors, "rpn_head.conv_bbox.weight", 0) / kProposalAnchors;
}

}  // namespace grasppanda::models::oriented_det
