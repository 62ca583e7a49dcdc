// The region proposal network: the best anchors of every level, decoded and suppressed level by
// level.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "lib/ops/rotated/horizontal_nms.h"
#include "models/mmrotate/priors.h"
#include "models/mmrotate/two_stage.h"

namespace grasppanda::models::mmrotate {

namespace {

constexpr std::int64_t kFirstStride = 4;
constexpr std::size_t kMostProposals = 2000;   // of a level before, of all levels after suppression
constexpr std::size_t kManyProposals = 10000;  // from here on levels are suppressed one by one

bool is_finite(const Proposal& p) {
  const Bounds& b = p.around;
  return std::isfinite(b.x1 + b.y1 + b.x2 + b.y2) && std::isfinite(p.score);
}

struct LevelProposal {
  Proposal proposal;
  std::int64_t level;
};

/// One suppression over all levels, which lie apart by an offset. The rounding of coordinates that
/// far out is part of the published result; unlike in final suppression, nothing depends on it that
/// a user would see as wrong.
std::vector<std::int64_t> suppress_shifted(const std::vector<LevelProposal>& found, double iou) {
  const auto count = static_cast<std::int64_t>(found.size());
  float most = 0;
  for (const LevelProposal& f : found) {
    const Bounds& b = f.proposal.around;
    most = std::max({most, b.x1, b.y1, b.x2, b.y2});
  }
  at::Tensor boxes = at::empty({count, 4}, at::kFloat), scores = at::empty({count}, at::kFloat);
  auto* to = boxes.mutable_data_ptr<float>();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const float offset = static_cast<float>(found[i].level) * (most + 1);
    const Bounds& b = found[i].proposal.around;
    for (const float value : {b.x1, b.y1, b.x2, b.y2}) *to++ = value + offset;
    scores.mutable_data_ptr<float>()[i] = found[i].proposal.score;
  }
  const at::Tensor kept = ops::horizontal_nms(boxes, scores, iou);
  const auto* places = kept.const_data_ptr<std::int64_t>();
  return {places, places + kept.numel()};
}

std::vector<Proposal> suppressed(const std::vector<LevelProposal>& found, double iou) {
  std::vector<Proposal> kept;
  if (found.size() < kManyProposals) {
    for (const std::int64_t i : suppress_shifted(found, iou)) {
      kept.push_back(found[static_cast<std::size_t>(i)].proposal);
    }
  } else {
    for (auto begin = found.begin(); begin != found.end();) {
      const auto end = std::find_if(
          begin, found.end(), [&](const LevelProposal& f) { return f.level != begin->level; });
      std::vector<LevelProposal> level(begin, end);
      for (LevelProposal& f : level) f.level = 0;
      for (const std::int64_t i : suppress_shifted(level, iou)) {
        kept.push_back(level[static_cast<std::size_t>(i)].proposal);
      }
      begin = end;
    }
    std::stable_sort(kept.begin(), kept.end(),
                     [](const Proposal& a, const Proposal& b) { return a.score > b.score; });
  }
  if (kept.size() > kMostProposals) kept.resize(kMostProposals);
  return kept;
}

}  // namespace

std::vector<Proposal> TwoStageHeads::propose(const Pyramid& levels, const Passage& passage) const {
  std::vector<LevelProposal> found;
  std::int64_t stride = kFirstStride, anchors = 0;
  for (std::size_t i = 0; i < levels.size(); ++i, stride *= 2) {
    const RpnOutput output = rpn_(levels[i]);
    const std::string number = std::to_string(i);
    passage.show("rpn.cls." + number, output.classes);
    passage.show("rpn.reg." + number, output.boxes);
    const ProposalLevel level = proposal_level(output);
    anchors += level.anchors();
    const AnchorGrid grid = proposal_anchors(stride, output.classes.size(3));
    for (const std::int64_t anchor : best_places(level.scores, kMostProposals)) {
      LevelProposal next{decode_proposal(grid[anchor], level.deltas_of(anchor), passage),
                         static_cast<std::int64_t>(i)};
      next.proposal.score = level.scores[static_cast<std::size_t>(anchor)];
      const Bounds& around = next.proposal.around;
      const bool has_sides = around.x2 > around.x1 && around.y2 > around.y1;
      if (!is_finite(next.proposal)) continue;
      if (passage.settings.line == Line::v1 && !has_sides) continue;  // min_bbox_size 0
      found.push_back(next);
    }
  }
  passage.accounting.counts.emplace_back("anchors", anchors);
  return found.empty() ? std::vector<Proposal>() : suppressed(found, iou_);
}

}  // namespace grasppanda::models::mmrotate
