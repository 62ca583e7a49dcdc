// Checkpoints as torch.save writes them, for tests.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lib/io/checkpoint.h"
#include "tests/support/golden_weights.h"

namespace grasppanda::tests {

enum class TorchFormat { zip, legacy };

/// What goes into a file: entries of plain values, and sets of tensors under a name each ("" for
/// the top level).
struct TorchContent {
  nlohmann::ordered_json extra = nlohmann::ordered_json::object();
  std::vector<std::pair<std::string, std::vector<io::NamedArray>>> sets;
  std::string location = "cpu";  // "cuda:0": as saved on a GPU
};

/// The content of the goldens' checkpoint: container and extra entries as its manifest says.
TorchContent torch_content(const GoldenWeights& weights);

std::string torch_file(const TorchContent& content, TorchFormat format);
/// A zip file of torch.save around any pickle; storages by key.
std::string torch_zip(const std::string& pickle,
                      const std::vector<std::pair<std::string, std::string>>& storages = {});

}  // namespace grasppanda::tests
