#include "tests/architecture/completeness.h"

#include "tests/catch.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda::tests;
namespace fs = std::filesystem;

namespace {

/// A folder of made-up files that goes with its owner.
struct MadeUpTree {
  ScratchFolder scratch;
  fs::path root = scratch.path();

  void write(const std::string& path, const std::string& text) const { scratch.file(path, text); }
};

}  // namespace

TEST_CASE("what stands in a list has its test, its page and its config") {
  int listed = 0;
  for (const std::string& sentence : missing_parts(GRASPPANDA_SOURCE_DIR, listed))
    FAIL_CHECK(sentence);
  CHECK(listed > 10);
}

TEST_CASE("links between the pages lead somewhere") {
  int links = 0;
  for (const std::string& link : broken_links(GRASPPANDA_SOURCE_DIR, links)) FAIL_CHECK(link);
  CHECK(links > 3);
}

TEST_CASE("the completeness check names what is missing") {
  MadeUpTree tree;
  tree.write("lib/ops/operator_list.cpp", "#include \"lib/ops/point/knn.h\"\n");
  tree.write("lib/ops/point/knn.h", "Tensor knn(Tensor query);\n");
  tree.write("lib/ops/point/ball_query.h", "Tensor ball_query(Tensor query);\n");
  tree.write("lib/ops/point/first_hits.h", "Tensor first_hits(Tensor query);\n");
  tree.write("models/gsnet/gsnet.cpp", "#include \"lib/ops/point/ball_query.h\"\n");
  tree.write("docs/ops/point.md", "# Point\n\n## ball_query\n\nlike knn\n");
  tree.write("models/model_list.cpp", "{{\n {\"gsnet\", gsnet::load},\n}}");
  tree.write("configs/gsnet_kinect.yaml", "model:\n  name: gsnet\n");
  tree.write("lib/run/writer_list.cpp", "{\"npy\", \"predictions\"}");
  tree.write("docs/outputs.md", "npy");
  tree.write("lib/eval/metric_list.cpp", "{\n{\"grasp_ap\", \"grasp\"},\n}");

  int listed = 0;
  const std::vector<std::string> expected = {
      "operator knn: no test in tests/ops/point includes it",
      "operator knn: no section in docs/ops/point.md",
      "lib/ops/point/ball_query.h: not in lib/ops/operator_list.cpp",
      "model gsnet: no docs/models/gsnet.md",
      "model gsnet: no test in tests/models/ against goldens",
      "output format npy: no row in docs/outputs.md",
      "metric grasp_ap: no lib/eval/grasp_ap.h",
      "metric grasp_ap: no case by hand in tests/eval/*_rules_test.cpp includes it",
      "metric grasp_ap: no test in tests/eval/*_golden_test.cpp includes it",
      "metric grasp_ap: no section in docs/evaluation.md",
  };
  CHECK(missing_parts(tree.root, listed) == expected);
  CHECK(listed == 4);

  tree.write("tests/ops/point/knn_test.cpp",
             "#include \"lib/ops/point/knn.h\"\n#include \"lib/ops/point/ball_query.h\"\n");
  tree.write("lib/ops/operator_list.cpp",
             "#include \"lib/ops/point/knn.h\"\n#include \"lib/ops/point/ball_query.h\"\n");
  tree.write("docs/ops/point.md", "## `knn`: the k nearest\n## ball_query\n");
  tree.write("docs/models/gsnet.md", "");
  tree.write("tests/models/gsnet_parity_test.cpp", "goldens/gsnet");
  tree.write("docs/outputs.md", "| `npy` |");
  tree.write("lib/eval/grasp_ap.h", "");
  tree.write("tests/eval/grasp_rules_test.cpp", "#include \"lib/eval/grasp_ap.h\"");
  tree.write("tests/eval/grasp_golden_test.cpp", "#include \"lib/eval/grasp_ap.h\"");
  tree.write("docs/evaluation.md", "## Grasps (`grasp_ap`)");
  CHECK(missing_parts(tree.root, listed).empty());
}

TEST_CASE("a link that leads nowhere is found") {
  MadeUpTree tree;
  tree.write("README.md", "[a](docs/a.md#part) [b](docs/b.md) [c](https://example.org/c)");
  tree.write("docs/a.md", "![picture](pictures/p.png)");
  int links = 0;
  const std::vector<std::string> expected = {"README.md: docs/b.md", "docs/a.md: pictures/p.png"};
  CHECK(broken_links(tree.root, links) == expected);
  CHECK(links == 3);
}
