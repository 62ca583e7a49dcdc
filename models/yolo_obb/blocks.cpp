#include "models/yolo_obb/blocks.h"

#include <ATen/ATen.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

namespace grasppanda::models::yolo_obb {

namespace {

class OneConvolution final : public BlockRunner {
 public:
  explicit OneConvolution(Convolution conv) : conv_(std::move(conv)) {}
  at::Tensor run(const at::Tensor& x) const override { return conv_(x); }

 private:
  Convolution conv_;
};

class Upsample final : public BlockRunner {
 public:
  at::Tensor run(const at::Tensor& x) const override {
    return at::upsample_nearest2d(x, {2 * x.size(2), 2 * x.size(3)});
  }
};

class Bottleneck final : public BlockRunner {
 public:
  Bottleneck(const Loader& load, const std::string& name, bool shortcut)
      : cv1_(load.conv(name + ".cv1")), cv2_(load.conv(name + ".cv2")), shortcut_(shortcut) {}

  at::Tensor run(const at::Tensor& x) const override {
    at::Tensor y = cv2_(cv1_(x));
    return shortcut_ ? y.add_(x) : y;
  }

 private:
  Convolution cv1_, cv2_;
  bool shortcut_;
};

class C3k final : public BlockRunner {
 public:
  C3k(const Loader& load, const std::string& name, bool shortcut)
      : cv1_(load.conv(name + ".cv1")),
        cv2_(load.conv(name + ".cv2")),
        cv3_(load.conv(name + ".cv3")),
        first_(load, name + ".m.0", shortcut),
        second_(load, name + ".m.1", shortcut) {}

  at::Tensor run(const at::Tensor& x) const override {
    return cv3_(at::cat({second_.run(first_.run(cv1_(x))), cv2_(x)}, 1));
  }

 private:
  Convolution cv1_, cv2_, cv3_;
  Bottleneck first_, second_;
};

/// x + attention(x), then x + ffn(x).
class AttentionBlock final : public BlockRunner {
 public:
  AttentionBlock(const Loader& load, const std::string& name, std::int64_t channels)
      : shape_(attention_shape(channels)),
        qkv_(load.conv(name + ".attn.qkv", 1, 1, Activation::none)),
        proj_(load.conv(name + ".attn.proj", 1, 1, Activation::none)),
        position_(load.depthwise(name + ".attn.pe", Activation::none)),
        widen_(load.conv(name + ".ffn.0")),
        narrow_(load.conv(name + ".ffn.1", 1, 1, Activation::none)) {}

  at::Tensor run(const at::Tensor& x) const override {
    const at::Tensor y = attention(x).add_(x);
    return narrow_(widen_(y)).add_(y);
  }

 private:
  at::Tensor attention(const at::Tensor& x) const {
    const std::int64_t batch = x.size(0), height = x.size(2), width = x.size(3);
    const std::int64_t kd = shape_.key_dim, hd = shape_.head_dim, heads = shape_.heads;
    // Rows are positions, channels of one head lie together: (B, heads, N, 2 kd + hd).
    const at::Tensor t = qkv_(x)
                             .permute({0, 2, 3, 1})
                             .reshape({batch, height * width, heads, 2 * kd + hd})
                             .permute({0, 2, 1, 3});
    const at::Tensor q = t.narrow(3, 0, kd), k = t.narrow(3, kd, kd);
    const at::Tensor v = t.narrow(3, 2 * kd, hd);
    const double scale = 1.0 / std::sqrt(static_cast<double>(kd));
    const at::Tensor weight = at::softmax(at::matmul(q * scale, k.transpose(2, 3)), 3);
    const auto as_map = [&](const at::Tensor& rows) {  // (B, heads, N, hd) -> (B, C, H, W)
      return rows.permute({0, 2, 1, 3})
          .reshape({batch, height, width, heads * hd})
          .permute({0, 3, 1, 2});
    };
    return proj_(position_(as_map(v)).add_(as_map(at::matmul(weight, v))));
  }

  AttentionShape shape_;
  Convolution qkv_, proj_, position_, widen_, narrow_;
};

class Sequence final : public BlockRunner {
 public:
  void add(BlockPointer block) { blocks_.push_back(std::move(block)); }
  at::Tensor run(const at::Tensor& x) const override {
    at::Tensor y = x;
    for (const BlockPointer& block : blocks_) y = block->run(y);
    return y;
  }

 private:
  std::vector<BlockPointer> blocks_;
};

BlockPointer load_inner(const Loader& load, const std::string& name, const Layer& layer) {
  switch (layer.inner) {
    case Inner::bottleneck:
      return std::make_unique<Bottleneck>(load, name, layer.shortcut);
    case Inner::c3k:
      return std::make_unique<C3k>(load, name, layer.shortcut);
    case Inner::bottleneck_attention:
      break;
  }
  auto sequence = std::make_unique<Sequence>();
  sequence->add(std::make_unique<Bottleneck>(load, name + ".0", layer.shortcut));
  sequence->add(std::make_unique<AttentionBlock>(load, name + ".1", layer.hidden));
  return sequence;
}

/// C2f and C3k2: the halves of cv1, then each inner block on the one before, all joined.
class Chain final : public BlockRunner {
 public:
  Chain(const Loader& load, const std::string& name, const Layer& layer)
      : hidden_(layer.hidden), cv1_(load.conv(name + ".cv1")), cv2_(load.conv(name + ".cv2")) {
    for (int k = 0; k < layer.repeats; ++k) {
      inner_.push_back(load_inner(load, name + ".m." + std::to_string(k), layer));
    }
  }

  at::Tensor run(const at::Tensor& x) const override {
    const at::Tensor both = cv1_(x);
    std::vector<at::Tensor> parts = {both};
    at::Tensor last = both.narrow(1, hidden_, hidden_);
    for (const BlockPointer& inner : inner_) {
      last = inner->run(last);
      parts.push_back(last);
    }
    return cv2_(at::cat(parts, 1));
  }

 private:
  std::int64_t hidden_;
  Convolution cv1_, cv2_;
  std::vector<BlockPointer> inner_;
};

class Sppf final : public BlockRunner {
 public:
  Sppf(const Loader& load, const std::string& name, bool add)
      : cv1_(load.conv(name + ".cv1")), cv2_(load.conv(name + ".cv2")), add_(add) {}

  at::Tensor run(const at::Tensor& x) const override {
    std::vector<at::Tensor> parts = {cv1_(x)};
    for (int i = 0; i < 3; ++i) parts.push_back(at::max_pool2d(parts.back(), 5, 1, 2));
    at::Tensor y = cv2_(at::cat(parts, 1));
    return add_ ? y.add_(x) : y;
  }

 private:
  Convolution cv1_, cv2_;
  bool add_;
};

class C2psa final : public BlockRunner {
 public:
  C2psa(const Loader& load, const std::string& name, const Layer& layer)
      : hidden_(layer.hidden), cv1_(load.conv(name + ".cv1")), cv2_(load.conv(name + ".cv2")) {
    for (int k = 0; k < layer.repeats; ++k) {
      inner_.add(
          std::make_unique<AttentionBlock>(load, name + ".m." + std::to_string(k), layer.hidden));
    }
  }

  at::Tensor run(const at::Tensor& x) const override {
    const at::Tensor both = cv1_(x);
    const at::Tensor second = inner_.run(both.narrow(1, hidden_, hidden_));
    return cv2_(at::cat({both.narrow(1, 0, hidden_), second}, 1));
  }

 private:
  std::int64_t hidden_;
  Convolution cv1_, cv2_;
  Sequence inner_;
};

}  // namespace

ConvolutionWeights Loader::folded(const std::string& name) const {
  ConvolutionWeights stored{weights_(name + ".conv.weight"), {}};
  if (!weights_.has(name + ".bn.weight")) {
    stored.bias = weights_(name + ".conv.bias");
    return stored;
  }
  return fold(stored, {.weight = weights_(name + ".bn.weight"),
                       .bias = weights_(name + ".bn.bias"),
                       .mean = weights_(name + ".bn.running_mean"),
                       .var = weights_(name + ".bn.running_var"),
                       .eps = settings_.norm_eps});
}

Convolution Loader::conv(const std::string& name, std::int64_t stride, std::int64_t groups,
                         Activation usual) const {
  const ConvolutionWeights stored = folded(name);
  const auto told = settings_.activations.find(name);
  if (told != settings_.activations.end()) {
    usual = told->second ? Activation::silu : Activation::none;
  }
  return {stored,
          {.stride = stride, .padding = stored.weight.size(2) / 2, .groups = groups},
          usual,
          device_};
}

Convolution Loader::depthwise(const std::string& name, Activation usual) const {
  return conv(name, 1, weights_(name + ".conv.weight").size(0), usual);
}

Convolution Loader::plain(const std::string& name) const {
  return {{weights_(name + ".weight"), weights_(name + ".bias")}, {}, Activation::none, device_};
}

BlockPointer load_block(const Loader& load, const std::string& name, const Layer& layer) {
  switch (layer.block) {
    case Block::conv:
      return std::make_unique<OneConvolution>(load.conv(name, 2));
    case Block::c2f:
    case Block::c3k2:
      return std::make_unique<Chain>(load, name, layer);
    case Block::sppf:
      return std::make_unique<Sppf>(load, name, layer.shortcut);
    case Block::c2psa:
      return std::make_unique<C2psa>(load, name, layer);
    case Block::upsample:
      return std::make_unique<Upsample>();
    case Block::concat:
      break;
  }
  throw std::logic_error("load_block: a concatenation has no weights");
}

}  // namespace grasppanda::models::yolo_obb
