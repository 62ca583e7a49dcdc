#include "lib/ops/point/serialization_code.h"

#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"
#include "tests/ops/refused.h"

namespace grasppanda::tests {
namespace {

using ops::SerializationOrder;

at::Tensor whole_grid(int64_t depth) {
  const at::Tensor axis = at::arange(int64_t{1} << depth);
  return at::stack(at::meshgrid({axis, axis, axis}, "ij"), 3).view({-1, 3});
}

TEST_CASE("serialization_code: hand-computed bits of the z curve") {
  const at::Tensor coords =
      at::tensor({1, 0, 0, 0, 1, 0, 0, 0, 1, 3, 0, 1}, at::kLong).view({4, 3});
  const at::Tensor code = ops::serialization_code(coords, {}, 2, SerializationOrder::z);
  CHECK(code.equal(at::tensor({4, 2, 1, 4 + 32 + 1}, at::kLong)));
  const at::Tensor trans = ops::serialization_code(coords, {}, 2, SerializationOrder::z_trans);
  CHECK(trans.equal(at::tensor({2, 4, 1, 2 + 16 + 1}, at::kLong)));
  const at::Tensor batch = at::tensor({0, 1, 2, 3}, at::kLong);
  CHECK(ops::serialization_code(coords, batch, 2, SerializationOrder::z).equal(code + batch * 64));
}

TEST_CASE("serialization_code: neighbours on the Hilbert curve are neighbours in space") {
  for (const int64_t depth : {1, 2, 3, 4})
    for (const auto order : {SerializationOrder::hilbert, SerializationOrder::hilbert_trans}) {
      const at::Tensor coords = whole_grid(depth);
      const at::Tensor code = ops::serialization_code(coords, {}, depth, order);
      const auto [sorted, place] = code.sort();
      CHECK(sorted.equal(at::arange(code.numel())));
      const at::Tensor walk = coords.index_select(0, place);
      CHECK(walk.diff(1, 0).abs().sum(1).eq(1).all().item<bool>());
    }
}

TEST_CASE("serialization_decode undoes every order") {
  ops::SeededNumbers numbers(9);
  for (const int64_t depth : {1, 5, 16})
    for (const auto order : {SerializationOrder::z, SerializationOrder::z_trans,
                             SerializationOrder::hilbert, SerializationOrder::hilbert_trans}) {
      at::Tensor coords = at::empty({200, 3}, at::kLong), batch = at::empty({200}, at::kLong);
      for (int64_t i = 0; i < 600; ++i)
        coords.data_ptr<int64_t>()[i] = numbers.below(int64_t{1} << depth);
      for (int64_t i = 0; i < 200; ++i) batch.data_ptr<int64_t>()[i] = numbers.below(1000);
      const at::Tensor code = ops::serialization_code(coords.to(at::kInt), batch, depth, order);
      const ops::SerializedVoxels voxels = ops::serialization_decode(code, depth, order);
      CHECK(voxels.coords.equal(coords));
      CHECK(voxels.batch.equal(batch));
    }
}

TEST_CASE("serialization_code: refused arguments") {
  const at::Tensor coords = at::zeros({2, 3}, at::kLong);
  const auto z = SerializationOrder::z;
  CHECK(ops::serialization_code(at::zeros({0, 3}, at::kLong), {}, 4, z).numel() == 0);
  for (const int64_t depth : {0, 17, -1})
    check_refused("serialization_code", "depth is",
                  [&] { ops::serialization_code(coords, {}, depth, z); });
  check_refused("serialization_code", "coords holds 4, wants 0 to 3",
                [&] { ops::serialization_code(coords.add(4), {}, 2, z); });
  check_refused("serialization_code", "coords holds -1",
                [&] { ops::serialization_code(coords.sub(1), {}, 2, z); });
  check_refused("serialization_code", "coords is Float",
                [&] { ops::serialization_code(coords.to(at::kFloat), {}, 2, z); });
  check_refused("serialization_code", "batch has shape (1,)",
                [&] { ops::serialization_code(coords, at::zeros({1}, at::kLong), 2, z); });
  check_refused("serialization_code", "batch holds 32768",
                [&] { ops::serialization_code(coords, at::full({2}, 32768, at::kLong), 16, z); });
  check_refused("serialization_code", "order is 'peano'",
                [] { ops::parse_serialization_order("peano"); });
}

}  // namespace
}  // namespace grasppanda::tests
