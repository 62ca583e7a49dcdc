#include "app/option_list.h"
#include "app/records/records.h"

namespace grasppanda::app {

CommandRecord ops_iou_error_record() {
  return {.name = "ops iou-error",
          .usage = "[options]",
          .help = "sampled against exact overlap of rotated boxes",
          .description =
              "Draw pairs of rotated boxes as oriented-det draws them, measure the sampled\n"
              "overlap against the exact one and print the error by category and by\n"
              "overlap.",
          .arguments = {{.name = "VALUE",
                         .least = 0,
                         .most = -1,
                         .help = "further spacings, as in --sweep-spacing 2 3 4",
                         .offers = Offers::nothing}},
          .options = options({{.name = "--pairs",
                               .value = "N",
                               .group = Group::in,
                               .help = "pairs of boxes, spread evenly over the categories",
                               .fallback = "1400",
                               .least = 1},
                              {.name = "--seed",
                               .value = "N",
                               .group = Group::in,
                               .help = "of NumPy's default_rng",
                               .fallback = "0",
                               .least = 0},
                              {.name = "--categories",
                               .value = "NAME,...",
                               .group = Group::in,
                               .help = "kinds of boxes; default all",
                               .more = "tiny_square, vehicle, small_square, medium_square, "
                                       "large_square, elongated, elongated_thin.",
                               .repeatable = true},
                              {.name = "--sweep-spacing",
                               .value = "PIXELS,...",
                               .group = Group::how,
                               .help = "one line for each target spacing of the samples",
                               .more = "Otherwise the spacing is 2 pixels, or what the "
                                       "ORIENTED_DET_* variables say.",
                               .repeatable = true},
                              threads_option(false)},
                             logging_options(true)),
          .examples = {"grasppanda ops iou-error",
                       "grasppanda ops iou-error --pairs 600 --categories vehicle",
                       "grasppanda ops iou-error --categories vehicle --sweep-spacing 2,3,4"}};
}

}  // namespace grasppanda::app
