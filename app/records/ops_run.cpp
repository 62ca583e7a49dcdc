#include <string>

#include "app/completion.h"
#include "app/option_list.h"
#include "app/records/records.h"
#include "app/report_error.h"
#include "lib/config/config_error.h"
#include "lib/config/suggest.h"
#include "lib/ops/operator_names.h"

namespace grasppanda::app {

namespace {

void check_ops_run(const Invocation& invocation) {
  const std::size_t given = invocation.arguments.size();
  if (!invocation.has("--cases") && given < 3)
    throw UsageError("ops run: wants NAME IN.npz OUT.npz, or --cases FOLDER OUT.npz");
  if (invocation.has("--cases") && given != 1)
    throw UsageError("ops run: with --cases FOLDER wants exactly one more path, OUT.npz; got " +
                     std::to_string(given));
  if (invocation.has("--cases")) return;
  const std::string& name = invocation.arguments.front();
  if (ops::find_operator_description(name) != nullptr) return;
  const std::vector<std::string> known = operator_words();
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string meant = config::did_you_mean(name, names);
  throw UsageError("ops run: unknown operator '" + config::printable(name) + "'" +
                   (meant.empty() ? "; 'grasppanda help ops run' lists the operators" : meant));
}

}  // namespace

CommandRecord ops_run_record() {
  return {.name = "ops run",
          .usage =
              "NAME IN.npz... OUT [options]\n       grasppanda ops run --cases FOLDER OUT.npz "
              "[options]",
          .help = "one operator on stored arrays",
          .description =
              "Run one operator: every tensor and parameter is taken from IN.npz, the outputs\n"
              "go to OUT.npz (to a folder OUT where there are several inputs).",
          .arguments = {{.name = "NAME",
                         .least = 0,
                         .help = "operator: furthest_point_sample or fps, ball_query, ...",
                         .offers = Offers::operators},
                        {.name = "IN.npz", .least = 0, .most = -1, .help = "named arrays"},
                        {.name = "OUT", .least = 1, .help = "archive to write, or folder"}},
          .options =
              options({{.name = "--param",
                        .value = "K=V",
                        .group = Group::in,
                        .help = "set a parameter, over the one in IN.npz; repeatable",
                        .repeatable = true},
                       {.name = "--cases",
                        .value = "FOLDER",
                        .group = Group::in,
                        .help = "every case of a folder with cases.json, in one process",
                        .more = "The archive gets an array ID/NAME for each output and ID/error "
                                "for a case that was refused.",
                        .offers = Offers::folders},
                       {.name = "--backend",
                        .value = "BACKEND",
                        .group = Group::how,
                        .help = "auto, reference, compiled: speed only",
                        .more = "compiled where no compiled kernel passed its self-check ends the "
                                "program with status 4.",
                        .fallback = "auto",
                        .choices = {"auto", "reference", "compiled"}},
                       device_option(false),
                       threads_option(false)},
                      logging_options(true)),
          .examples = {"grasppanda ops run knn clouds.npz out.npz --param k=16",
                       "grasppanda ops run fps a.npz b.npz picks/ --backend reference",
                       "grasppanda ops run --cases cases/ results.npz --threads 2"},
          .check = check_ops_run};
}

}  // namespace grasppanda::app
