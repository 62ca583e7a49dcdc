// Every file of data/troubles/checkpoints gets the verdict that its README states.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/io/checkpoint.h"
#include "lib/io/format_error.h"
#include "lib/io/sha256.h"
#include "tests/catch.h"

using namespace grasppanda::io;
using Catch::Matchers::Contains;

namespace {

std::string refusal(const std::filesystem::path& path) {
  try {
    read_checkpoint(path);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

void check_tensor(const NamedArray& tensor, const nlohmann::json& expected) {
  INFO(tensor.key);
  CHECK(tensor.key == expected["key"].get<std::string>());
  CHECK(dtype_name(tensor.array.dtype) == expected["dtype"].get<std::string>());
  CHECK(tensor.array.shape == expected["shape"].get<std::vector<std::int64_t>>());
  CHECK(sha256_hex(tensor.array.bytes()) == expected["sha256"].get<std::string>());
  const std::vector<double> values = to_float64(tensor.array);
  double sum = 0, size = 0;
  for (const double value : values) {
    sum += value;
    size += std::abs(value);
  }
  CHECK(std::abs(sum - expected["sum"].get<double>()) <= 1e-9 * (1 + size));
  const auto& first = expected["first"];
  REQUIRE(first.size() == std::min<std::size_t>(values.size(), 4));
  for (std::size_t i = 0; i < first.size(); ++i) CHECK(values[i] == first[i].get<double>());
}

}  // namespace

TEST_CASE("troubles: every checkpoint that is to be accepted, tensor by tensor") {
  GP_NEED_DATA(folder, "data/troubles/checkpoints");
  const auto expected = nlohmann::json::parse(std::ifstream(folder / "expected.json"));
  int accepted = 0, files = 0;
  for (const auto& [name, verdict] : expected.items()) {
    INFO(name);
    ++files;
    if (verdict["verdict"] != "accept") continue;
    Checkpoint checkpoint = read_checkpoint(folder / name);
    strip_module_prefix(checkpoint.tensors);
    REQUIRE(checkpoint.tensors.size() == verdict["tensors"].size());
    // Safetensors have an order of their own.
    if (checkpoint.format == "safetensors") {
      std::vector<NamedArray> in_order;
      for (const auto& wanted : verdict["tensors"]) {
        for (const NamedArray& tensor : checkpoint.tensors) {
          if (tensor.key == wanted["key"].get<std::string>()) in_order.push_back(tensor);
        }
      }
      checkpoint.tensors = in_order;
    }
    REQUIRE(checkpoint.tensors.size() == verdict["tensors"].size());
    for (std::size_t i = 0; i < checkpoint.tensors.size(); ++i) {
      check_tensor(checkpoint.tensors[i], verdict["tensors"][i]);
    }
    ++accepted;
  }
  CHECK(files == 20);
  CHECK(accepted == 12);
}

TEST_CASE("troubles: every checkpoint that is to be refused, with its reason") {
  GP_NEED_DATA(folder, "data/troubles/checkpoints");
  CHECK_THAT(refusal(folder / "malicious_zip.pth"), Contains("malicious_zip.pth: refused") &&
                                                        Contains("'io open'") &&
                                                        Contains("io.open"));
  CHECK_THAT(refusal(folder / "truncated_zip.tar"), Contains("truncated_zip.tar: cut off"));
  CHECK_THAT(refusal(folder / "truncated_legacy.tar"), Contains("truncated_legacy.tar: cut off"));
  CHECK_THAT(refusal(folder / "zero_bytes.tar"), Contains("zero_bytes.tar: is an empty file"));
  CHECK_THAT(refusal(folder / "html_page.tar"), Contains("html_page.tar: is an HTML page"));
  CHECK_THAT(refusal(folder / "lfs_pointer.pth"),
             Contains("lfs_pointer.pth: is a Git LFS pointer"));
  CHECK_THAT(
      refusal(folder / "whole_module.pth"),
      Contains("whole_module.pth: is a pickled module of class torch.nn.modules.linear.Linear"));
  CHECK_FALSE(std::filesystem::exists("pwned.txt"));
  CHECK_FALSE(std::filesystem::exists(folder / "pwned.txt"));
}

TEST_CASE("troubles: NaN weights are found by name") {
  GP_NEED_DATA(folder, "data/troubles/checkpoints");
  std::vector<std::string> found;
  for (const NamedArray& tensor : read_checkpoint(folder / "nan_weight.tar").tensors) {
    if (count_not_finite(tensor.array) > 0) found.push_back(tensor.key);
  }
  CHECK(found == std::vector<std::string>{"head.fc.weight"});
}

TEST_CASE("troubles: what lies beside the weights is told") {
  GP_NEED_DATA(folder, "data/troubles/checkpoints");
  const Checkpoint nested = read_checkpoint(folder / "nested_zip.tar");
  CHECK(nested.format == "zip");
  CHECK(nested.container == "model_state_dict");
  CHECK(nested.placeholders.empty());
  CHECK(nested.warnings.empty());
  CHECK(nested.other->contains("epoch"));

  CHECK((*nested.other)["optimizer_state_dict"].is_string());
  CHECK_FALSE(nested.other->contains("model_state_dict"));
  CHECK(read_checkpoint(folder / "nested_legacy.tar").format == "legacy");
  CHECK(read_checkpoint(folder / "weights.safetensors").format == "safetensors");

  const Checkpoint classes = read_checkpoint(folder / "meta_classes.pth");
  CHECK((*classes.other)["meta"]["CLASSES"] == nlohmann::json({"plane", "ship"}));
  const Checkpoint module = read_checkpoint(folder / "module_prefix.pth");
  CHECK(module.tensors[0].key == "module.backbone.conv1.weight");
}

TEST_CASE("troubles: arrays of a mapped file outlive it") {
  GP_NEED_DATA(folder, "data/troubles/checkpoints");
  const auto copy = std::filesystem::temp_directory_path() / "grasppanda_outlived.tar";
  std::filesystem::copy_file(folder / "nested_zip.tar", copy,
                             std::filesystem::copy_options::overwrite_existing);
  const Array array = read_checkpoint(copy).tensors.at(0).array;
  std::filesystem::remove(copy);
  CHECK(sha256_hex(array.bytes()) ==
        sha256_hex(read_checkpoint(folder / "nested_zip.tar").tensors.at(0).array.bytes()));
}
