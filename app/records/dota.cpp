#include "app/option_list.h"
#include "app/records/records.h"

namespace grasppanda::app {

CommandRecord dota_split_record() {
  return {
      .name = "dota split",
      .usage = "ROOT OUT [options]",
      .help = "cut a DOTA set into tiles with labels",
      .description =
          "Cut every picture of ROOT/images into tiles, with the labels of ROOT/labelTxt\n"
          "if they are there, by the rules of the DOTA development kit. OUT is a new\n"
          "folder of the same kind; tiles are called IMAGE__RATE__X___Y.",
      .arguments = {{.name = "ROOT", .help = "folder with images/", .offers = Offers::folders},
                    {.name = "OUT", .help = "new folder", .offers = Offers::folders}},
      .options = options({{.name = "--size",
                           .value = "N",
                           .group = Group::how,
                           .help = "side of a tile, pixels",
                           .fallback = "1024",
                           .least = 1},
                          {.name = "--gap",
                           .value = "N",
                           .group = Group::how,
                           .help = "overlap of neighbouring tiles, pixels",
                           .fallback = "200",
                           .least = 0},
                          {.name = "--rate",
                           .value = "S[,S...]",
                           .group = Group::how,
                           .help = "scale the pictures first; repeatable",
                           .more = "Bicubic. The name of a tile holds the number as it is typed.",
                           .fallback = "1.0",
                           .repeatable = true},
                          threads_option(false)},
                         logging_options(true)),
      .examples = {"grasppanda dota split DOTA/val DOTA/val_1024",
                   "grasppanda dota split DOTA/train tiles --gap 500 --rate 0.5,1.0,1.5"}};
}

CommandRecord dota_merge_record() {
  return {.name = "dota merge",
          .usage = "RESULTS OUT [options]",
          .help = "join result files of tiles to those of whole images",
          .description =
              "Join Task1_CLASS.txt (or Task2_CLASS.txt) files whose rows name tiles to files\n"
              "whose rows name images, by the rules of the DOTA development kit: corners are\n"
              "moved back, then of rows that overlap the best is kept.",
          .arguments = {{.name = "RESULTS",
                         .help = "folder of result files",
                         .offers = Offers::folders},
                        {.name = "OUT", .help = "new folder", .offers = Offers::folders}},
          .options = options({{.name = "--iou",
                               .value = "T",
                               .group = Group::how,
                               .help = "a row that overlaps a better one by more is dropped",
                               .fallback = "0.3"}},
                             logging_options(false)),
          .examples = {"grasppanda dota merge tile_results results",
                       "grasppanda dota merge tile_results results --iou 0.1"}};
}

}  // namespace grasppanda::app
