// From what the user typed (images, folders, list files) to a list of images for a detector.
#pragma once

#include <string>
#include <vector>

#include "lib/datasets/frame.h"

namespace grasppanda::datasets {

/// Expands arguments in order:
///   - an image file, told by content, whatever its name;
///   - a folder: the images that lie directly in it (numbers in names by value), or in its folder
///     `images` when none do, as in DOTA. Files whose names say that they are images but that are
///     none (cut off, empty, of a kind that is not read) become inputs that fail by name; other
///     files are left out;
///   - a list file: one path a line, relative to the list file; blank lines and lines that start
///     with `#` are skipped. Lists do not nest.
/// Names are paths below the root that was given, without suffix ("P0001__1__0___0",
/// "scene.v2.final"), and unique: a clash gets `-2`, `-3`, ... An argument that cannot be used
/// becomes an input with a `problem`; if there is nothing else, io::FormatError is thrown.
std::vector<InputRef> list_images(const std::vector<std::string>& arguments);

}  // namespace grasppanda::datasets
