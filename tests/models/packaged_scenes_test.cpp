// How good the trained weights are: the scenes that come with them hold successful contacts. Give
// their folder (cgn_pytorch/scenes of the wheel, see docs/models/contact_graspnet.md) in
// GRASPPANDA_SCENES_DIR.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "lib/io/checkpoint.h"
#include "lib/io/npz.h"
#include "lib/io/pickle_reader.h"
#include "models/contact_graspnet/decode.h"
#include "models/contact_graspnet/network.h"
#include "tests/catch.h"
#include "tests/models/goldens.h"

namespace grasppanda::models::contact_graspnet {
namespace {

constexpr double kLabelRadius = 0.008;  // metres: the distance the weights were trained with

/// Successful contacts of the first of the scene's two clouds, (n, 3) float64, that cloud's frame.
at::Tensor label_contacts(const io::NpzReader& scene) {
  const auto graph = io::read_object_npy(scene.read_entry("arr_5"), "arr_5");
  const io::PickleArray* objects = graph->root->array();
  REQUIRE(objects != nullptr);
  REQUIRE(objects->data->items().size() == 1);
  const io::PickleValue* contacts = objects->data->items().front()->find("contact_pts");
  REQUIRE(contacts != nullptr);
  REQUIRE(contacts->array() != nullptr);
  const at::Tensor stored = tensor_of(io::to_array(*contacts->array(), "contact_pts"));
  REQUIRE(stored.dim() == 3);
  // The labels are not centred; the cloud is.
  return stored[0] - tensor_of(scene.read("arr_3"));
}

/// True for points with a contact within the label radius.
at::Tensor near_any(const at::Tensor& points, const at::Tensor& contacts) {
  std::vector<at::Tensor> parts;
  for (const at::Tensor& some : points.to(at::kDouble).split(256)) {
    parts.push_back((some.unsqueeze(1) - contacts).square().sum(2).amin(1).sqrt() < kLabelRadius);
  }
  return at::cat(parts);
}

struct PublishedRow {
  const char* scene;
  std::int64_t labelled, predicted, predicted_and_labelled;
};

// The table that comes with the description of the network, neighbours in order of index.
constexpr PublishedRow kPublished[] = {
    {"002330", 188, 142, 116}, {"004086", 219, 231, 161}, {"005274", 165, 142, 119}};

TEST_CASE("packaged scenes: precision and recall against the label contacts") {
  const char* folder = std::getenv("GRASPPANDA_SCENES_DIR");
  if (folder == nullptr || *folder == '\0') {
    GP_SKIP("GRASPPANDA_SCENES_DIR does not name the folder of the packaged scenes");
  }
  GP_NEED_DATA(weights, "data/weights/contact_graspnet.safetensors");
  const Network network(Weights(io::read_checkpoint(weights).tensors), at::kCPU);
  std::printf("scene   labelled  predicted  of them labelled  precision  recall\n");
  for (const PublishedRow& row : kPublished) {
    const std::filesystem::path file =
        std::filesystem::path(folder) / (std::string(row.scene) + ".npz");
    CAPTURE(file);
    REQUIRE(std::filesystem::exists(file));
    const io::NpzReader scene(file);
    const at::Tensor points = tensor_of(scene.read("arr_0"))[0];
    const NetworkOutput output = network.forward(points);
    const at::Tensor predicted = decode(output.centres, output.heads, 0.08).confidence > 0.5;
    const at::Tensor labelled = near_any(output.centres, label_contacts(scene));
    const auto count = [](const at::Tensor& mask) { return mask.sum().item<std::int64_t>(); };
    const std::int64_t both = count(labelled.logical_and(predicted));
    const double precision = static_cast<double>(both) / static_cast<double>(count(predicted));
    const double recall = static_cast<double>(both) / static_cast<double>(count(labelled));
    std::printf("%s  %8ld  %9ld  %16ld  %9.2f  %6.2f\n", row.scene, long(count(labelled)),
                long(count(predicted)), long(both), precision, recall);
    std::printf("  table %7ld  %9ld  %16ld\n", long(row.labelled), long(row.predicted),
                long(row.predicted_and_labelled));
    CHECK(count(labelled) == row.labelled);
    // A confidence may lie on the threshold to the last bits.
    CHECK(std::abs(count(predicted) - row.predicted) <= 1);
    CHECK(std::abs(both - row.predicted_and_labelled) <= 1);
  }
}

}  // namespace
}  // namespace grasppanda::models::contact_graspnet
