// The list of tensors that a network consists of.
#include <map>
#include <set>

#include "models/weights.h"
#include "models/yolo_obb/architecture.h"

namespace grasppanda::models::yolo_obb {

namespace {

using Shape = std::vector<std::int64_t>;

class Lister {
 public:
  explicit Lister(std::span<const io::NamedArray> tensors) {
    for (const io::NamedArray& tensor : tensors) held_.insert(bare_key(tensor.key));
  }

  /// Convolution and batch norm of one block; fused when the file has it so.
  void conv(const std::string& name, std::int64_t in, std::int64_t out, std::int64_t size,
            std::int64_t groups = 1) {
    add(name + ".conv.weight", {out, in / groups, size, size});
    if (held_.contains(name + ".conv.bias") && !held_.contains(name + ".bn.weight")) {
      add(name + ".conv.bias", {out});
      return;
    }
    for (const char* part : {"weight", "bias", "running_mean", "running_var"}) {
      add(name + ".bn." + part, {out});
    }
    add(name + ".bn.num_batches_tracked", {}, false);
  }
  void plain_conv(const std::string& name, std::int64_t in, std::int64_t out) {
    add(name + ".weight", {out, in, 1, 1});
    add(name + ".bias", {out});
  }

  void bottleneck(const std::string& name, std::int64_t channels, std::int64_t hidden) {
    conv(name + ".cv1", channels, hidden, 3);
    conv(name + ".cv2", hidden, channels, 3);
  }
  void attention(const std::string& name, std::int64_t channels) {
    const AttentionShape shape = attention_shape(channels);
    conv(name + ".attn.qkv", channels, channels + 2 * shape.heads * shape.key_dim, 1);
    conv(name + ".attn.proj", channels, channels, 1);
    conv(name + ".attn.pe", channels, channels, 3, channels);
    conv(name + ".ffn.0", channels, 2 * channels, 1);
    conv(name + ".ffn.1", 2 * channels, channels, 1);
  }
  void inner(const std::string& name, const Layer& layer) {
    const std::int64_t c = layer.hidden;
    switch (layer.inner) {
      case Inner::bottleneck:
        bottleneck(name, c, layer.block == Block::c2f ? c : c / 2);
        break;
      case Inner::c3k:
        conv(name + ".cv1", c, c / 2, 1);
        conv(name + ".cv2", c, c / 2, 1);
        conv(name + ".cv3", c / 2 * 2, c, 1);
        for (const char* part : {".m.0", ".m.1"}) bottleneck(name + part, c / 2, c / 2);
        break;
      case Inner::bottleneck_attention:
        bottleneck(name + ".0", c, c / 2);
        attention(name + ".1", c);
        break;
    }
  }
  void layer(const std::string& name, const Layer& layer) {
    switch (layer.block) {
      case Block::conv:
        conv(name, layer.in, layer.out, 3);
        break;
      case Block::c2f:
      case Block::c3k2:
        conv(name + ".cv1", layer.in, 2 * layer.hidden, 1);
        conv(name + ".cv2", (2 + layer.repeats) * layer.hidden, layer.out, 1);
        for (int k = 0; k < layer.repeats; ++k) inner(name + ".m." + std::to_string(k), layer);
        break;
      case Block::sppf:
        conv(name + ".cv1", layer.in, layer.hidden, 1);
        conv(name + ".cv2", 4 * layer.hidden, layer.out, 1);
        break;
      case Block::c2psa:
        conv(name + ".cv1", layer.in, 2 * layer.hidden, 1);
        conv(name + ".cv2", 2 * layer.hidden, layer.out, 1);
        for (int k = 0; k < layer.repeats; ++k) {
          attention(name + ".m." + std::to_string(k), layer.hidden);
        }
        break;
      case Block::upsample:
      case Block::concat:
        break;
    }
  }
  void branch(const Architecture& net, const std::string& prefix) {
    const HeadWidths wide = head_widths(net);
    for (std::size_t level = 0; level < 3; ++level) {
      const std::int64_t c = net.channels(level);
      const auto name = [&](int branch) {
        return prefix + "cv" + std::to_string(branch) + "." + std::to_string(level);
      };
      conv(name(2) + ".0", c, wide.box, 3);
      conv(name(2) + ".1", wide.box, wide.box, 3);
      plain_conv(name(2) + ".2", wide.box, 4 * net.reg_max);
      if (net.family == Family::yolov8) {
        conv(name(3) + ".0", c, wide.score, 3);
        conv(name(3) + ".1", wide.score, wide.score, 3);
      } else {
        conv(name(3) + ".0.0", c, c, 3, c);
        conv(name(3) + ".0.1", c, wide.score, 1);
        conv(name(3) + ".1.0", wide.score, wide.score, 3, wide.score);
        conv(name(3) + ".1.1", wide.score, wide.score, 1);
      }
      plain_conv(name(3) + ".2", wide.score, net.classes);
      conv(name(4) + ".0", c, wide.angle, 3);
      conv(name(4) + ".1", wide.angle, wide.angle, 3);
      plain_conv(name(4) + ".2", wide.angle, 1);
    }
  }
  void add(std::string key, Shape shape, bool used = true) {
    list_.push_back({std::move(key), std::move(shape), used});
  }
  std::vector<ExpectedTensor> take() { return std::move(list_); }

 private:
  std::set<std::string_view, std::less<>> held_;
  std::vector<ExpectedTensor> list_;
};

}  // namespace

std::vector<ExpectedTensor> tensors_of(const Architecture& net,
                                       std::span<const io::NamedArray> tensors) {
  Lister lister(tensors);
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    lister.layer("model." + std::to_string(i), net.layers[i]);
  }
  lister.branch(net, net.head() + ".");
  if (net.two_branches()) lister.branch(net, net.head() + ".one2one_");
  // The numbers 0 to reg_max - 1: known without the file.
  if (net.reg_max > 1) lister.add(net.head() + ".dfl.conv.weight", {1, net.reg_max, 1, 1}, false);
  return lister.take();
}

}  // namespace grasppanda::models::yolo_obb
