// `checkpoint inspect` and `checkpoint convert` with the real program.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/io/checkpoint.h"
#include "tests/catch.h"
#include "tests/cli/infer_setup.h"
#include "tests/cli/program.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/torch_writer.h"

using namespace grasppanda::tests;
namespace io = grasppanda::io;
using Catch::Matchers::Contains;

namespace {

// Two tensors as a training run saves them from several GPUs.
TorchContent some_content() {
  TorchContent content;
  content.extra = {{"epoch", 3}, {"meta", {{"CLASSES", {"plane", "ship"}}}}};
  content.sets = {
      {"state_dict",
       {{"module.a.weight", io::make_array<float>({2, 2}, std::vector<float>{1, 2, 3, 4})},
        {"module.a.bias", io::make_array<float>({2}, std::vector<float>{0, 1})}}}};
  content.location = "cuda:0";
  return content;
}

}  // namespace

TEST_CASE("checkpoint inspect --json: one object on stdout", "[cli][checkpoint]") {
  const ScratchFolder scratch;
  const auto file = scratch.file("w.tar", torch_file(some_content(), TorchFormat::zip));
  const Finished finished = run_program({"checkpoint", "inspect", file.string(), "--json"});
  REQUIRE(finished.status == 0);
  CHECK(finished.err == "");
  const auto json = nlohmann::ordered_json::parse(finished.out);
  CHECK(json["schema"] == "grasppanda.checkpoint/1");
  CHECK(json["format"] == "zip");
  CHECK(json["container"] == "state_dict");
  CHECK(json["file_sha256"].get<std::string>().size() == 64);
  REQUIRE(json["tensors"].size() == 2);
  CHECK(json["tensors"][0]["key"] == "module.a.weight");
  CHECK(json["tensors"][0]["shape"] == nlohmann::ordered_json({2, 2}));
  CHECK(json["tensors"][0]["dtype"] == "float32");
  // SHA-256 of 00 00 80 3f  00 00 00 40  00 00 40 40  00 00 80 40.
  CHECK(json["tensors"][0]["sha256"] ==
        "ad73b9acd6e4a74b2f5bb5386658ce3bb146cd040a1867646ab3b973fb6632b1");
  CHECK(json["other"]["meta"]["CLASSES"][1] == "ship");
  CHECK(json["placeholders"].empty());
  CHECK(json["fits"].empty());
}

TEST_CASE("checkpoint inspect --json: what cannot be read is one object, too",
          "[cli][checkpoint]") {
  const ScratchFolder scratch;
  for (const std::string name : {"cut.pth", "nowhere.pth"}) {
    CAPTURE(name);
    if (name == "cut.pth")
      scratch.file(name, torch_file(some_content(), TorchFormat::zip).substr(0, 100));
    const Finished finished =
        run_program({"checkpoint", "inspect", name, "--json"}, {.folder = scratch.path()});
    CHECK(finished.status == 3);
    const auto json = nlohmann::ordered_json::parse(finished.out);
    CHECK(json["schema"] == "grasppanda.checkpoint/1");
    CHECK(json["ok"] == false);
    CHECK(json["error"]["kind"] == "format");
    CHECK(json["error"]["file"] == name);
    CHECK_THAT(json["error"]["message"].get<std::string>(), Contains(name));
  }
}

TEST_CASE("checkpoint inspect: a table for people", "[cli][checkpoint]") {
  const ScratchFolder scratch;
  const auto file = scratch.file("w.tar", torch_file(some_content(), TorchFormat::legacy));
  const Finished finished = run_program({"checkpoint", "inspect", file.string()});
  CHECK(finished.status == 0);
  CHECK(finished.err == "");
  CHECK_THAT(finished.out, Contains("legacy, weights in 'state_dict'"));
  CHECK_THAT(finished.out, Contains("module.a.weight  float32  (2, 2)"));
  CHECK_THAT(finished.out, Contains("none of the models"));
  CHECK_THAT(finished.out, Contains("epoch: 3"));
}

TEST_CASE("checkpoint inspect: names the model that fits, and what is missing",
          "[cli][checkpoint]") {
  const ScratchFolder scratch;
  const auto file = scratch.path() / "w.safetensors";
  write_made_weights(file);
  const auto inspect = [&] {
    const Finished finished = run_program({"checkpoint", "inspect", file.string(), "--json"});
    CHECK(finished.status == 0);
    return nlohmann::ordered_json::parse(finished.out);
  };
  auto json = inspect();
  CHECK(json["fits"] == nlohmann::ordered_json({"grasp/contact_graspnet"}));
  CHECK(json["compared_with"]["fits"] == true);

  auto tensors = io::read_checkpoint(file).tensors;
  const std::string left_out = tensors.back().key;
  tensors.pop_back();
  tensors.push_back({"odd.one", io::make_array<float>({1}, std::vector<float>{1})});
  TorchContent content;
  content.sets = {{"model_state_dict", tensors}};
  scratch.file("w.safetensors", torch_file(content, TorchFormat::zip));  // the name means nothing
  json = inspect();
  CHECK(json["format"] == "zip");
  CHECK(json["fits"].empty());
  CHECK(json["compared_with"]["model"] == "grasp/contact_graspnet");
  CHECK(json["compared_with"]["missing"] == nlohmann::ordered_json({left_out}));
  CHECK(json["compared_with"]["unexpected"] == nlohmann::ordered_json({"odd.one"}));
}

TEST_CASE("checkpoint: texts beside the weights stay as they were written", "[cli][checkpoint]") {
  const ScratchFolder scratch;
  const std::string config =
      "model = dict(\n\ttype='S\xc2\xb2',\n)\n" + std::string(5000, 'x') + "\x1b[31m\\x0a";
  TorchContent content = some_content();
  content.extra["meta"]["config"] = config;
  content.extra["two\nlines"] = 1;
  const auto file = scratch.file("w.pth", torch_file(content, TorchFormat::zip));
  const auto out = scratch.path() / "w.safetensors";
  REQUIRE(run_program({"checkpoint", "convert", file.string(), out.string()}).status == 0);
  for (const auto& path : {file, out}) {
    const Finished finished = run_program({"checkpoint", "inspect", path.string(), "--json"});
    const auto json = nlohmann::json::parse(finished.out);
    CHECK(json["other"]["meta"]["config"] == config);
    CHECK(json["other"]["two\nlines"] == 1);
    // A terminal gets one line and no escape sequence.
    const std::string shown = run_program({"checkpoint", "inspect", path.string()}).out;
    CHECK_THAT(shown, Contains("two\\x0alines: 1"));
    CHECK(shown.find('\x1b') == std::string::npos);
  }
}

TEST_CASE("checkpoint convert: the same weights as safetensors", "[cli][checkpoint]") {
  const ScratchFolder scratch;
  const auto file = scratch.file("w.tar", torch_file(some_content(), TorchFormat::zip));
  const auto out = scratch.path() / "w.safetensors";
  const Finished finished = run_program({"checkpoint", "convert", file.string(), out.string()});
  CHECK(finished.status == 0);
  CHECK(finished.out == out.string() + "\n");
  const io::Checkpoint converted = io::read_checkpoint(out);
  REQUIRE(converted.tensors.size() == 2);
  CHECK(converted.format == "safetensors");
  CHECK(converted.tensors[0].key == "a.weight");
  CHECK(converted.tensors[0].array.as<float>()[3] == 4);
  CHECK((*converted.other)["meta"]["CLASSES"][0] == "plane");

  const Finished nowhere = run_program(
      {"checkpoint", "convert", file.string(), (scratch.path() / "none" / "x").string()});
  CHECK(nowhere.status == 3);
  CHECK_THAT(nowhere.err, Contains("grasppanda: error: ") && Contains("cannot be written"));
}

TEST_CASE("troubles: every checkpoint with the real program", "[cli][checkpoint]") {
  GP_NEED_DATA(folder, "data/troubles/checkpoints");
  const auto expected = nlohmann::json::parse(std::ifstream(folder / "expected.json"));
  const ScratchFolder scratch;
  ProgramSettings settings;
  settings.folder = scratch.path();
  for (const auto& [name, verdict] : expected.items()) {
    INFO(name);
    const Finished finished =
        run_program({"checkpoint", "inspect", (folder / name).string()}, settings);
    if (verdict["verdict"] == "reject") {
      CHECK(finished.status == 3);
      CHECK(finished.out == "");
      CHECK(std::ranges::count(finished.err, '\n') == 1);
      CHECK_THAT(finished.err, Contains("grasppanda: error: ") && Contains(name));
    } else {
      CHECK(finished.status == 0);
      CHECK_THAT(finished.out, Contains("sha256"));
      const bool warns = verdict["verdict"] != "accept";
      CHECK((finished.err == "") != warns);
      if (warns) CHECK_THAT(finished.err, Contains("head.fc.weight"));
    }
  }
  CHECK(std::filesystem::is_empty(scratch.path()));  // no pwned.txt, no anything
}
