#include "app/commands/merge_plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "app/commands/resume.h"
#include "app/commands/shard.h"
#include "app/report_error.h"
#include "lib/io/format_error.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

std::string name_of(const FinishedRun& run) {
  return run.directory.path().string();
}

std::string sha_of(const FinishedRun& run) {
  return run.facts.checkpoint ? run.facts.checkpoint->sha256 : "none";
}

Shard shard_of(const FinishedRun& run) {
  const auto found = run.list.options.find("--shard");
  if (found == run.list.options.end() || found->second.empty()) return {};
  return parse_shard(name_of(run) + ": --shard", found->second.back());
}

std::map<std::string, std::vector<std::string>> other_options(const FinishedRun& run) {
  auto options = run.list.options;
  options.erase("--shard");
  return options;
}

void require_alike(const FinishedRun& run, const FinishedRun& first, const config::Config& config) {
  const auto refuse = [&](const std::string& what) {
    throw UsageError("merge: " + name_of(run) + " and " + name_of(first) + " " + what);
  };
  if (run.summary.head.command != first.summary.head.command) {
    refuse("are runs of " + run.summary.head.command + " and of " + first.summary.head.command);
  }
  const std::string difference = config_difference(run.directory.path(), config);
  if (!difference.empty()) {
    throw UsageError("merge: the configurations are not the same: " + name_of(first) + " has " +
                     difference);
  }
  if (sha_of(run) != sha_of(first)) {
    refuse("have different weights: SHA-256 " + sha_of(run) + " and " + sha_of(first));
  }
  if (other_options(run) != other_options(first)) {
    refuse("were begun with different options (see their inputs.json)");
  }
  const std::string &here = run.list.whole, &there = first.list.whole;
  if (!here.empty() && !there.empty() && here != there) {
    refuse("are parts of different lists, of " + here + ", and of " + there +
           "; begin all parts with the same inputs");
  }
  if (run.summary.head.classes != first.summary.head.classes) refuse("know different classes");
}

void require_all_tried(const FinishedRun& run) {
  const std::size_t all = run.list.inputs.size(), tried = run.summary.inputs.size();
  if (tried == all) return;
  throw UsageError("merge: " + name_of(run) + " has done " + std::to_string(tried) + " of its " +
                   std::to_string(all) + " inputs; do the rest with: grasppanda " +
                   run.summary.head.command + " --resume " + name_of(run));
}

// Where input `i` of each run stands when all are one.
struct Order {
  std::vector<std::size_t> first, step;
  std::size_t place(std::size_t run, std::size_t i) const { return first[run] + i * step[run]; }
};

Order order_of(const std::vector<FinishedRun>& runs) {
  Order order;
  const std::size_t shards = shard_of(runs.front()).count;
  std::vector<const FinishedRun*> holders(shards, nullptr);
  std::size_t behind = 0;
  for (const FinishedRun& run : runs) {
    const Shard shard = shard_of(run);
    if (shard.count != shards) {
      throw UsageError("merge: " + name_of(run) + " is part " + shard.text() + " of its inputs, " +
                       name_of(runs.front()) + " is part " + shard_of(runs.front()).text() +
                       "; parts of one N belong together");
    }
    if (shard.is_whole()) {
      order.first.push_back(behind);
      order.step.push_back(1);
      behind += run.list.inputs.size();
      continue;
    }
    const FinishedRun*& holder = holders[shard.index];
    if (holder != nullptr) {
      throw UsageError("merge: " + name_of(*holder) + " and " + name_of(run) + " are both part " +
                       shard.text());
    }
    holder = &run;
    order.first.push_back(shard.index);
    order.step.push_back(shard.count);
  }
  const auto missing = std::ranges::find(holders, nullptr);
  if (shards > 1 && missing != holders.end()) {
    const auto index = static_cast<std::size_t>(missing - holders.begin());
    throw UsageError("merge: part " + Shard{index, shards}.text() + " is missing; name all " +
                     std::to_string(shards) + " run directories");
  }
  return order;
}

run::ListedInput anywhere(run::ListedInput input, const fs::path& working_directory) {
  input.source = (working_directory / input.source).lexically_normal().string();
  return input;
}

void join_lists(MergePlan& plan) {
  const Order order = order_of(plan.runs);
  struct Placed {
    std::size_t place, run;
    run::ListedInput input;
  };
  std::vector<Placed> placed;
  for (std::size_t r = 0; r < plan.runs.size(); ++r) {
    const run::InputList& list = plan.runs[r].list;
    for (std::size_t i = 0; i < list.inputs.size(); ++i) {
      placed.push_back({order.place(r, i), r, anywhere(list.inputs[i], list.working_directory)});
    }
  }
  std::ranges::stable_sort(placed, {}, &Placed::place);
  plan.list.working_directory = fs::current_path();
  plan.list.options = other_options(plan.runs.front());
  std::map<std::string, std::size_t> places;
  for (Placed& one : placed) {
    const auto [found, is_new] = places.emplace(one.input.name, plan.list.inputs.size());
    if (!is_new) {
      throw UsageError("merge: two of the runs have an input " + one.input.name +
                       ", the second is " + name_of(plan.runs[one.run]));
    }
    plan.list.inputs.push_back(std::move(one.input));
  }
  for (std::size_t r = 0; r < plan.runs.size(); ++r) {
    const std::vector<run::InputRecord>& records = plan.runs[r].summary.inputs;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto found = places.find(records[i].name);
      if (found == places.end()) {
        throw io::FormatError((plan.runs[r].directory.path() / "summary.json").string() +
                              ": its input " + records[i].name + " does not stand in inputs.json");
      }
      plan.parts.push_back({r, i, found->second});
    }
  }
}

}  // namespace

MergePlan plan_merge(const std::vector<std::string>& paths, const config::Config& config) {
  MergePlan plan;
  for (const std::string& path : paths) {
    std::error_code ignored;
    for (const FinishedRun& earlier : plan.runs) {
      if (fs::equivalent(path, earlier.directory.path(), ignored)) {
        throw UsageError("merge: " + path + " is named twice");
      }
    }
    plan.runs.push_back(open_finished_run(path));
    require_all_tried(plan.runs.back());
  }
  for (const FinishedRun& run : plan.runs) {
    require_alike(run, plan.runs.front(), config);
    for (const std::string& warning : run.summary.head.warnings) {
      if (std::ranges::find(plan.warnings, warning) == plan.warnings.end()) {
        plan.warnings.push_back(warning);
      }
    }
  }
  join_lists(plan);
  return plan;
}

}  // namespace grasppanda::app
