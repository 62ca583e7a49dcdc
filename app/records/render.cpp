#include "app/option_list.h"
#include "app/records/records.h"

namespace grasppanda::app {

CommandRecord render_record() {
  return {
      .name = "render",
      .usage = "RUN_DIR [options]",
      .help = "draw the pictures of a finished run again, with other settings",
      .description =
          "Draw the stored results of a finished run over its inputs again: pictures,\n"
          "meshes (.ply) and report.html, whichever output.formats of the run (or --set)\n"
          "names. No model is run, and the run stays as it is.",
      .arguments = {{.name = "RUN_DIR",
                     .help = "a finished run of infer or test",
                     .offers = Offers::folders}},
      .options = options({{.name = "--best",
                           .value = "N",
                           .group = Group::how,
                           .help = "so many results of an input are drawn; 0: all",
                           .fallback = "50",
                           .least = 0},
                          {.name = "--score",
                           .value = "T",
                           .group = Group::how,
                           .help = "only results with at least this score"},
                          set_option(),
                          {.name = "--out",
                           .value = "DIR",
                           .group = Group::out,
                           .help = "a new folder for what is drawn",
                           .fallback = "RUN_DIR/rendered",
                           .offers = Offers::folders}},
                         logging_options(true)),
      .examples = {"grasppanda render runs/infer/gsnet-20260102-030405 --best 5",
                   "grasppanda render runs/infer/a --score 0.3 --set output.formats=[png] --out p"},
      .config = ConfigFrom::run_argument};
}

}  // namespace grasppanda::app
