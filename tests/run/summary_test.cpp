#include "lib/run/summary.h"

#include <nlohmann/json.hpp>

#include "lib/io/format_error.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda::run;
using grasppanda::tests::read_bytes;
using grasppanda::tests::ScratchFolder;
using nlohmann::ordered_json;

namespace {

struct Run {
  ScratchFolder scratch;
  RunDirectory directory = RunDirectory::create(scratch.path(), "infer", "m", 1767322445);

  ordered_json summary() const {
    return ordered_json::parse(read_bytes(directory.path() / "summary.json"));
  }
  std::string failures() const { return read_bytes(directory.path() / "failures.jsonl"); }
};

SummaryHead head() {
  return {.command = "infer", .model = "m", .started = "2026-01-02T03:04:05+00:00", .warnings = {}};
}

InputRecord record(const std::string& name, InputStatus status = InputStatus::done) {
  InputRecord made;
  made.name = name;
  made.source = "in/" + name;
  made.status = status;
  if (status == InputStatus::failed) made.error = made.source + ": broken";
  if (status == InputStatus::failed) made.kind = "format";
  return made;
}

}  // namespace

TEST_CASE("a killed run is recognisable: status stays running until it is set") {
  const Run run;
  Summary summary(run.directory, head(), 3);
  summary.write(RunStatus::running);
  CHECK(run.summary()["schema"] == "grasppanda.summary/1");
  CHECK(run.summary()["status"] == "running");
  CHECK(run.failures().empty());
  summary.add(0, record("a"));
  CHECK(run.summary()["status"] == "running");
  CHECK(run.summary()["counts"]["pending"] == 2);
  CHECK(run.summary()["finished"].is_null());
  summary.write(RunStatus::complete);
  CHECK(run.summary()["status"] == "complete");
  CHECK(run.summary()["finished"].is_string());
}

TEST_CASE("records stand in the order of the list, whatever order they came in") {
  const Run run;
  Summary summary(run.directory, head(), 3);
  summary.add(2, record("c"));
  summary.add(0, record("a", InputStatus::empty));
  summary.keep(1, record("b", InputStatus::failed));
  summary.write(RunStatus::complete);
  const ordered_json json = run.summary();
  REQUIRE(json["inputs"].size() == 3);
  CHECK(json["inputs"][0]["name"] == "a");
  CHECK(json["inputs"][1]["name"] == "b");
  CHECK(json["inputs"][2]["name"] == "c");
  CHECK(json["counts"] == ordered_json({{"inputs", 3},
                                        {"done", 1},
                                        {"empty", 1},
                                        {"failed", 1},
                                        {"pending", 0},
                                        {"kept_from_earlier_run", 1}}));
  const ordered_json failure = ordered_json::parse(run.failures());
  CHECK(failure["name"] == "b");
  CHECK(failure["kind"] == "format");
}

TEST_CASE("a summary reads back, input by input") {
  const Run run;
  Summary summary(run.directory, head(), 2);
  InputRecord first = record("a");
  first.counts = {{"z_first", 3}, {"a_second", 2}};
  summary.add(0, first);
  summary.add(1, record("b", InputStatus::failed));
  summary.write(RunStatus::interrupted);
  const std::vector<InputRecord> read = read_summary(run.directory.path()).inputs;
  REQUIRE(read.size() == 2);
  CHECK(to_json(read[0]) == to_json(first));
  CHECK(read[0].counts.front().first == "z_first");
  CHECK(read[1].status == InputStatus::failed);
}

TEST_CASE("the first input's seconds stand on their own and all add up") {
  const Run run;
  Summary summary(run.directory, head(), 3);
  for (std::size_t i = 0; i < 3; ++i) {
    InputRecord made = record(std::to_string(i));
    made.seconds = {.read = 1,
                    .prepare = 1,
                    .network = i == 0 ? 8.0 : 2.0,
                    .postprocess = 1,
                    .write = 1,
                    .overlapped = i == 0 ? 0.0 : 2.0};
    summary.add(i, made);
  }
  summary.write(RunStatus::complete, {.setup = 3, .finish = 1, .total = 24});
  const ordered_json seconds = run.summary()["seconds"];
  CHECK(seconds["first_input"]["network"] == 8.0);
  CHECK(seconds["other_inputs"]["network"] == 4.0);
  double sum = seconds["setup"].get<double>() + seconds["finish"].get<double>();
  CHECK(seconds["record"].get<double>() > 0);  // this test's own, so not in the sum
  for (const char* part : {"first_input", "other_inputs"}) {
    for (const auto& [name, value] : seconds[part].items()) {
      sum += (name == "overlapped" ? -1 : 1) * value.get<double>();
    }
  }
  CHECK(sum == Approx(seconds["total"].get<double>()));
}

TEST_CASE("thousands of inputs: rewriting stays a small part of the time") {
  const Run run;
  constexpr std::size_t kInputs = 5000;
  Summary summary(run.directory, head(), kInputs);
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < kInputs; ++i) summary.add(i, record("frame " + std::to_string(i)));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  summary.write(RunStatus::complete);
  CHECK(run.summary()["inputs"].size() == kInputs);
  CHECK(passed.count() < 5);  // a rewrite for each would be 12.5 million entries, minutes
}

TEST_CASE("an empty run is a whole summary, too") {
  const Run run;
  Summary summary(run.directory, head(), 0);
  summary.write(RunStatus::complete);
  CHECK(run.summary()["inputs"].empty());
  CHECK(read_summary(run.directory.path()).inputs.empty());
}

TEST_CASE("what is no summary of ours is refused with its name") {
  const ScratchFolder scratch;
  using grasppanda::io::FormatError;
  CHECK_THROWS_AS(read_summary(scratch.path()), FormatError);
  for (const char* text : {"", "{", "[]", "{\"schema\": \"other/1\", \"inputs\": []}",
                           "{\"schema\": \"grasppanda.summary/1\", \"inputs\": [{}]}"}) {
    scratch.file("summary.json", text);
    CHECK_THROWS_AS(read_summary(scratch.path()), FormatError);
  }
}

TEST_CASE("times are ISO 8601 with their offset") {
  const std::string text = iso_time(1767322445);
  REQUIRE(text.size() == std::string("2026-01-02T03:04:05+01:00").size());
  CHECK(text[10] == 'T');
  CHECK(text[22] == ':');
}
