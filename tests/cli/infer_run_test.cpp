// `infer` with the real program: what a run leaves behind.
#include <fstream>

#include "lib/io/checkpoint.h"
#include "lib/io/npy.h"
#include "lib/io/png.h"
#include "lib/io/safetensors.h"
#include "lib/io/sha256.h"
#include "tests/catch.h"
#include "tests/cli/infer_setup.h"
#include "tests/support/damaged_bytes.h"

using namespace grasppanda;
using namespace grasppanda::tests;
namespace fs = std::filesystem;

namespace {

using Catch::Matchers::Contains;

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a run leaves everything that is needed to trust and repeat it", "[cli][infer]") {
  const InferFolder folder("[npy, json, ply, png]");
  write_made_frame(folder / "in/scene_a/one", 20);
  const Finished finished = folder.infer({"in/scene_a/one", "--seed", "3"});
  REQUIRE(finished.err == "inputs 1/1 (100 %)\n");
  REQUIRE(finished.status == 0);
  const fs::path run = folder.run_of(finished);
  CHECK(finished.out == fs::relative(run, folder.path()).string() + "\n");
  CHECK(run.parent_path() == folder / "runs/infer");
  CHECK(run.filename().string().starts_with("contact_graspnet-"));
  for (const char* file : {"predictions/one.npy", "predictions/one.json", "ply/one.ply",
                           "pictures/one.png", "log.txt", "failures.jsonl", "inputs.json"}) {
    CHECK(fs::is_regular_file(run / file));
  }

  const io::Array grasps = io::read_npy(run / "predictions/one.npy");
  CHECK(grasps.dtype == io::DType::float32);
  REQUIRE(grasps.shape.size() == 2);
  CHECK(grasps.shape[0] > 0);
  CHECK(grasps.shape[1] == 17);
  const auto described = json_file(run / "predictions/one.json");
  CHECK(described["grasps"].size() == static_cast<std::size_t>(grasps.shape[0]));
  CHECK(described["fields"]["width_predicted"].get<std::string>().starts_with("metres; "));

  const auto summary = json_file(run / "summary.json");
  CHECK(summary["schema"] == "grasppanda.summary/1");
  CHECK(summary["status"] == "complete");
  const auto input = input_of(run, "one");
  CHECK(input["status"] == "done");
  CHECK(input["image"]["width"] == 64);
  CHECK(input["intrinsics"]["fx"] == 60.0);
  CHECK(input["cloud"]["points"] == 64 * 48);
  CHECK(input["cloud"]["median_depth"].get<double>() == Approx(0.6));
  CHECK(input["predictions"] == "predictions/one.npy");
  CHECK(input["counts"]["seeds"] == 2048);

  const auto environment = json_file(run / "env.json");
  CHECK(environment["seed"] == 3);
  CHECK(environment["device"] == "cpu");
  CHECK(environment["threads"].get<int>() >= 1);
  CHECK(environment["command_line"][1] == "infer");
  CHECK(environment["checkpoint"]["sha256"] == io::sha256_file_hex(folder / "w.safetensors"));
  CHECK(environment["wall_seconds"].get<double>() > 0);
  CHECK(environment["peak_memory_bytes"].get<std::int64_t>() > 1 << 20);

  // The parts of the run's time add up to the whole.
  const auto& seconds = summary["seconds"];
  double sum = 0;
  for (const char* part : {"setup", "record", "finish"}) sum += seconds[part].get<double>();
  for (const char* part : {"first_input", "other_inputs"}) {
    for (const auto& [name, value] : seconds[part].items()) {
      sum += (name == "overlapped" ? -1 : 1) * value.get<double>();
    }
  }
  CHECK(sum == Approx(seconds["total"].get<double>()).epsilon(0.05));

  // Every stamp of the manifest is that of the file.
  const auto manifest = json_file(run / "manifest.json");
  CHECK(manifest["inputs"].size() == 2);   // depth and meta
  CHECK(manifest["outputs"].size() == 9);  // four results, four files of the record, the log
  for (const auto& stamp : manifest["inputs"]) {
    CHECK(stamp["sha256"] == io::sha256_file_hex(stamp["path"].get<std::string>()));
  }
  for (const auto& stamp : manifest["outputs"]) {
    const fs::path file = run / stamp["path"].get<std::string>();
    CHECK(stamp["sha256"] == io::sha256_file_hex(file));
    CHECK(stamp["size"] == fs::file_size(file));
  }
}

TEST_CASE("config.yaml runs again as it is and gives the same bytes", "[cli][infer]") {
  const InferFolder folder;
  write_made_frame(folder / "frame");
  const fs::path first = folder.run_of(folder.infer({"frame", "--seed", "5", "--threads", "2"}));
  CHECK(read_bytes(first / "config.yaml").starts_with("# "));
  CHECK(holds(read_bytes(first / "config.yaml"), "--seed 5"));
  // From another folder: paths in it are whole.
  fs::create_directories(folder / "elsewhere");
  const Finished again =
      run_program({"infer", "-c", (first / "config.yaml").string(), (folder / "frame").string()},
                  {.folder = folder / "elsewhere", .limit = std::chrono::seconds(300)});
  REQUIRE(again.status == 0);
  const fs::path second = folder / "elsewhere" / again.out.substr(0, again.out.size() - 1);
  for (const char* file : {"predictions/frame.npy", "predictions/frame.json"}) {
    CHECK(read_bytes(first / file) == read_bytes(second / file));
  }
}

TEST_CASE("good inputs go on beside bad ones; all bad is status 3", "[cli][infer]") {
  const InferFolder folder("[npy]");
  write_broken_frame(folder / "in/a_bad");
  write_made_frame(folder / "in/b_good");
  const Finished mixed = folder.infer({"in", "--no-progress"});
  CHECK(mixed.status == 1);
  const fs::path run = folder.run_of(mixed);
  CHECK(fs::exists(run / "predictions/b_good.npy"));
  CHECK_FALSE(fs::exists(run / "predictions/a_bad.npy"));
  const auto failure = nlohmann::json::parse(read_bytes(run / "failures.jsonl"));
  CHECK(failure["name"] == "a_bad");
  CHECK(failure["kind"] == "format");
  CHECK(holds(mixed.err, "grasppanda: error: in/a_bad/depth.npy: "));
  CHECK(json_file(run / "summary.json")["status"] == "complete");

  const Finished all_bad = folder.infer({"in/a_bad", "--no-progress"});
  CHECK(all_bad.status == 3);
  CHECK(all_bad.err.starts_with("grasppanda: error: in/a_bad/depth.npy: "));
  CHECK(all_bad.err.find('\n') == all_bad.err.size() - 1);  // one line
  CHECK(json_file(folder.run_of(all_bad) / "summary.json")["status"] == "failed");
}

TEST_CASE("names and lists: stdin, list files, a missing path among others", "[cli][infer]") {
  const InferFolder folder("[npy]");
  write_made_frame(folder / "with space/\xc3\xbc");
  const Finished finished = run_program({"infer", "-c", "run.yaml", "-", "--no-progress"},
                                        {.folder = folder.path(),
                                         .input = "# frames\n\n  with space/\xc3\xbc \r\n",
                                         .limit = std::chrono::seconds(300)});
  CHECK(finished.err == "");
  CHECK(finished.status == 0);
  CHECK(fs::exists(folder.run_of(finished) / "predictions/\xc3\xbc.npy"));

  const Finished missing = folder.infer({"nowhere"});
  CHECK(missing.status == 3);
  CHECK_THAT(missing.err, Contains("nowhere"));
  CHECK_THAT(folder.infer({}).err, Contains("no input"));
}

TEST_CASE("points go into the network as they are, stages come out", "[cli][infer]") {
  const InferFolder folder("[npy]");
  std::vector<float> xyz;
  for (int i = 0; i < 400; ++i) {
    xyz.insert(xyz.end(), {0.01F * static_cast<float>(i % 20), 0.01F * static_cast<float>(i / 20),
                           0.001F * static_cast<float>(i % 7)});
  }
  const io::Array cloud = io::make_array({400, 3}, xyz);
  io::write_npy(folder / "cloud.npy", cloud);
  const Finished finished =
      folder.infer({"--points", "cloud.npy", "--stages", "stages", "--no-progress"});
  REQUIRE(finished.err == "");
  REQUIRE(finished.status == 0);
  CHECK(read_bytes(folder / "stages/cloud/points.npy") == read_bytes(folder / "cloud.npy"));
  CHECK(io::read_npy(folder / "stages/cloud/confidence.npy").shape ==
        std::vector<std::int64_t>{2048});
  CHECK(fs::exists(folder.run_of(finished) / "predictions/cloud.npy"));

  // No points: an empty result with one warning.
  io::write_npy(folder / "none.npy", io::make_array({0, 3}, std::vector<float>{}));
  const Finished empty = folder.infer({"--points", "none.npy", "--no-progress"});
  CHECK(empty.status == 0);
  const fs::path run = folder.run_of(empty);
  CHECK(io::read_npy(run / "predictions/none.npy").shape == std::vector<std::int64_t>{0, 17});
  CHECK(input_of(run, "none")["status"] == "empty");
  CHECK(input_of(run, "none")["warnings"].size() == 1);
  CHECK(empty.err.starts_with("grasppanda: warning: none: "));
}

TEST_CASE("results in the robot's frame are the camera's, moved", "[cli][infer]") {
  const InferFolder folder;
  write_made_frame(folder / "frame");
  std::ofstream(folder / "base.json") << "[[0,-1,0,1],[1,0,0,2],[0,0,1,3],[0,0,0,1]]";
  const fs::path camera = folder.run_of(folder.infer({"frame"}));
  const fs::path base = folder.run_of(folder.infer({"frame", "--set", "output.frame=base.json"}));
  const auto before = io::to_float64(io::read_npy(camera / "predictions/frame.npy"));
  const auto after = io::to_float64(io::read_npy(base / "predictions/frame.npy"));
  REQUIRE(before.size() == after.size());
  REQUIRE(before.size() >= 17);
  for (std::size_t row = 0; row < before.size(); row += 17) {
    CHECK(after[row] == before[row]);
    CHECK(after[row + 13] == Approx(1 - before[row + 14]).margin(1e-6));
    CHECK(after[row + 14] == Approx(2 + before[row + 13]).margin(1e-6));
    CHECK(after[row + 15] == Approx(3 + before[row + 15]).margin(1e-6));
  }
  CHECK(json_file(base / "predictions/frame.json")["frame"] == "base");
}

TEST_CASE("on a terminal the progress line needs no escape sequence", "[cli][infer]") {
  const InferFolder folder("[npy]");
  write_made_frame(folder / "in/a long name", 10);
  write_made_frame(folder / "in/b", 30);
  const Finished finished = run_program({"infer", "-c", "run.yaml", "in"},
                                        {.folder = folder.path(),
                                         .environment = {{"NO_COLOR", "1"}, {"TERM", "xterm"}},
                                         .terminal = true,
                                         .limit = std::chrono::seconds(300)});
  CHECK(finished.status == 0);
  CHECK_THAT(finished.out, Contains("\rinputs 0/2 (0 %)  a long name"));
  CHECK(finished.out.find('\033') == std::string::npos);
  // Wiped at the end: nothing of the line stands beside the answer.
  CHECK_THAT(finished.out, Contains(" \rruns/infer/"));
}

TEST_CASE("fewer than three distinct points give an empty result, whichever way is up",
          "[cli][infer]") {
  const InferFolder folder("[npy]");
  std::vector<float> xyz(300, 0.5F);
  xyz[7] = 0.51F;
  io::write_npy(folder / "two.npy", io::make_array({100, 3}, xyz));
  for (const char* up : {"auto", "camera", "[0, 0, 1]"}) {
    INFO(up);
    const Finished finished =
        folder.infer({"two.npy", "--set", std::string("model.up=") + up, "--no-progress"});
    CHECK(finished.status == 0);
    const auto input = input_of(folder.run_of(finished), "two");
    CHECK(input["status"] == "empty");
    CHECK(
        input["warnings"] ==
        nlohmann::ordered_json({"cloud: fewer than three distinct points, so there is no grasp"}));
  }
}

TEST_CASE("a view of a scene is named by its depth picture", "[cli][infer]") {
  const InferFolder folder("[npy]");
  const fs::path camera = folder / "scene_0000/realsense";
  io::Image depth;
  depth.width = 64;
  depth.height = 48;
  depth.channels = 1;
  depth.bits = depth.file_bits = 16;
  const std::vector<std::uint16_t> raw(64 * 48, 600);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(raw.data());
  depth.pixels.assign(bytes, bytes + 2 * raw.size());
  fs::create_directories(camera / "depth");
  fs::create_directories(camera / "meta");
  for (const char* view : {"0000", "0037"}) {
    io::write_png(camera / "depth" / (std::string(view) + ".png"), depth);
  }
  std::ofstream(camera / "depth/0050.png") << "no picture";
  io::write_npy(camera / "camK.npy", io::make_array({4}, std::vector<double>{60, 60, 32, 24}));
  std::ofstream(camera / "meta/0037.mat") << "no meta";
  const Finished finished =
      folder.infer({"scene_0000", "--set", "input.depth.scale=1000", "--set",
                    "input.workspace_mask=none", "--set", "model.up=camera", "--no-progress"});
  CHECK(finished.status == 1);
  const fs::path run = folder.run_of(finished);
  for (const std::string view : {"0000", "0037", "0050"}) {
    CHECK(input_of(run, "scene_0000/realsense/" + view)["source"] ==
          "scene_0000/realsense/depth/" + view + ".png");
  }
  // The file that is wrong stands in front, once.
  CHECK(holds(finished.err, "error: scene_0000/realsense/meta/0037.mat: "));
  CHECK(holds(finished.err, "error: scene_0000/realsense/depth/0050.png: "));
}

TEST_CASE("a prefix that every key has is taken off and told in the log", "[cli][infer]") {
  const InferFolder folder("[npy]");
  write_made_frame(folder / "frame");
  std::vector<io::NamedArray> tensors = io::read_checkpoint(folder / "w.safetensors").tensors;
  for (io::NamedArray& tensor : tensors) tensor.key.insert(0, "module.");
  io::write_safetensors(folder / "parallel.safetensors", tensors);
  const fs::path run =
      folder.run_of(folder.infer({"frame", "--checkpoint", "parallel.safetensors"}));
  CHECK(holds(read_bytes(run / "log.txt"), "the prefix 'module.' of every key is left out"));
  const fs::path plain = folder.run_of(folder.infer({"frame"}));
  CHECK_FALSE(holds(read_bytes(plain / "log.txt"), "module."));
  CHECK(read_bytes(run / "predictions/frame.npy") == read_bytes(plain / "predictions/frame.npy"));
}
