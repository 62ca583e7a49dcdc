#include "models/contact_graspnet/checkpoint_names.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "models/contact_graspnet/architecture.h"
#include "models/weights.h"

namespace grasppanda::models::contact_graspnet {

namespace {

std::string number(int value) {
  return std::to_string(value);
}

LayerNames within(const std::string& mlp, int layer) {
  const std::string prefix = mlp + "." + number(layer);
  return {prefix + ".0", prefix + ".2"};
}

/// Collects names and shapes layer by layer.
class Names {
 public:
  void linear(const std::string& prefix, std::vector<std::int64_t> shape, bool used = true) {
    const std::int64_t outputs = shape.front();
    add(prefix + ".weight", std::move(shape), used);
    add(prefix + ".bias", {outputs}, used);
  }
  void norm(const std::string& prefix, std::int64_t channels, bool used = true) {
    for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"}) {
      add(prefix + part, {channels}, used);
    }
    add(prefix + ".num_batches_tracked", {}, used);
  }
  void layer(const LayerNames& names, std::int64_t in, std::int64_t out, bool used = true) {
    linear(names.linear, {out, in}, used);
    norm(names.norm, out, used);
  }
  std::vector<ExpectedTensor> take() { return std::move(tensors_); }

 private:
  void add(std::string key, std::vector<std::int64_t> shape, bool used) {
    tensors_.push_back({std::move(key), std::move(shape), used});
  }
  std::vector<ExpectedTensor> tensors_;
};

}  // namespace

LayerNames level_layer(int level, int scale, int layer) {
  return within("set_abstract_msg." + number(level) + "." + number(scale) + ".conv.local_nn",
                layer);
}

LayerNames step_layer(int step, int layer) {
  return within("feat_prop." + number(step) + ".nn", layer);
}

LayerNames head_layer(int head) {
  const std::string prefix = "multihead." + number(head);
  return {prefix + ".0", prefix + ".1"};
}

std::string head_output(int head) {
  return "multihead." + number(head) + ".3";
}

std::vector<ExpectedTensor> expected_tensors(const config::Config*) {
  Names names;
  for (int level = 0; level < 3; ++level) {
    for (int scale = 0; scale < 3; ++scale) {
      std::int64_t in = kLevels[level].in_channels + 3;
      for (int layer = 0; layer < 3; ++layer) {
        const std::int64_t out = kLevels[level].widths[scale][layer];
        names.layer(level_layer(level, scale, layer), in, out);
        in = out;
      }
    }
  }
  std::int64_t unused_in = kUnusedIn;
  for (int layer = 0; layer < 3; ++layer) {
    names.layer(within("set_abstract_final", layer), unused_in, kUnusedWidths[layer], false);
    unused_in = kUnusedWidths[layer];
  }
  for (int step = 0; step < 3; ++step) {
    std::int64_t in = kSteps[step].interpolated + kSteps[step].skip;
    for (int layer = 0; layer < 3; ++layer) {
      const std::int64_t out = kSteps[step].widths[layer];
      if (out == 0) break;
      names.layer(step_layer(step, layer), in, out);
      in = out;
    }
  }
  for (int head = 0; head < 4; ++head) {
    const LayerNames first = head_layer(head);
    names.linear(first.linear, {kHeadHidden, kHeadIn, 1});
    names.norm(first.norm, kHeadHidden);
    names.linear(head_output(head), {kHeadOutputs[head], kHeadHidden, 1});
  }
  return names.take();
}

bool recognises(std::span<const io::NamedArray> tensors) {
  const bool first_layer = std::ranges::any_of(tensors, [](const io::NamedArray& tensor) {
    return bare_key(tensor.key) == "set_abstract_msg.0.0.conv.local_nn.0.0.weight" &&
           tensor.array.shape == std::vector<std::int64_t>{32, 3};
  });
  return first_layer && std::ranges::any_of(tensors, [](const io::NamedArray& tensor) {
           return bare_key(tensor.key) == "multihead.0.3.weight";
         });
}

}  // namespace grasppanda::models::contact_graspnet
