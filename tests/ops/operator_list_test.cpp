#include "lib/ops/operator_list.h"

#include <set>

#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"
#include "tests/ops/refused.h"

namespace grasppanda::tests {
namespace {

TEST_CASE("every operator is described, in the same order, under names of its own") {
  const auto descriptions = ops::operator_descriptions();
  const auto operators = ops::operators();
  REQUIRE(descriptions.size() == operators.size());
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    INFO(operators[i].name);
    CHECK(descriptions[i].name == operators[i].name);
    CHECK(names.insert(descriptions[i].name).second);
    if (descriptions[i].short_name != descriptions[i].name)
      CHECK(names.insert(descriptions[i].short_name).second);
    CHECK_FALSE(descriptions[i].summary.empty());
    CHECK_FALSE(descriptions[i].outputs.empty());
    CHECK((descriptions[i].family == "point" || descriptions[i].family == "grasp" ||
           descriptions[i].family == "rotated"));
  }
  CHECK(ops::find_operator_description("fps") == &descriptions[0]);
  CHECK(ops::find_operator_description("furthest_point_sample") == &descriptions[0]);
  CHECK(ops::find_operator_description("") == nullptr);
  // The lists stand in the order of their choices, of which the last covers several.
  std::vector<std::string_view> choices;
  std::set<std::string_view> list_names;
  for (const ops::AnyKernelList* list : ops::selectable_kernel_lists()) {
    if (choices.empty() || choices.back() != list->key()) choices.push_back(list->key());
    CHECK(list_names.insert(list->name()).second);
  }
  const auto& selectable = ops::kSelectableOperators;
  CHECK(choices == std::vector<std::string_view>(selectable.begin(), selectable.end()));
}

TEST_CASE("parameters come as text or as tensors, with defaults") {
  const at::Tensor points = ops::seeded_cloud(ops::CloudKind::lattice, 1, 60, 3);
  const at::Tensor bytes = at::tensor(
      std::vector<uint8_t>{'p', 'o', 'i', 'n', 't', 'n', 'e', 't', '2', '_', 'c', 'u', 'd', 'a'},
      at::kByte);
  const auto run = [&](ops::OperatorCall::Values values) {
    values["points"] = points;
    return ops::run_operator("fps", std::move(values)).at("index");
  };
  const at::Tensor plain = run({{"num_samples", "12"}});
  CHECK(run({{"num_samples", at::scalar_tensor(12, at::kLong)}}).equal(plain));
  CHECK(run({{"num_samples", at::scalar_tensor(12.0, at::kDouble)}}).equal(plain));
  CHECK(run({{"num_samples", "12"}, {"tie_break", "lowest_index"}, {"ignored", points}})
            .equal(plain));
  const at::Tensor other = run({{"num_samples", "12"}, {"tie_break", "pointnet2_cuda"}});
  CHECK_FALSE(other.equal(plain));
  CHECK(run({{"num_samples", "12"}, {"tie_break", bytes}}).equal(other));
  const at::Tensor skipped = run({{"num_samples", "12"}, {"skip_near_origin", "true"}});
  CHECK(
      run({{"num_samples", "12"}, {"skip_near_origin", at::ones({1}, at::kBool)}}).equal(skipped));
}

TEST_CASE("missing and malformed arguments are named") {
  const at::Tensor points = at::zeros({1, 4, 3});
  const auto run = [&](ops::OperatorCall::Values values) {
    return [values] { ops::run_operator("furthest_point_sample", values); };
  };
  const std::string op = "furthest_point_sample";
  check_refused(op, "points is missing, wants an array (B, N, 3) float",
                run({{"num_samples", "2"}}));
  check_refused(op, "num_samples is missing", run({{"points", points}}));
  check_refused(op, "points is the text 'x'", run({{"points", "x"}, {"num_samples", "2"}}));
  for (const char* bad : {"two", "2.5", "", "2 ", "99999999999999999999"})
    check_refused(op, "num_samples is '" + std::string(bad) + "', wants an integer",
                  run({{"points", points}, {"num_samples", bad}}));
  check_refused(op, "num_samples is 2.5",
                run({{"points", points}, {"num_samples", at::scalar_tensor(2.5)}}));
  check_refused(op, "num_samples has shape (2,), wants a single value",
                run({{"points", points}, {"num_samples", at::zeros({2})}}));
  check_refused(op, "skip_near_origin is 'maybe'",
                run({{"points", points}, {"num_samples", "2"}, {"skip_near_origin", "maybe"}}));
  check_refused("ops", "operator is 'fsp'", [] { ops::run_operator("fsp", {}); });
}

TEST_CASE("numbers may be infinite; an unknown order of addition is refused") {
  const at::Tensor points = ops::seeded_cloud(ops::CloudKind::uniform, 1, 9, 3);
  const auto run = [&](const std::string& radius, const std::string& order) {
    return ops::run_operator("ball_query", {{"query", points},
                                            {"support", points},
                                            {"radius", radius},
                                            {"nsample", "9"},
                                            {"order", order}});
  };
  CHECK(run("inf", "device").at("count").eq(9).all().item<bool>());
  CHECK(run("1e300", "cuda").at("count").eq(9).all().item<bool>());
  check_refused("ball_query", "radius is 'wide', wants a number", [&] { run("wide", "cpu"); });
  check_refused("ball_query", "order is 'gpu'", [&] { run("1", "gpu"); });
}

TEST_CASE("outputs bear the names of the description") {
  const at::Tensor points = ops::seeded_cloud(ops::CloudKind::uniform, 1, 9, 3);
  for (const auto& [name, outputs] :
       {std::pair{"knn",
                  ops::run_operator("knn", {{"query", points}, {"support", points}, {"k", "3"}})},
        {"voxelize", ops::run_operator("voxelize", {{"points", points}, {"voxel_size", "0.1"}})},
        {"grasp_views", ops::run_operator("grasp_views", {{"approach", points[0]}})}}) {
    INFO(name);
    const ops::OperatorDescription* description = ops::find_operator_description(name);
    CHECK(outputs.size() == description->outputs.size());
    for (const auto& output : description->outputs)
      CHECK(outputs.find(output.name) != outputs.end());
  }
}

}  // namespace
}  // namespace grasppanda::tests
