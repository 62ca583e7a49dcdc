// Containers, tensors and headers made to do harm, and every trouble file cut and damaged.
#include <nlohmann/json.hpp>
#include <string>

#include "lib/io/checkpoint.h"
#include "lib/io/format_error.h"
#include "lib/io/safetensors.h"
#include "lib/io/sha256.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/shared_bytes.h"
#include "tests/support/torch_writer.h"

using namespace grasppanda::io;
using namespace grasppanda::tests;
using Catch::Matchers::Contains;

namespace {

std::string refusal(const std::string& bytes) {
  try {
    read_checkpoint(shared_bytes(bytes), "x.pth");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

using Integers = std::vector<std::int64_t>;

// A state dict {"w": tensor} with the given numbers, of float32 unless told otherwise.
std::string one_tensor(std::int64_t numel, std::int64_t offset, const Integers& shape,
                       const Integers& strides, const std::string& type = "FloatStorage") {
  PickleWriter writer;
  writer.raw("}").text("w").global("torch._utils", "_rebuild_tensor_v2").raw("((").text("storage");
  writer.global("torch", type).text("0").text("cpu").integer(numel).raw("tQ").integer(offset);
  writer.integers(shape).integers(strides).boolean(false).empty_ordered_dict().raw("tRs");
  return writer.stop();
}
std::string file_of(const std::string& pickle, std::size_t bytes) {
  std::string storage;
  for (std::size_t i = 0; i < bytes; ++i) storage += static_cast<char>(i % 4 == 3 ? 0x3f : i);
  return torch_zip(pickle, {{"0", storage}});
}

std::string safetensors(const std::string& header, const std::string& data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return bytes + header + data;
}

}  // namespace

TEST_CASE("tensors that reach beyond their storage are refused, whatever the numbers") {
  const std::int64_t huge = std::int64_t{1} << 62;
  CHECK(refusal(file_of(one_tensor(6, 0, {2, 3}, {3, 1}), 24)) == "accepted");
  CHECK(refusal(file_of(one_tensor(6, 2, {2, 2}, {2, 1}), 24)) == "accepted");
  CHECK(refusal(file_of(one_tensor(0, 0, {0, 3}, {3, 1}), 0)) == "accepted");
  for (const auto& [offset, shape, strides] :
       std::initializer_list<std::tuple<std::int64_t, Integers, Integers>>{
           {1, {2, 3}, {3, 1}},
           {0, {2, 4}, {4, 1}},
           {-1, {2}, {1}},
           {huge, {2}, {1}},
           {0, {2}, {6}},
           {0, {2}, {-1}},
           {0, {huge, 8}, {1, 1}},
           {0, {-2}, {1}},
           {0, {2, 2}, {huge, huge}},
           {6, {1}, {1}}}) {
    CHECK_THAT(refusal(file_of(one_tensor(6, offset, shape, strides), 24)),
               Contains("reaches beyond its storage"));
  }
  CHECK_THAT(refusal(file_of(one_tensor(6, 0, {2, 3}, {3}), 24)), Contains("fewer strides"));
  // The pickle promises more than the archive holds.
  CHECK_THAT(refusal(file_of(one_tensor(6, 0, {2, 3}, {3, 1}), 23)), Contains("23 bytes"));
  CHECK_THAT(refusal(torch_zip(one_tensor(6, 0, {6}, {1}))), Contains("0 bytes"));
  CHECK_THAT(refusal(file_of(one_tensor(huge, 0, {1}, {1}), 24)), Contains("damaged"));
  CHECK_THAT(refusal(file_of(one_tensor(-1, 0, {1}, {1}), 24)), Contains("without key or size"));
}

TEST_CASE("views with zero strides cannot ask for absurd memory") {
  CHECK_THAT(refusal(file_of(one_tensor(1, 0, {std::int64_t{1} << 40}, {0}), 4)),
             Contains("out of proportion"));
  CHECK(refusal(file_of(one_tensor(1, 0, {1000, 1000}, {0, 0}), 4)) == "accepted");
}

TEST_CASE("types that are not read are named") {
  CHECK_THAT(refusal(file_of(one_tensor(2, 0, {2}, {1}, "ComplexFloatStorage"), 16)),
             Contains("'w'") && Contains("ComplexFloatStorage"));
  CHECK_THAT(refusal(file_of(one_tensor(2, 0, {2}, {1}, "QUInt4x2Storage"), 16)),
             Contains("QUInt4x2Storage"));
  CHECK(refusal(file_of(one_tensor(2, 0, {2}, {1}, "BFloat16Storage"), 4)) == "accepted");
}

TEST_CASE("untyped storages of newer files: the tensor names its type") {
  PickleWriter writer;
  writer.raw("}").text("w").global("torch._utils", "_rebuild_tensor_v3").raw("((").text("storage");
  writer.global("torch.storage", "UntypedStorage").text("0").text("cpu").integer(8).raw("tQ");
  writer.integer(1).integers({3}).integers({1}).boolean(false).empty_ordered_dict();
  writer.global("torch", "uint16").raw("tRs");
  const ScratchFolder scratch;
  const auto file =
      scratch.file("x.pth", torch_zip(writer.stop(), {{"0", std::string("\1\0\2\0\3\0\4\0", 8)}}));
  const Array array = read_checkpoint(file).tensors.at(0).array;
  CHECK(describe(array) == "uint16 (3,)");
  CHECK(to_int64(array) == std::vector<std::int64_t>{2, 3, 4});
}

TEST_CASE("what is no dict of tensors says what it is") {
  CHECK_THAT(refusal(torch_zip(PickleWriter().raw("]").stop())), Contains("a list of 0 entries"));
  CHECK_THAT(refusal(torch_zip(PickleWriter().raw("}").stop())), Contains("it is empty"));
  CHECK_THAT(refusal(torch_zip(PickleWriter().raw("}").text("epoch").integer(3).raw("s").stop())),
             Contains("'epoch' (the number 3)"));
  CHECK_THAT(refusal(torch_zip(PickleWriter().global("a.b", "Runner").raw(")\x81").stop())),
             Contains("a pickled object of class a.b.Runner"));
  // A whole module under a usual name.
  PickleWriter module;
  module.raw("}").text("model").global("a.b", "Net").raw(")\x81}(").text("_parameters").raw("}");
  CHECK_THAT(refusal(torch_zip(module.text("_modules").raw("}ubs").stop())),
             Contains("pickled module of class a.b.Net"));
  CHECK_THAT(refusal(PickleWriter().integer(7).stop()), Contains("no PyTorch checkpoint"));
  CHECK_THAT(refusal("just some text"), Contains("no checkpoint") && Contains("just some text"));
  CHECK_THAT(refusal(std::string("PK\x05\x06") + std::string(18, '\0')), Contains("no data.pkl"));
  CHECK_THAT(refusal(std::string("\x93NUMPY\1\0", 8)), Contains("a NumPy array"));
}

TEST_CASE("weights are chosen in order, second sets are told") {
  const auto set = [](float value, const std::string& prefix = "") {
    return std::vector<NamedArray>{
        {prefix + "a", make_array<float>({1}, std::vector<float>{value})},
        {prefix + "b", make_array<float>({1}, std::vector<float>{value})}};
  };
  const ScratchFolder scratch;
  const auto read = [&](const std::vector<std::pair<std::string, std::vector<NamedArray>>>& sets) {
    TorchContent content;
    content.sets = sets;
    return read_checkpoint(scratch.file("x.pth", torch_file(content, TorchFormat::zip)));
  };
  Checkpoint checkpoint = read({{"ema", set(4)}, {"model", set(3)}, {"state_dict", set(2)}});
  CHECK(checkpoint.container == "state_dict");
  CHECK(checkpoint.tensors[0].array.as<float>()[0] == 2);
  REQUIRE(checkpoint.warnings.size() == 2);
  CHECK_THAT(checkpoint.warnings[0], Contains("second set of weights in 'ema'"));
  CHECK_THAT(checkpoint.warnings[1], Contains("second set of weights in 'model'"));
  checkpoint = read({{"model", set(3)}, {"ema_state_dict", set(9)}});
  CHECK(checkpoint.container == "model");
  CHECK_THAT(checkpoint.warnings.at(0), Contains("'ema_state_dict'"));
  checkpoint = read({{"ema", set(4)}, {"statistics", set(1, "other.")}});
  CHECK(checkpoint.container == "ema");
  CHECK(checkpoint.warnings.empty());
  checkpoint = read({{"", set(5)}});
  CHECK(checkpoint.container.empty());
  CHECK(checkpoint.tensors.size() == 2);
  // A key twice would leave open which tensor is meant.
  CHECK_THROWS_WITH(read({{"", set(5)}, {"", set(6)}}), Contains("two tensors have the key 'a'"));
}

TEST_CASE("legacy files: sizes must agree, views are parts of their storage") {
  TorchContent content;
  content.sets = {{"", {{"w", make_array<float>({3}, std::vector<float>{1, 2, 3})}}}};
  std::string file = torch_file(content, TorchFormat::legacy);
  CHECK(refusal(file) == "accepted");
  CHECK_THAT(refusal(file.substr(0, file.size() - 1)), Contains("cut off: storage '0' (1 of 1)"));
  std::string more = file;
  more[more.size() - 20] = 4;  // the storage's number of items
  CHECK_THAT(refusal(more), Contains("should have 3 items, not 4"));

  // As the first versions wrote shared storages: (root key, ..., view: (key, first item, items)).
  const std::size_t start = torch_file({}, TorchFormat::legacy).find("}.");
  REQUIRE(start != std::string::npos);
  PickleWriter writer;
  writer.raw("}").text("w").global("torch._utils", "_rebuild_tensor").raw("((").text("storage");
  writer.global("torch.cuda", "FloatStorage").text("0").text("cuda:0").integer(3).raw("(");
  writer.text("1").integer(1).integer(2).raw("ttQ").integer(1).integers({1}).integers({1}).raw(
      "tRs");
  const std::size_t old = file.find("\x80\x02}X", 20), end = file.find("\x80\x02](", old);
  REQUIRE(end != std::string::npos);
  file.replace(old, end - old, writer.stop());
  const ScratchFolder scratch;
  CHECK(read_checkpoint(scratch.file("x.pth", file)).tensors.at(0).array.as<float>()[0] == 3);
}

TEST_CASE("safetensors: the header must describe the file exactly") {
  const std::string four(4, 'x'), eight(8, 'x');
  const auto entry = [](const std::string& key, const std::string& dtype, const std::string& shape,
                        int first, int end) {
    return std::string("\"") + key + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
           ",\"data_offsets\":[" + std::to_string(first) + "," + std::to_string(end) + "]}";
  };
  const auto file = [&](const std::string& entries, const std::string& data) {
    return refusal(safetensors(std::string("{") + entries + "}", data));
  };
  CHECK(file(entry("a", "F32", "[1]", 0, 4), four) == "accepted");
  CHECK(file(entry("a", "F32", "[]", 4, 8) + "," + entry("b", "U8", "[2,2]", 0, 4), eight) ==
        "accepted");
  CHECK(refusal(safetensors(std::string("{") + entry("a", "BF16", "[2]", 0, 4) + "}   ", four)) ==
        "accepted");
  CHECK(file("\"__metadata__\":{\"k\":\"v\"}," + entry("a", "F16", "[0,5]", 0, 0), "") ==
        "accepted");
  CHECK_THAT(file("\"__metadata__\":{\"k\":\"v\"}", ""), Contains("holds no tensors"));
  CHECK_THAT(file(entry("a", "F32", "[1]", 0, 8), eight), Contains("float32 (1,) but has 8 bytes"));
  CHECK_THAT(file(entry("a", "F32", "[3]", 0, 12), eight), Contains("cut off"));
  CHECK_THAT(file(entry("a", "F32", "[1]", 4, 8), eight), Contains("gap"));
  CHECK_THAT(file(entry("a", "F32", "[1]", 0, 4), eight), Contains("belong to none"));
  CHECK_THAT(file(entry("a", "F32", "[1]", 0, 4) + "," + entry("b", "U8", "[2]", 2, 4), four),
             Contains("lie over others"));
  CHECK_THAT(file(entry("a", "F32", "[1]", 0, 4) + "," + entry("a", "F32", "[1]", 4, 8), eight),
             Contains("twice"));
  CHECK_THAT(file(entry("a", "F32", "[-1]", 0, 4), four), Contains("not what it must be"));
  CHECK_THAT(file(entry("a", "F32", "[4611686018427387904,4]", 0, 4), four), Contains("damaged"));
  CHECK_THAT(file(entry("a", "F32", "[99999999999999999999]", 0, 4), four), Contains("damaged"));
  CHECK_THAT(file(entry("a", "F8_E4M3", "[4]", 0, 4), four), Contains("F8_E4M3"));
  CHECK_THAT(file("\"a\":{\"dtype\":\"F32\",\"shape\":[1]}", four),
             Contains("not what it must be"));
  CHECK_THAT(file("\"a\":7", four), Contains("not what it must be"));
  CHECK_THAT(file("\"a\":{\"x\":{}}", four), Contains("not what it must be"));
  CHECK_THAT(refusal(safetensors("{\"a\":", four)), Contains("no JSON text"));
  CHECK_THAT(refusal(safetensors("{}garbage", four)), Contains("no JSON text"));
  CHECK_THAT(refusal(safetensors(std::string(100, '{'), four)), Contains("damaged"));
  std::string cut = safetensors(std::string("{") + entry("a", "F32", "[1]", 0, 4) + "}", "");
  CHECK_THAT(refusal(cut.substr(0, 20)), Contains("cut off inside its safetensors header"));
  const ScratchFolder scratch;
  const std::vector<NamedArray> twice(2, {"a", make_array<float>({1}, std::vector<float>{1})});
  CHECK_THROWS_AS(write_safetensors(scratch.path() / "x", twice), std::invalid_argument);
  CHECK_FALSE(std::filesystem::exists(scratch.path() / "x"));
}

TEST_CASE("safetensors: what a converted file keeps beside the weights cannot be too deep") {
  const ScratchFolder scratch;
  const std::vector<NamedArray> tensors{{"a", make_array<float>({1}, std::vector<float>{1})}};
  const auto read = [&](const std::string& kept) {
    write_safetensors(scratch.path() / "x", tensors, {{kOtherEntries, kept}, {"format", "pt"}});
    return *read_checkpoint(scratch.path() / "x").other;
  };
  CHECK(read(R"({"meta":{"CLASSES":["plane"]}})")["meta"]["CLASSES"][0] == "plane");
  CHECK(read("no JSON") == nlohmann::json{{"__metadata__", {{"format", "pt"}}}});
  CHECK(read(std::string(1'000'000, '[')).size() == 1);
  CHECK(read("{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}").size() == 1);
}

TEST_CASE("troubles: every file cut and damaged is refused or read, never a crash") {
  GP_NEED_DATA(folder, "data/troubles/checkpoints");
  int tried = 0, refused = 0;
  const auto attempt = [&](const std::string& bytes) {
    ++tried;
    try {
      for (const NamedArray& tensor : read_checkpoint(shared_bytes(bytes), "x").tensors) {
        sha256_hex(tensor.array.bytes());
      }
    } catch (const FormatError&) {
      ++refused;
      return true;
    }
    return false;
  };
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".json") continue;
    INFO(file.path().filename());
    const std::string whole = read_bytes(file.path());
    for (const std::size_t length : cut_lengths(whole.size(), 100)) {
      CHECK(attempt(whole.substr(0, length)));
    }
    for (std::uint32_t seed = 0; seed < 150; ++seed) attempt(with_wrong_bytes(whole, seed));
  }
  CHECK(tried > 4000);
  CHECK(refused > tried / 2);
  CHECK_FALSE(std::filesystem::exists("pwned.txt"));
}
