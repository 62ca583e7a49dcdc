#include "models/mmrotate/two_stage.h"

#include <ATen/ATen.h>

#include <utility>

#include "lib/ops/rotated/rotated_roi_align.h"

namespace grasppanda::models::mmrotate {

namespace {

constexpr double kHorizontalIou = 0.7;
constexpr std::size_t kRegionLevels = 4;  // P6 serves proposals only
const std::string kRpn = "rpn_head.";
const std::string kOneStage = "roi_head.bbox_head";

ops::FeaturePyramid feature_pyramid(const Pyramid& levels) {
  ops::FeaturePyramid pyramid;
  double stride = 4;
  for (std::size_t i = 0; i < kRegionLevels; ++i, stride *= 2) {
    pyramid.levels.push_back(levels[i]);
    pyramid.strides.push_back(stride);
  }
  return pyramid;
}

}  // namespace

Regions horizontal_regions(const Pyramid& levels, const std::vector<Proposal>& proposals) {
  at::Tensor boxes = at::empty({static_cast<std::int64_t>(proposals.size()), 4}, at::kFloat);
  auto* to = boxes.mutable_data_ptr<float>();
  for (const Proposal& p : proposals) {
    for (const float value : {p.around.x1, p.around.y1, p.around.x2, p.around.y2}) *to++ = value;
  }
  return ops::roi_align(feature_pyramid(levels), boxes.to(levels[0].device()));
}

Regions rotated_regions(const Pyramid& levels, const std::vector<Box>& boxes) {
  at::Tensor rows = at::empty({static_cast<std::int64_t>(boxes.size()), 5}, at::kFloat);
  auto* to = rows.mutable_data_ptr<float>();
  for (const Box& b : boxes) {
    for (const float value : {b.cx, b.cy, b.w, b.h, b.angle}) *to++ = value;
  }
  return ops::rotated_roi_align(feature_pyramid(levels), rows.to(levels[0].device()),
                                ops::RoiAlignVariant::mmcv);
}

std::vector<Candidate> TwoStageHeads::find(const Pyramid& levels, const Passage& passage) const {
  const std::vector<Proposal> proposals = propose(levels, passage);
  passage.accounting.counts.emplace_back("proposals", static_cast<std::int64_t>(proposals.size()));
  if (passage.observe) passage.observe("proposals", proposal_rows(proposals));
  if (proposals.empty()) return {};
  return classify(levels, proposals, passage);
}

HorizontalProposals::HorizontalProposals(RpnHead rpn)
    : TwoStageHeads(std::move(rpn), kHorizontalIou) {}

Proposal HorizontalProposals::decode_proposal(const Bounds& anchor, const float* deltas,
                                              const Passage& passage) const {
  const Bounds bounds = decode_horizontal(anchor, deltas, passage.picture_size());
  return {box_of(bounds), bounds, 0};
}

at::Tensor HorizontalProposals::proposal_rows(const std::vector<Proposal>& proposals) const {
  at::Tensor rows = at::empty({static_cast<std::int64_t>(proposals.size()), 5}, at::kFloat);
  auto* to = rows.mutable_data_ptr<float>();
  for (const Proposal& p : proposals) {
    for (const float value : {p.around.x1, p.around.y1, p.around.x2, p.around.y2, p.score}) {
      *to++ = value;
    }
  }
  return rows;
}

RegionOutput show_stage(const Regions& regions, const RegionHead& head, int stage,
                        const Passage& passage) {
  RegionOutput output = head(regions);
  output.classes = output.classes.to(at::kCPU).contiguous();
  output.boxes = output.boxes.to(at::kCPU).contiguous();
  if (passage.observe) {
    std::string name = "roi";
    name += std::to_string(stage);
    passage.observe(name + ".feats", regions);
    passage.observe(name + ".cls", output.classes);
    passage.observe(name + ".reg", output.boxes);
  }
  return output;
}

std::vector<Candidate> region_candidates(
    const at::Tensor& logits, const Passage& passage,
    const std::function<Box(std::int64_t region, std::int64_t label)>& decode) {
  const at::Tensor scores = at::softmax(logits, 1).contiguous();
  const std::int64_t columns = scores.size(1), classes = columns - 1;
  const auto* score = scores.const_data_ptr<float>();
  const Settings& settings = passage.settings;
  std::vector<Candidate> candidates;
  for (std::int64_t region = 0; region < scores.size(0); ++region) {
    for (std::int64_t label = 0; label < classes; ++label) {
      const float value = score[region * columns + label];
      if (!(value > settings.detect.score_threshold)) continue;
      candidates.push_back({in_picture(decode(region, label), passage.size, settings.line), value,
                            static_cast<std::int32_t>(label)});
    }
  }
  return candidates;
}

RpnHead rpn_head(LayerSource& source, std::int64_t deltas) {
  return {source, {kRpn + "rpn_conv", kRpn + "rpn_cls", kRpn + "rpn_reg"}, 3, deltas};
}

RegionHead region_head(LayerSource& source, const std::string& name, std::int64_t classes,
                       std::int64_t deltas) {
  return {source,
          {name + ".shared_fcs.0", name + ".shared_fcs.1", name + ".fc_cls", name + ".fc_reg"},
          classes + 1,
          deltas};
}

std::int64_t region_classes(std::span<const io::NamedArray> tensors, const std::string& head) {
  return outputs_of(tensors, head + ".fc_cls.weight", 16) - 1;
}

std::int64_t proposal_deltas(std::span<const io::NamedArray> tensors) {
  return outputs_of(tensors, kRpn + "rpn_reg.weight", 0) / 3;
}

bool has_one_stage(std::span<const io::NamedArray> tensors, std::int64_t deltas) {
  // `fc_fix` is Gliding Vertex's.
  return proposal_deltas(tensors) == deltas &&
         shape_of(tensors, kOneStage + ".fc_reg.weight") != nullptr &&
         shape_of(tensors, kOneStage + ".fc_fix.weight") == nullptr;
}

std::int64_t one_stage_classes(std::span<const io::NamedArray> tensors) {
  return region_classes(tensors, kOneStage);
}

RegionHead one_stage_head(LayerSource& source, std::span<const io::NamedArray> tensors) {
  return region_head(source, kOneStage, one_stage_classes(tensors), 5);
}

std::vector<Box> boxes_of(const std::vector<Proposal>& proposals) {
  std::vector<Box> boxes;
  for (const Proposal& proposal : proposals) boxes.push_back(proposal.box);
  return boxes;
}

at::Tensor rotated_rows(const std::vector<Proposal>& proposals) {
  std::vector<Candidate> rows;
  for (const Proposal& proposal : proposals) rows.push_back({proposal.box, proposal.score, 0});
  return rows_of(rows);
}

at::Tensor with_batch_index(const std::vector<Box>& boxes) {
  std::vector<Candidate> rows;
  for (const Box& box : boxes) rows.push_back({box, 0, 0});
  return at::roll(rows_of(rows), 1, 1);
}

}  // namespace grasppanda::models::mmrotate
