#include "tests/catch.h"
#include "tests/cli/program.h"

namespace grasppanda::tests {

using Catch::Matchers::Contains;

#define GP_NEED_LIBRARY() \
  if (!library_is_built()) GP_SKIP("libgrasppanda.so is not built beside the program")

TEST_CASE("ops iou-error prints the seed's tables", "[cli][rotated]") {
  GP_NEED_LIBRARY();
  const Finished all = run_program({"ops", "iou-error", "--threads", "1"});
  CHECK(all.status == 0);
  CHECK(all.err == "");
  CHECK_THAT(all.out, Contains("1400 pairs, seed 0"));
  // pairs, mean, p90, share above 0.1, samples
  CHECK_THAT(all.out,
             Contains("ALL                  1400       0.006      0.017       0.1 %      727"));
  CHECK_THAT(all.out, Contains("vehicle               200       0.012      0.033       0.5 %"));
  CHECK_THAT(all.out, Contains("0.7-1"));

  const Finished sweep =
      run_program({"ops", "iou-error", "--sweep-spacing", "2", "3", "4", "--categories", "vehicle",
                   "--pairs", "600", "--threads", "1"});
  CHECK(sweep.status == 0);
  for (const char* line : {"2                     600       0.016      0.047       0.2 %      169",
                           "3                     600       0.024      0.074       3.3 %       81",
                           "4                     600       0.033      0.097      10.1 %       49"})
    CHECK_THAT(sweep.out, Contains(line));
}

TEST_CASE("ops iou-error refuses what it does not know", "[cli][rotated]") {
  GP_NEED_LIBRARY();
  const auto refused = [](const std::vector<std::string>& words, const std::string& part) {
    std::vector<std::string> arguments = {"ops", "iou-error"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Finished finished = run_program(arguments);
    CHECK(finished.status == 2);
    CHECK(finished.out == "");
    CHECK_THAT(finished.err, Contains(part));
  };
  refused({"--categories", "vehicles"}, "did you mean 'vehicle'");
  refused({"--sweep-spacing", "0"}, "--sweep-spacing wants pixels above 0, got '0'");
  refused({"--sweep-spacing", "2", "x"}, "'x' belongs to no option");
  refused({"3"}, "'3' belongs to no option");
  refused({"--pairs", "0"}, "wants a whole number of at least 1");
}

}  // namespace grasppanda::tests
