#include "lib/ops/backend.h"

#include <string>
#include <thread>
#include <vector>

#include "lib/ops/errors.h"
#include "lib/ops/operator_list.h"
#include "lib/ops/point/knn.h"
#include "lib/ops/point/three_interpolate.h"
#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

using ops::Backend;
using ops::BackendChoice;

std::string refusal(const std::string& text) {
  try {
    ops::apply_backend_text({}, text);
  } catch (const ops::ArgumentError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("GRASPPANDA_OPS: one backend for all, or a list over the configuration") {
  BackendChoice configured;
  configured.fps = Backend::reference;
  CHECK(ops::apply_backend_text(configured, "") == configured);
  CHECK(ops::apply_backend_text(configured, "compiled") == ops::all_backends(Backend::compiled));
  CHECK(ops::apply_backend_text(configured, "auto") == BackendChoice{});

  BackendChoice want = configured;
  want.knn = Backend::compiled;
  CHECK(ops::apply_backend_text(configured, "knn=compiled") == want);
  want.fps = Backend::automatic;
  want.ball_query = Backend::reference;
  CHECK(ops::apply_backend_text(configured, "knn=compiled,fps=auto,ball_query=reference") == want);
}

TEST_CASE("GRASPPANDA_OPS: a malformed text names the part that is wrong") {
  const auto names = [](const std::string& text, const std::string& part) {
    INFO(text << " -> " << refusal(text));
    CHECK(refusal(text).find(part) != std::string::npos);
    CHECK(refusal(text).find("GRASPPANDA_OPS='" + text + "'") == 0);
  };
  names("fast", "'fast' is not one of auto, reference, compiled");
  names("fps=fast", "'fast' is not one of");
  names("voxelize=reference",
        "'voxelize' is not one of fps, ball_query, cylinder_query, knn, sparse_convolution");
  names("furthest_point_sample=reference", "'furthest_point_sample' is not one of fps");
  names("fps=reference,", "'' is not OPERATOR=BACKEND");
  names("fps=reference,knn", "'knn' is not OPERATOR=BACKEND");
  names(",", "'' is not OPERATOR=BACKEND");
  names("fps=", "'' is not one of auto");
  names("fps=auto,fps=reference", "'fps' is named twice");
  names("fps = reference", "'fps ' is not one of");
}

TEST_CASE("backend names read back") {
  for (const Backend backend : {Backend::automatic, Backend::reference, Backend::compiled})
    CHECK(ops::parse_backend(ops::backend_name(backend)) == backend);
  CHECK_FALSE(ops::parse_backend("automatic").has_value());
  BackendChoice choice;
  for (const std::string_view key : ops::kSelectableOperators) choice[key] = Backend::reference;
  CHECK(choice == ops::all_backends(Backend::reference));
  CHECK_THROWS_AS(choice["voxelize"], std::out_of_range);
}

TEST_CASE("a scoped override belongs to its thread and ends with its scope") {
  const BackendChoice before = ops::current_backends();
  {
    const ops::ScopedBackends outer(ops::all_backends(Backend::reference));
    CHECK(ops::current_backends() == ops::all_backends(Backend::reference));
    {
      const ops::ScopedBackends inner(ops::all_backends(Backend::compiled));
      CHECK(ops::current_backends() == ops::all_backends(Backend::compiled));
    }
    CHECK(ops::current_backends() == ops::all_backends(Backend::reference));
    BackendChoice seen;
    std::thread([&] { seen = ops::current_backends(); }).join();
    CHECK(seen == before);
  }
  CHECK(ops::current_backends() == before);
}

TEST_CASE("the choice of the process is whole for every thread that reads it") {
  const BackendChoice before = ops::current_backends();
  const BackendChoice references = ops::all_backends(Backend::reference), automatic;
  std::atomic<bool> stop{false};
  std::atomic<int> torn{0}, read{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i)
    readers.emplace_back([&] {
      while (!stop) {
        const BackendChoice seen = ops::current_backends();
        torn += !(seen == references) && !(seen == automatic);
        ++read;
      }
    });
  ops::select_backends(automatic, "cpu");
  for (int i = 0; i < 500; ++i) {
    ops::select_backends(references, "cpu");
    ops::select_backends(automatic, "cpu");
  }
  while (read < 100) std::this_thread::yield();
  stop = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(torn == 0);
  ops::select_backends(before, "cpu");
}

TEST_CASE("the report names every operator with a choice and what it settled on") {
  const ops::ScopedBackends scope(ops::apply_backend_text({}, "knn=reference"));
  const ops::BackendReport report = ops::backend_report();
  const auto lists = ops::selectable_kernel_lists();
  REQUIRE(report.operators.size() == lists.size());
  for (std::size_t i = 0; i < report.operators.size(); ++i) {
    const ops::OperatorReport& entry = report.operators[i];
    CHECK(entry.key == lists[i]->name());
    CHECK(entry.requested == (entry.key == "knn" ? "reference" : "auto"));
    REQUIRE(entry.settled.count("cpu") == 1);
    CHECK((entry.settled.at("cpu") == "compiled" || entry.note.count("cpu") == 1));
  }
  const auto knn = std::find_if(report.operators.begin(), report.operators.end(),
                                [](const auto& entry) { return entry.key == "knn"; });
  REQUIRE(knn != report.operators.end());
  CHECK(knn->settled.at("cpu") == "reference");
  CHECK(knn->note.at("cpu") == "reference was selected");
  CHECK_FALSE(report.library.path.empty());
  CHECK_FALSE(report.library.detail.empty());
}

TEST_CASE("operators with one implementation ignore the choice") {
  for (const Backend backend : {Backend::reference, Backend::compiled, Backend::automatic}) {
    const ops::ScopedBackends scope(ops::all_backends(backend));
    CHECK(ops::three_interpolate(at::ones({1, 2, 3}), at::zeros({1, 4, 3}, at::kLong),
                                 at::ones({1, 4, 3}))
              .eq(3)
              .all()
              .item<bool>());
  }
}

}  // namespace
}  // namespace grasppanda::tests
