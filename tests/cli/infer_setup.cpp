#include "tests/cli/infer_setup.h"

#include <cmath>
#include <cstdint>
#include <fstream>
#include <stdexcept>

#include "lib/io/npy.h"
#include "lib/io/safetensors.h"
#include "tests/support/damaged_bytes.h"

namespace grasppanda::tests {

namespace {

namespace fs = std::filesystem;

// -1..1, from a key and a place: the mixing of splitmix64.
float made_number(const std::string& key, std::uint64_t place) {
  std::uint64_t x = place + 0x9e3779b97f4a7c15ULL;
  for (const char c : key) x = (x ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<float>(static_cast<double>((x ^ (x >> 31)) >> 11) / 4503599627370496.0 - 1.0);
}

class MadeWeights {
 public:
  void linear(const std::string& key, std::vector<std::int64_t> shape, float bias = 0) {
    std::int64_t numbers = 1;
    for (const std::int64_t side : shape) numbers *= side;
    const float scale = std::sqrt(3.0F / static_cast<float>(shape.at(1)));
    std::vector<float> weight(static_cast<std::size_t>(numbers));
    for (std::size_t i = 0; i < weight.size(); ++i) {
      weight[i] = scale * made_number(key, i);
    }
    add(key + ".weight", shape, weight);
    add(key + ".bias", {shape[0]}, std::vector<float>(static_cast<std::size_t>(shape[0]), bias));
  }
  void batch_norm(const std::string& key, std::int64_t channels) {
    const auto n = static_cast<std::size_t>(channels);
    add(key + ".weight", {channels}, std::vector<float>(n, 1));
    add(key + ".bias", {channels}, std::vector<float>(n, 0));
    add(key + ".running_mean", {channels}, std::vector<float>(n, 0.5F));
    add(key + ".running_var", {channels}, std::vector<float>(n, 1));
    tensors_.push_back(
        {key + ".num_batches_tracked", io::make_array({}, std::vector<std::int64_t>{7})});
  }
  void layers(const std::string& key, std::int64_t in, const std::vector<std::int64_t>& widths) {
    for (std::size_t k = 0; k < widths.size(); ++k) {
      const std::string layer = key + "." + std::to_string(k);
      linear(layer + ".0", {widths[k], in});
      batch_norm(layer + ".2", widths[k]);
      in = widths[k];
    }
  }
  const std::vector<io::NamedArray>& tensors() const { return tensors_; }

 private:
  void add(const std::string& key, std::vector<std::int64_t> shape,
           const std::vector<float>& values) {
    tensors_.push_back({key, io::make_array(std::move(shape), values)});
  }
  std::vector<io::NamedArray> tensors_;
};

const fs::path& shared_weights() {
  static const ScratchFolder folder;
  static const fs::path file = [] {
    const fs::path made = folder.path() / "made.safetensors";
    write_made_weights(made);
    return made;
  }();
  return file;
}

}  // namespace

void write_made_weights(const fs::path& file) {
  using Widths = std::vector<std::int64_t>;
  const std::vector<std::vector<Widths>> scales = {
      {{32, 32, 64}, {64, 64, 128}, {64, 96, 128}},
      {{64, 64, 128}, {128, 128, 256}, {128, 128, 256}},
      {{64, 64, 128}, {128, 128, 256}, {128, 128, 256}}};
  const Widths inputs = {3, 323, 643};
  MadeWeights weights;
  for (std::size_t level = 0; level < scales.size(); ++level) {
    for (std::size_t scale = 0; scale < scales[level].size(); ++scale) {
      weights.layers("set_abstract_msg." + std::to_string(level) + "." + std::to_string(scale) +
                         ".conv.local_nn",
                     inputs[level], scales[level][scale]);
    }
  }
  weights.layers("feat_prop.0.nn", 1280, {256, 256});
  weights.layers("feat_prop.1.nn", 896, {256, 128});
  weights.layers("feat_prop.2.nn", 448, {128, 128, 128});
  const Widths heads = {1, 3, 3, 1};
  for (std::size_t head = 0; head < heads.size(); ++head) {
    const std::string key = "multihead." + std::to_string(head);
    weights.linear(key + ".0", {128, 131, 1});
    weights.batch_norm(key + ".1", 128);
    weights.linear(key + ".3", {heads[head], 128, 1});
  }
  io::write_safetensors(file, weights.tensors());
}

void write_made_frame(const fs::path& folder, int box) {
  fs::create_directories(folder);
  constexpr int kWidth = 64, kHeight = 48;
  std::vector<float> depth(kWidth * kHeight, 0.6F);
  for (int row = 16; row < 32; ++row) {
    for (int column = box; column < box + 12; ++column) {
      depth[static_cast<std::size_t>(row * kWidth + column)] = 0.55F;
    }
  }
  io::write_npy(folder / "depth.npy", io::make_array({kHeight, kWidth}, depth));
  std::ofstream(folder / "meta.json")
      << R"({"intrinsic_matrix": [[60, 0, 32], [0, 60, 24], [0, 0, 1]], "factor_depth": 1})";
}

void write_broken_frame(const fs::path& folder) {
  write_made_frame(folder);
  std::ofstream(folder / "depth.npy", std::ios::trunc) << "no array";
}

InferFolder::InferFolder(const std::string& formats) {
  fs::create_symlink(shared_weights(), scratch_.path() / "w.safetensors");
  scratch_.file("run.yaml",
                "model: {name: contact_graspnet, checkpoint: w.safetensors, score_threshold: 0}\n"
                "input: {depth: {scale: 1}}\n"
                // The made weights aim anywhere: without these nothing would be left to compare.
                "postprocess: {collision: {enabled: false}, top_k: 40}\n"
                "output: {formats: " +
                    formats + "}\n");
}

Finished InferFolder::infer(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"infer", "-c", "run.yaml"});
  return program(arguments);
}

Finished InferFolder::program(const std::vector<std::string>& arguments) const {
  return run_program(arguments, {.folder = path(), .limit = std::chrono::seconds(300)});
}

fs::path InferFolder::run_of(const Finished& finished) const {
  std::string out = finished.out;
  if (!out.ends_with('\n')) throw std::runtime_error("no run directory on stdout: " + finished.err);
  out.pop_back();
  return path() / out.substr(out.rfind('\n') + 1);
}

nlohmann::ordered_json json_file(const fs::path& file) {
  return nlohmann::ordered_json::parse(read_bytes(file));
}

nlohmann::ordered_json input_of(const fs::path& run, const std::string& name) {
  const nlohmann::ordered_json summary = json_file(run / "summary.json");
  for (const nlohmann::ordered_json& input : summary.at("inputs")) {
    if (input.at("name") == name) return input;
  }
  throw std::runtime_error("no input '" + name + "' in " + (run / "summary.json").string());
}

}  // namespace grasppanda::tests
