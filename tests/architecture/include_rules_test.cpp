#include "tests/architecture/include_rules.h"

#include <map>
#include <set>

#include "tests/catch.h"

using namespace grasppanda::tests;

namespace {

std::vector<std::string> violations(const SourceFile& file) {
  std::vector<std::string> found;
  for (const Include& include : includes_of(file)) {
    if (const auto why = why_forbidden(file.path, include))
      found.push_back(file.path + ":" + std::to_string(include.line) + ": " + include.target +
                      ": " + *why);
  }
  return found;
}

/// Chains of our own includes from `path` to a header of LibTorch, if there is one.
std::string path_to_libtorch(const std::string& path, const std::map<std::string, SourceFile>& tree,
                             std::set<std::string>& seen) {
  if (!seen.insert(path).second || !tree.contains(path)) return {};
  for (const Include& include : includes_of(tree.at(path))) {
    if (include.angled) {
      if (include.target.starts_with("ATen/") || include.target.starts_with("c10/") ||
          include.target.starts_with("torch/"))
        return path + " -> " + include.target;
    } else if (auto rest = path_to_libtorch(include.target, tree, seen); !rest.empty()) {
      return path + " -> " + rest;
    }
  }
  return {};
}

std::map<std::string, SourceFile> source_tree_by_path() {
  std::map<std::string, SourceFile> tree;
  for (SourceFile& file : read_source_tree(GRASPPANDA_SOURCE_DIR)) tree.emplace(file.path, file);
  return tree;
}

}  // namespace

TEST_CASE("no #include line of the tree is forbidden") {
  const auto tree = source_tree_by_path();
  REQUIRE(tree.contains("lib/ops/backend.h"));  // it is our tree, and it was read
  std::size_t lines = 0;
  for (const auto& [path, file] : tree) {
    lines += includes_of(file).size();
    for (const std::string& violation : violations(file)) FAIL_CHECK(violation);
  }
  CHECK(lines > 100);
}

TEST_CASE("every include of our own names a file of the tree") {
  const auto tree = source_tree_by_path();
  for (const auto& [path, file] : tree)
    for (const Include& include : includes_of(file))
      if (!include.angled && !tree.contains(include.target))
        FAIL_CHECK(path << ":" << include.line << ": there is no " << include.target);
}

TEST_CASE("the program proper reaches no LibTorch header") {
  const auto tree = source_tree_by_path();
  std::size_t files = 0;
  for (const auto& [path, file] : tree) {
    if (!path.starts_with("app/") || path.starts_with("app/commands/")) continue;
    ++files;
    std::set<std::string> seen;
    const std::string chain = path_to_libtorch(path, tree, seen);
    if (!chain.empty()) FAIL_CHECK(chain);
  }
  CHECK(files > 5);
}

TEST_CASE("the checker catches every kind of forbidden line") {
  struct Case {
    const char* file;
    const char* line;
    bool forbidden;
  };
  const Case cases[] = {
      {"lib/io/npy.cpp", "#include \"lib/io/array.h\"", false},
      {"lib/io/npy.cpp", "#include <vector>", false},
      {"lib/io/npy.cpp", "#include \"lib/geometry/camera.h\"", true},
      {"lib/io/npy.cpp", "  #  include   \"app/log.h\"", true},
      {"lib/io/npy.cpp", "// #include \"app/log.h\"", false},
      {"lib/io/npy.cpp", "/* #include \"app/log.h\" */", false},
      {"lib/io/npy.cpp", "#include <ATen/core/Tensor.h>", true},
      {"lib/io/npy.cpp", "#include \"array.h\"", true},
      {"lib/io/npy.cpp", "#include <lib/io/array.h>", true},
      {"lib/ops/point/knn.cpp", "#include <ATen/ATen.h>", false},
      {"lib/ops/point/knn.cpp", "#include \"lib/io/npy.h\"", true},
      {"lib/ops/point/knn.cpp", "#include \"lib/geometry/grasp.h\"", true},
      {"lib/ops/point/knn.cpp", "#include <torch/torch.h>", true},
      {"lib/ops/point/knn.h", "#include <ATen/ATen.h>", true},
      {"lib/ops/point/knn.h", "#include <ATen/core/Tensor.h>", false},
      {"lib/ops/point/knn_cpu.cpp", "#include <cuda_runtime.h>", true},
      {"lib/ops/point/knn_cpu.cpp", "#include <c10/cuda/CUDAStream.h>", true},
      {"lib/ops/point/knn_cuda.cu", "#include <cuda_runtime.h>", false},
      {"lib/ops/point/knn_cuda.cu", "#include <c10/cuda/CUDAStream.h>", false},
      {"lib/config/load.cpp", "#include <yaml-cpp/yaml.h>", false},
      {"app/parser.cpp", "#include <yaml-cpp/yaml.h>", true},
      {"app/parser.cpp", "#include <CLI/App.hpp>", false},
      {"app/parser.cpp", "#include \"models/model.h\"", false},
      {"lib/run/log.cpp", "#include <spdlog/spdlog.h>", true},
      {"lib/run/log.cpp", "#include <CLI/App.hpp>", true},
      {"lib/run/summary.cpp", "#include <nlohmann/json.hpp>", false},
      {"lib/run/summary.cpp", "#include \"lib/ops/backend.h\"", false},
      {"lib/run/summary.cpp", "#include \"lib/ops/point/knn.h\"", true},
      {"lib/run/summary.cpp", "#include \"models/model.h\"", true},
      {"lib/geometry/grasp.h", "#include <nlohmann/json.hpp>", true},
      {"lib/render/canvas.cpp", "#include <png.h>", true},
      {"models/gsnet/decode.cpp", "#include \"models/gsnet/decode.h\"", false},
      {"models/gsnet/decode.cpp", "#include \"models/model.h\"", false},
      {"models/gsnet/decode.cpp", "#include \"models/backbones/pointnet2.h\"", false},
      {"models/gsnet/decode.cpp", "#include \"models/contact_graspnet/decode.h\"", true},
      {"models/gsnet/decode.cpp", "#include \"lib/io/checkpoint.h\"", false},
      {"models/gsnet/decode.cpp", "#include \"lib/io/png.h\"", true},
      {"models/gsnet/decode.cpp", "#include \"lib/datasets/inputs.h\"", true},
      {"models/gsnet/decode.cpp", "#include \"lib/run/summary.h\"", true},
      {"models/mmrotate/oriented_rcnn/decode.cpp", "#include \"models/mmrotate/anchors.h\"", false},
      {"models/mmrotate/oriented_rcnn/decode.cpp",
       "#include \"models/mmrotate/rotated_fcos/decode.h\"", true},
      {"models/backbones/fpn.cpp", "#include \"models/gsnet/network.h\"", true},
      {"models/model_list.cpp", "#include \"models/gsnet/gsnet.h\"", false},
      {"tests/io/npy_test.cpp", "#include <catch2/catch.hpp>", true},
      {"tests/catch.h", "#include <catch2/catch.hpp>", false},
      {"tools/viewer.cpp", "#include \"lib/io/npy.h\"", true},
  };
  for (const Case& c : cases) {
    INFO(c.file << ": " << c.line);
    const auto found = violations(parse_source(c.file, std::string("// a file\n\n") + c.line));
    CHECK(found.size() == (c.forbidden ? 1U : 0U));
    if (c.forbidden && !found.empty())
      CHECK(found[0].starts_with(std::string(c.file) + ":3: "));  // file and line are named
  }
}

TEST_CASE("comments and literals are told from code") {
  const SourceFile file = parse_source("lib/io/a.cpp",
                                       "int a = 1'000; // getenv\n"
                                       "/* getenv\n getenv */ char q = '\"'; call(\"// getenv\");\n"
                                       "auto r = R\"x(getenv \" )y\" getenv)x\"; real();\n");
  REQUIRE(file.code_lines.size() == 5);
  CHECK(file.code_lines[0] == "int a = 1'000; ");
  CHECK(file.code_lines[1].empty());
  CHECK(file.code_lines[2] == " char q = ''; call(\"\");");
  CHECK(file.lines[2] == " char q = '\"'; call(\"// getenv\");");
  CHECK(file.code_lines[3] == "auto r = R\"\"; real();");
}

TEST_CASE("a LibTorch header behind another header is found") {
  std::map<std::string, SourceFile> tree;
  tree.emplace("app/a.cpp", parse_source("app/a.cpp", "#include \"models/b.h\"\n"));
  tree.emplace("models/b.h", parse_source("models/b.h", "#include <ATen/core/Tensor.h>\n"));
  std::set<std::string> seen;
  CHECK(path_to_libtorch("app/a.cpp", tree, seen) ==
        "app/a.cpp -> models/b.h -> ATen/core/Tensor.h");
}
