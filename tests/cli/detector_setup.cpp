#include "tests/cli/detector_setup.h"

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/io/png.h"
#include "tests/support/torch_writer.h"

namespace grasppanda::tests {

namespace {

class MadeNetwork {
 public:
  void convolution(const std::string& key, std::int64_t in, std::int64_t out, std::int64_t kernel,
                   bool biased = true, float scale = 1, float bias = 0) {
    const std::int64_t fan_in = in * kernel * kernel;
    const float most = scale * std::sqrt(6.0F / static_cast<float>(fan_in));
    std::vector<float> weight(static_cast<std::size_t>(out * fan_in));
    for (float& value : weight) value = most * next();
    add(key + ".weight", {out, in, kernel, kernel}, weight);
    if (biased) filled(key + ".bias", {out}, bias);
  }
  void batch_norm(const std::string& key, std::int64_t channels, bool counted) {
    filled(key + ".weight", {channels}, 1);
    filled(key + ".bias", {channels}, 0);
    filled(key + ".running_mean", {channels}, 0);
    filled(key + ".running_var", {channels}, 1);
    if (counted) {
      tensors_.push_back(
          {key + ".num_batches_tracked", io::make_array({}, std::vector<std::int64_t>{7})});
    }
  }
  void filled(const std::string& key, std::vector<std::int64_t> shape, float value) {
    std::int64_t numbers = 1;
    for (const std::int64_t side : shape) numbers *= side;
    add(key, std::move(shape), std::vector<float>(static_cast<std::size_t>(numbers), value));
  }

  void resnet18(const std::string& prefix, bool counted) {
    constexpr std::array<std::int64_t, 4> channels = {64, 128, 256, 512};
    convolution(prefix + "conv1", 3, 64, 7, false);
    batch_norm(prefix + "bn1", 64, counted);
    std::int64_t in = 64;
    for (std::size_t stage = 0; stage < channels.size(); ++stage) {
      for (int block = 0; block < 2; ++block) {
        const std::string at =
            prefix + "layer" + std::to_string(stage + 1) + "." + std::to_string(block) + ".";
        const std::int64_t out = channels[stage];
        convolution(at + "conv1", in, out, 3, false);
        batch_norm(at + "bn1", out, counted);
        convolution(at + "conv2", out, out, 3, false);
        batch_norm(at + "bn2", out, counted);
        if (in != out) {
          convolution(at + "downsample.0", in, out, 1, false);
          batch_norm(at + "downsample.1", out, counted);
        }
        in = out;
      }
    }
  }
  const std::vector<io::NamedArray>& tensors() const { return tensors_; }

 private:
  // -1..1: a linear congruence's upper bits.
  float next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<float>(state_ >> 40) * 0x1p-23F - 1.0F;
  }
  void add(const std::string& key, std::vector<std::int64_t> shape,
           const std::vector<float>& values) {
    tensors_.push_back({key, io::make_array(std::move(shape), values)});
  }

  std::uint64_t state_ = 1;
  std::vector<io::NamedArray> tensors_;
};

constexpr std::array<std::int64_t, 3> kLaterals = {128, 256, 512};

}  // namespace

std::vector<io::NamedArray> made_mmrotate_retinanet(std::int64_t classes) {
  MadeNetwork net;
  net.resnet18("backbone.", true);
  for (std::size_t i = 0; i < kLaterals.size(); ++i) {
    net.convolution("neck.lateral_convs." + std::to_string(i) + ".conv", kLaterals[i], 256, 1);
  }
  for (int i = 0; i < 5; ++i) {
    net.convolution("neck.fpn_convs." + std::to_string(i) + ".conv", i == 3 ? 512 : 256, 256, 3);
  }
  for (const char* tower : {"cls_convs", "reg_convs"}) {
    for (int i = 0; i < 4; ++i) {
      net.convolution("bbox_head." + std::string(tower) + "." + std::to_string(i) + ".conv", 256,
                      256, 3, true, 0.5F);
    }
  }
  net.convolution("bbox_head.retina_cls", 256, 9 * classes, 3, true, 0.5F, -2.5F);
  net.convolution("bbox_head.retina_reg", 256, 45, 3, true, 0.05F);
  return net.tensors();
}

std::vector<io::NamedArray> made_oriented_det_fcos(std::int64_t classes) {
  MadeNetwork net;
  net.resnet18("backbone.body.", false);
  for (std::size_t i = 0; i < kLaterals.size(); ++i) {
    const std::string level = std::to_string(i) + ".0";
    net.convolution("backbone.fpn.inner_blocks." + level, kLaterals[i], 256, 1);
    net.convolution("backbone.fpn.layer_blocks." + level, 256, 256, 3);
  }
  net.convolution("backbone.fpn.extra_blocks.p6", 512, 256, 3);
  net.convolution("backbone.fpn.extra_blocks.p7", 256, 256, 3);
  for (const char* tower : {"cls_convs", "reg_convs"}) {
    for (int i = 0; i < 4; ++i) {
      const std::string layer = "head." + std::string(tower) + "." + std::to_string(i);
      net.convolution(layer + ".conv", 256, 256, 3, false);
      net.filled(layer + ".gn.weight", {256}, 1);
      net.filled(layer + ".gn.bias", {256}, 0);
    }
  }
  net.convolution("head.conv_cls", 256, classes, 3, true, 0.5F, -1.5F);
  net.convolution("head.conv_bbox", 256, 4, 3, true, 0.3F, 1.0F);
  net.convolution("head.conv_angle", 256, 1, 3, true, 0.3F);
  net.convolution("head.conv_centerness", 256, 1, 3, true, 0.3F);
  for (int i = 0; i < 5; ++i) net.filled("head.scales." + std::to_string(i) + ".scale", {}, 1);
  net.filled("head.scale_angle_module.scale", {}, 1);
  return net.tensors();
}

void write_made_checkpoint(const std::filesystem::path& file, const std::string& container,
                           const std::vector<io::NamedArray>& tensors, const std::string& meta) {
  TorchContent content;
  content.extra = {{"epoch", 12}};
  if (!meta.empty()) content.extra["meta"] = nlohmann::ordered_json::parse(meta);
  content.sets = {{container, halved(tensors)}};
  std::ofstream(file, std::ios::binary) << torch_file(content, TorchFormat::zip);
}

void write_made_image(const std::filesystem::path& file, std::int64_t width, std::int64_t height) {
  io::Image image;
  image.width = width;
  image.height = height;
  image.channels = 3;
  image.pixels.assign(image.samples(), 60);
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      if (x / 16 % 3 == 1 && y / 12 % 2 == 1) {
        image.pixels[static_cast<std::size_t>(3 * (y * width + x))] = 220;
      }
    }
  }
  io::write_png(file, image);
}

}  // namespace grasppanda::tests
