// The reader against checkpoints of real sizes: weights of the goldens in all three formats.
#include "tests/support/golden_weights.h"

#include <cstring>

#include "lib/io/npz.h"
#include "lib/io/safetensors.h"
#include "lib/io/sha256.h"
#include "tests/catch.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/torch_writer.h"

using namespace grasppanda::io;
using namespace grasppanda::tests;

namespace {

// SHA-256 over key, NUL and bytes of every tensor in order.
std::string digest(const std::vector<NamedArray>& tensors) {
  std::string all;
  for (const NamedArray& tensor : tensors) {
    all += tensor.key + '\0';
    all.append(reinterpret_cast<const char*>(tensor.array.data.get()), tensor.array.byte_size());
  }
  return sha256_hex(std::as_bytes(std::span(all)));
}

void check_equal(const std::vector<NamedArray>& got, const std::vector<NamedArray>& wanted) {
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO(wanted[i].key);
    REQUIRE(got[i].key == wanted[i].key);
    REQUIRE(describe(got[i].array) == describe(wanted[i].array));
    REQUIRE(std::memcmp(got[i].array.data.get(), wanted[i].array.data.get(),
                        got[i].array.byte_size()) == 0);
  }
}

}  // namespace

TEST_CASE("golden weights are those of the script that the goldens were made with") {
  GP_NEED_DATA(folder, "goldens/graspnet_baseline");
  const auto weights = golden_weights(folder / "manifest.json", folder / "stats.npz");
  CHECK(weights.container == "model_state_dict");
  REQUIRE(weights.tensors.size() == 162);
  // Computed by tools/make_checkpoint.py of the goldens with NumPy 2.
  CHECK(digest(weights.tensors) ==
        "3665b660877237b75acbe61adc7c44211dbeab171c50d35b793a1825e92efd57");
}

TEST_CASE("golden weights with sparse kernels") {
  GP_NEED_DATA(folder, "goldens/gsnet");
  const auto weights = golden_weights(folder / "manifest.json", folder / "stats.npz");
  REQUIRE(weights.tensors.size() == 216);
  CHECK(digest(weights.tensors) ==
        "010ce26211a38aee0229d9a02bbc07d78d9f469c5225b3bedcbbd317c0391c5d");
}

TEST_CASE("weights come back bit by bit from every format") {
  GP_NEED_DATA(folder, "goldens/graspnet_baseline");
  const auto weights = golden_weights(folder / "manifest.json", folder / "stats.npz");
  const ScratchFolder scratch;

  const auto safetensors = scratch.path() / "weights.safetensors";
  write_safetensors(safetensors, weights.tensors, {{"format", "pt"}});
  const Checkpoint from_safetensors = read_checkpoint(safetensors);
  CHECK(from_safetensors.format == "safetensors");
  check_equal(from_safetensors.tensors, weights.tensors);

  for (const TorchFormat format : {TorchFormat::zip, TorchFormat::legacy}) {
    const auto file = scratch.file("weights.tar", torch_file(torch_content(weights), format));
    const Checkpoint read = read_checkpoint(file);
    CHECK(read.format == (format == TorchFormat::zip ? "zip" : "legacy"));
    CHECK(read.container == "model_state_dict");
    CHECK((*read.other)["epoch"] == 18);
    CHECK(read.placeholders.empty());
    check_equal(read.tensors, weights.tensors);
  }
}

TEST_CASE("half weights with module. prefix, saved on a GPU, optimizer beside them") {
  GP_NEED_DATA(folder, "goldens/graspnet_baseline");
  const auto weights = golden_weights(folder / "manifest.json", folder / "stats.npz");
  const auto half = halved(weights.tensors);
  REQUIRE(half[0].array.dtype == DType::float16);
  TorchContent content;
  content.extra = {{"epoch", 3}, {"optimizer", {{"param_groups", {{{"lr", 0.001}}}}}}};
  content.sets = {{"state_dict", prefixed(half, "module.")}, {"optimizer_state", weights.tensors}};
  content.location = "cuda:0";
  const ScratchFolder scratch;
  for (const TorchFormat format : {TorchFormat::zip, TorchFormat::legacy}) {
    Checkpoint read = read_checkpoint(scratch.file("half.pth", torch_file(content, format)));
    CHECK(read.container == "state_dict");
    CHECK(read.warnings.empty());  // other keys: not a second set
    CHECK(strip_module_prefix(read.tensors));
    check_equal(read.tensors, half);
    CHECK_FALSE(strip_module_prefix(read.tensors));
  }
  // Half as precise: 11 bits.
  const auto exact = to_float64(weights.tensors[0].array), rounded = to_float64(half[0].array);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    REQUIRE(std::abs(exact[i] - rounded[i]) <= std::max(std::abs(exact[i]) * 0x1p-11, 0x1p-25));
  }
}

TEST_CASE("a trained checkpoint of the field, tensor by tensor") {
  GP_NEED_DATA(file, "data/weights/contact_graspnet.safetensors");
  const Checkpoint read = read_checkpoint(file);
  CHECK(read.tensors.size() == 295);
  std::int64_t numbers = 0;
  for (const NamedArray& tensor : read.tensors) {
    numbers += tensor.array.numel();
    CHECK(count_not_finite(tensor.array) == 0);
  }
  CHECK(numbers > 2'000'000);
  // Written again and read again, nothing is lost.
  const ScratchFolder scratch;
  write_safetensors(scratch.path() / "again.safetensors", read.tensors);
  check_equal(read_checkpoint(scratch.path() / "again.safetensors").tensors, read.tensors);
  TorchContent content;
  content.sets = {{"", read.tensors}};
  for (const TorchFormat format : {TorchFormat::zip, TorchFormat::legacy}) {
    const auto pth = scratch.file("again.pth", torch_file(content, format));
    check_equal(read_checkpoint(pth).tensors, read.tensors);
  }
}

TEST_CASE("safetensors: a header whose length begins like a pickle") {
  const ScratchFolder scratch;
  for (const std::size_t length :
       {std::size_t{0x78}, std::size_t{0x80}, std::size_t{0x280}, std::size_t{0x9380}}) {
    INFO(length);
    std::string header = R"({"weight":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    header.resize(length, ' ');
    std::string bytes(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(length >> (8 * i));
    const Checkpoint read =
        read_checkpoint(scratch.file("w.safetensors", bytes + header + std::string(8, '\0')));
    CHECK(read.format == "safetensors");
    REQUIRE(read.tensors.size() == 1);
    CHECK(read.tensors[0].key == "weight");
  }
}
