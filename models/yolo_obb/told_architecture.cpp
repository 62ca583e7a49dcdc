// The network that a checkpoint's tensors make, whatever their number and widths.
#include <algorithm>
#include <map>

#include "models/checkpoint_error.h"
#include "models/weights.h"
#include "models/yolo_obb/architecture.h"

namespace grasppanda::models::yolo_obb {

namespace {

using Shape = std::vector<std::int64_t>;

class Shapes {
 public:
  explicit Shapes(std::span<const io::NamedArray> tensors) {
    for (const io::NamedArray& tensor : tensors) {
      shapes_.emplace(bare_key(tensor.key), &tensor.array.shape);
    }
  }
  bool has(const std::string& key) const { return shapes_.contains(key); }
  /// Outputs of a convolution or Linear; 0 when it is not there.
  std::int64_t outputs(const std::string& key) const {
    const auto found = shapes_.find(key);
    return found == shapes_.end() || found->second->size() != 4 ? 0 : found->second->front();
  }

 private:
  std::map<std::string_view, const Shape*, std::less<>> shapes_;
};

int repeats(const Shapes& shapes, const std::string& layer) {
  int count = 0;
  const auto is_there = [&](const std::string& inner) {
    return shapes.has(inner + ".cv1.conv.weight") || shapes.has(inner + ".0.cv1.conv.weight") ||
           shapes.has(inner + ".attn.qkv.conv.weight");
  };
  while (count < 1000 && is_there(layer + ".m." + std::to_string(count))) ++count;
  return count;
}

Inner inner_of(const Shapes& shapes, const std::string& layer) {
  if (shapes.has(layer + ".m.0.cv3.conv.weight")) return Inner::c3k;
  if (shapes.has(layer + ".m.0.1.attn.qkv.conv.weight")) return Inner::bottleneck_attention;
  return Inner::bottleneck;
}

/// The graph of the family with the file's own widths and repeats.
Architecture measured(const Shapes& shapes, Family family) {
  Architecture net = architecture(family, 'n', 0);
  net.scale = "custom";
  std::int64_t previous = 3;
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    Layer& layer = net.layers[i];
    const std::string name = "model." + std::to_string(i);
    layer.in = previous;
    switch (layer.block) {
      case Block::conv:
        layer.out = shapes.outputs(name + ".conv.weight");
        break;
      case Block::upsample:
        layer.out = previous;
        break;
      case Block::concat:
        layer.in = layer.out = previous + net.layers[static_cast<std::size_t>(layer.from[1])].out;
        break;
      case Block::sppf:
        layer.out = shapes.outputs(name + ".cv2.conv.weight");
        layer.hidden = shapes.outputs(name + ".cv1.conv.weight");
        break;
      default:
        layer.out = shapes.outputs(name + ".cv2.conv.weight");
        layer.hidden = shapes.outputs(name + ".cv1.conv.weight") / 2;
        layer.repeats = repeats(shapes, name);
        if (layer.block == Block::c3k2) layer.inner = inner_of(shapes, name);
    }
    previous = layer.out;
  }
  net.classes = shapes.outputs(net.head() + ".cv3.0.2.weight");
  net.reg_max = shapes.outputs(net.head() + ".cv2.0.2.weight") / 4;
  for (const char scale : kScales) {
    if (architecture(family, scale, net.classes).layers == net.layers) {
      net.scale = std::string(1, scale);
    }
  }
  return net;
}

std::size_t differences(const Architecture& net, std::span<const io::NamedArray> tensors) {
  std::map<std::string_view, const Shape*, std::less<>> held;
  for (const io::NamedArray& tensor : tensors) {
    held.emplace(bare_key(tensor.key), &tensor.array.shape);
  }
  std::size_t count = 0, found = 0;
  for (const ExpectedTensor& want : tensors_of(net, tensors)) {
    const auto got = held.find(want.key);
    found += got != held.end();
    if (want.used) count += got == held.end() || *got->second != want.shape;
  }
  return count + held.size() - found;
}

}  // namespace

std::optional<Family> told_family(std::span<const io::NamedArray> tensors) {
  const auto any = [&](std::string_view part) {
    return std::ranges::any_of(tensors, [&](const io::NamedArray& tensor) {
      return bare_key(tensor.key).starts_with(part);
    });
  };
  if (any("model.23.one2one_cv4.")) return Family::yolo26;
  if (any("model.23.cv4.") && any("model.10.m.0.attn.")) return Family::yolo11;
  if (any("model.22.cv4.") && any("model.22.cv3.")) return Family::yolov8;
  return std::nullopt;
}

Architecture told_architecture(std::span<const io::NamedArray> tensors) {
  const std::optional<Family> family = told_family(tensors);
  if (!family) {
    throw CheckpointError("the tensors are of no YOLO-OBB network (YOLOv8, YOLO11 or YOLO26)");
  }
  Architecture best = measured(Shapes(tensors), *family);
  const bool sound = best.classes > 0 && best.reg_max > 0 &&
                     std::ranges::all_of(best.layers, [](const Layer& l) { return l.out > 0; });
  std::size_t least = sound ? differences(best, tensors) : tensors.size() + 1;
  if (sound && least == 0) return best;
  const std::int64_t classes = std::max<std::int64_t>(best.classes, 1);
  for (const char scale : kScales) {
    Architecture published = architecture(*family, scale, classes);
    const std::size_t count = differences(published, tensors);
    if (count < least) {
      least = count;
      best = std::move(published);
    }
  }
  return best;
}

}  // namespace grasppanda::models::yolo_obb
