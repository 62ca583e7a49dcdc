// The smaller files of a run: inputs.json, manifest.json, config.yaml.
#include <nlohmann/json.hpp>

#include "lib/config/config.h"
#include "lib/io/format_error.h"
#include "lib/run/config_file.h"
#include "lib/run/input_list.h"
#include "lib/run/manifest.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda::run;
using grasppanda::tests::read_bytes;
using grasppanda::tests::ScratchFolder;
using nlohmann::ordered_json;

TEST_CASE("the list of inputs reads back") {
  const ScratchFolder scratch;
  const RunDirectory run = RunDirectory::create(scratch.path(), "infer", "m", 1767322445);
  const InputList list{.working_directory = "/home/me/with space and \xc3\xbc",
                       .options = {{"--array", {"arr_0"}}, {"--index", {"0"}}},
                       .inputs = {{"a", "in/a", "frame_folder", "", ""},
                                  {"b", "in/b", "scene_frame", "0000", "gone"}}};
  write_input_list(run, list);
  const InputList read = read_input_list(run.path());
  CHECK(read.working_directory == list.working_directory);
  CHECK(read.options == list.options);
  REQUIRE(read.inputs.size() == 2);
  CHECK(read.inputs[1].name == "b");
  CHECK(read.inputs[1].view == "0000");
  CHECK(read.inputs[1].problem == "gone");

  scratch.file("broken/inputs.json", "{\"schema\": 3}");
  CHECK_THROWS_AS(read_input_list(scratch.path() / "broken"), grasppanda::io::FormatError);
  CHECK_THROWS_AS(read_input_list(scratch.path() / "none"), grasppanda::io::FormatError);
}

TEST_CASE("a stamp is the file's size and SHA-256") {
  const ScratchFolder scratch;
  const FileStamp stamp = stamp_file(scratch.file("abc", "abc"), "named");
  CHECK(stamp.path == "named");
  CHECK(stamp.size == 3);
  CHECK(stamp.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK_THROWS_AS(stamp_file(scratch.path() / "none", ""), grasppanda::io::FormatError);
}

TEST_CASE("a manifest names every file once, sorted") {
  const ScratchFolder scratch;
  const RunDirectory run = RunDirectory::create(scratch.path(), "infer", "m", 1767322445);
  const FileStamp b{"b", 2, "bb"}, a{"a", 1, "aa"}, changed{"a", 1, "ab"};
  write_manifest(run, {.config = {"config.yaml", 5, "cc"},
                       .config_source = std::nullopt,
                       .checkpoint = FileStamp{"/w.pth", 9, "dd"},
                       .inputs = {b, a, b, changed},
                       .outputs = {}});
  const ordered_json json = ordered_json::parse(read_bytes(run.path() / "manifest.json"));
  CHECK(json["schema"] == "grasppanda.manifest/1");
  CHECK(json["config"]["size"] == 5);
  CHECK(json["config_source"].is_null());
  CHECK(json["checkpoint"]["sha256"] == "dd");
  REQUIRE(json["inputs"].size() == 3);
  CHECK(json["inputs"][0]["path"] == "a");
  CHECK(json["inputs"][1]["sha256"] == "ab");  // a file that changed on the way shows
  CHECK(json["inputs"][2]["path"] == "b");
  CHECK(json["outputs"].empty());
}

TEST_CASE("arguments are quoted only where a shell needs it") {
  const std::vector<std::string> plain = {"grasppanda", "infer", "-c", "configs/a.yaml", "x=1"};
  CHECK(shell_text(plain) == "grasppanda infer -c configs/a.yaml x=1");
  const std::vector<std::string> odd = {"with space", "", "it's", "$HOME", "a\nb", "tab\t'q'"};
  CHECK(shell_text(odd) == "'with space' '' 'it'\\''s' '$HOME' $'a\\012b' $'tab\\011\\'q\\''");
}

TEST_CASE("an argument cannot smuggle a line into config.yaml") {
  const std::vector<std::string> command = {"grasppanda", "infer", "a\nruntime: {seed: 7}\n"};
  const std::string text = config_file_text("runtime: {seed: 1}", command);
  const std::size_t end = text.find('\n');
  CHECK(text.substr(0, 2) == "# ");
  CHECK(text.substr(end + 1) == "runtime: {seed: 1}\n");
}
