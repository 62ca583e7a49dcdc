// `--shard` and `merge` with the real program: parts together are the whole.
#include <fstream>
#include <map>

#include "tests/catch.h"
#include "tests/cli/infer_setup.h"
#include "tests/support/damaged_bytes.h"

namespace grasppanda::tests {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Json = nlohmann::ordered_json;

/// Three inputs, the second of which cannot be read.
void write_inputs(const InferFolder& folder) {
  for (const char* name : {"a", "c"}) {
    write_made_frame(folder / ("in/" + std::string(name)), 8 + 4 * (name[0] - 'a'));
  }
  write_broken_frame(folder / "in/b");
}

std::vector<std::string> names_of(const fs::path& run) {
  std::vector<std::string> names;
  const Json summary = json_file(run / "summary.json");
  for (const Json& input : summary["inputs"]) names.push_back(input["name"]);
  return names;
}

/// Every file below, relative, with its bytes.
std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files[entry.path().lexically_relative(folder).string()] = read_bytes(entry.path());
  }
  return files;
}

}  // namespace

TEST_CASE("merged shards are the run that one process makes", "[cli][infer]") {
  const InferFolder folder("[npy, json, ply]");
  write_inputs(folder);
  const Finished one = folder.infer({"in"});
  CHECK(one.status == 1);
  const fs::path whole = folder.run_of(one);
  std::vector<std::string> merge = {"merge"};
  for (const char* shard : {"1/2", "0/2"}) {  // in any order
    const Finished part = folder.infer({"in", "--shard", shard});
    CHECK(part.status == (shard[0] == '1' ? 3 : 0));  // which holds the broken one alone
    merge.push_back(folder.run_of(part).string());
  }
  CHECK(names_of(merge[1]) == std::vector<std::string>{"b"});
  CHECK(names_of(merge[2]) == std::vector<std::string>{"a", "c"});

  const auto merged_into = [&](const std::string& out, std::vector<std::string> words) {
    words.insert(words.end(), {"--out", out});
    return folder.program(words);
  };
  const Finished merged = merged_into("all", merge);
  INFO(merged.err);
  CHECK(merged.status == 1);
  CHECK(merged.out == "all\n");
  const fs::path all = folder / "all";
  CHECK(names_of(all) == names_of(whole));
  CHECK(files_below(all / "predictions") == files_below(whole / "predictions"));
  CHECK(files_below(all / "ply") == files_below(whole / "ply"));
  CHECK(read_bytes(all / "failures.jsonl") == read_bytes(whole / "failures.jsonl"));
  const Json summary = json_file(all / "summary.json");
  CHECK(summary["status"] == "complete");
  CHECK(summary["command"] == "infer");
  CHECK(summary["counts"]["done"] == json_file(whole / "summary.json")["counts"]["done"]);
  CHECK(json_file(all / "manifest.json")["inputs"] == json_file(whole / "manifest.json")["inputs"]);
  CHECK(json_file(all / "env.json")["checkpoint"] == json_file(whole / "env.json")["checkpoint"]);
  // It goes on like any other run: only what failed is tried again.
  const Finished resumed = folder.program({"infer", "--resume", "all"});
  CHECK(resumed.status == 1);
  CHECK(json_file(all / "summary.json")["counts"]["kept_from_earlier_run"] == 2);

  const auto refused = [&](const std::vector<std::string>& words, int status,
                           const std::string& why) {
    const Finished finished = merged_into("refused", words);
    CHECK(finished.status == status);
    CHECK_THAT(finished.err, Contains(why));
    CHECK_FALSE(fs::exists(folder / "refused"));
  };
  refused({"merge", merge[1]}, 2, "part 0/2 is missing");
  refused({"merge", merge[1], merge[2], merge[2]}, 2, "is named twice");
  refused({"merge", merge[1], whole.string()}, 2, "parts of one N belong together");
  const auto copied = [&](const std::string& run, const std::string& name) {
    fs::copy(run, folder / name, fs::copy_options::recursive);
    return (folder / name).string();
  };
  refused({"merge", merge[1], merge[2], copied(merge[2], "again")}, 2, "are both part 0/2");
  const std::string seeded = copied(merge[2], "seeded");
  std::string config = read_bytes(fs::path(seeded) / "config.yaml");
  config.replace(config.find("seed: 0"), 7, "seed: 7");
  std::ofstream(fs::path(seeded) / "config.yaml") << config;
  refused({"merge", merge[1], seeded}, 2, "seed: 7");
  std::string list = read_bytes(fs::path(merge[2]) / "inputs.json");
  const std::string other = copied(merge[2], "other");
  list.replace(list.find("\"3 inputs"), 2, "\"4");
  std::ofstream(fs::path(other) / "inputs.json") << list;
  refused({"merge", merge[1], other}, 2, "are parts of different lists");
  refused({"merge", whole.string(), "all"}, 2, "have an input a");
  refused({"merge", (folder / "in").string()}, 3, "is no run directory");
  CHECK(merged_into("all", merge).status == 2);              // nothing is written over
  CHECK(merged_into(merge[2] + "/all", merge).status == 2);  // in one of the runs
  // A file that is not what the run wrote.
  std::ofstream(fs::path(merge[2]) / "predictions/a.json", std::ios::app) << " ";
  const Finished changed = merged_into("changed", merge);
  CHECK(changed.status == 3);
  CHECK_THAT(changed.err, Contains("predictions/a.json: is not the file that the run wrote"));
  CHECK(json_file(folder / "changed/summary.json")["status"] == "failed");
}

TEST_CASE("shards keep to --limit, go on, and may be without inputs", "[cli][infer]") {
  const InferFolder folder("[npy]");
  for (const char* name : {"a", "b", "c"}) {
    write_made_frame(folder / ("in/" + std::string(name)), 8 + 4 * (name[0] - 'a'));
  }
  const fs::path run = folder.run_of(folder.infer({"in", "--shard", "0/2", "--limit", "2"}));
  CHECK(names_of(run) == std::vector<std::string>{"a"});
  const Finished early = folder.program({"merge", run.string(), run.string(), "--out", "all"});
  CHECK(early.status == 2);
  CHECK_THAT(early.err, Contains("has done 1 of its 2 inputs"));
  CHECK(folder.program({"infer", "--resume", run.string(), "in"}).status == 2);
  CHECK(folder.program({"infer", "--resume", run.string(), "--shard", "1/2"}).status == 2);
  CHECK(folder.program({"infer", "--resume", run.string()}).status == 0);
  CHECK(names_of(run) == std::vector<std::string>{"a", "c"});
  const Finished none = folder.infer({"in", "--shard", "7/9"});
  CHECK(none.status == 0);
  CHECK(json_file(folder.run_of(none) / "summary.json")["status"] == "complete");
}

}  // namespace grasppanda::tests
