#include "app/commands/checkpoint_listing.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lib/io/printable_text.h"
#include "lib/io/sha256.h"

namespace grasppanda::app {

namespace {

using Json = nlohmann::ordered_json;

void add_row(std::string& text, std::string_view name, const std::string& value) {
  text += name;
  text.append(name.size() < 16 ? 16 - name.size() : 1, ' ');
  text += value + "\n";
}

void add_list(std::string& text, std::string_view name, const std::vector<std::string>& values) {
  if (values.empty()) return;
  text += '\n';
  text += name;
  text += " (" + std::to_string(values.size()) + ")\n";
  for (const std::string& value : values) text += "  " + io::printable(value, 500) + "\n";
}

void add_other(std::string& text, const nlohmann::json& other) {
  if (other.empty()) return;
  constexpr std::size_t kWidth = 400;
  text += "\nbeside the weights\n";
  for (const auto& [key, value] : other.items()) {
    const std::string said =
        value.is_string() ? value.get<std::string>()
                          : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    text += "  " + io::printable(key) + ": " + io::printable(said, kWidth) + "\n";
  }
}

void add_tensors(std::string& text, const CheckpointListing& listing) {
  std::size_t key_width = 3, dtype_width = 5, shape_width = 5;
  std::vector<std::string> keys, shapes;
  for (const io::NamedArray& tensor : listing.checkpoint.tensors) {
    keys.push_back(io::printable(tensor.key, 500));
    shapes.push_back(io::shape_text(tensor.array.shape));
    key_width = std::max(key_width, keys.back().size());
    dtype_width = std::max(dtype_width, io::dtype_name(tensor.array.dtype).size());
    shape_width = std::max(shape_width, shapes.back().size());
  }
  const auto row = [&](std::string key, std::string dtype, std::string shape,
                       const std::string& sha) {
    key.resize(std::max(key.size(), key_width), ' ');
    dtype.resize(dtype_width, ' ');
    shape.resize(shape_width, ' ');
    text += key + "  " + dtype + "  " + shape + "  " + sha + "\n";
  };
  text += "\n";
  row("key", "dtype", "shape", "sha256");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    row(keys[i], std::string(io::dtype_name(listing.checkpoint.tensors[i].array.dtype)), shapes[i],
        listing.sha256[i]);
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> checkpoint_facts(
    const io::Checkpoint& checkpoint) {
  for (const models::ModelEntry& model : models::model_list()) {
    if (model.facts != nullptr && model.recognises(checkpoint.tensors)) {
      return model.facts(checkpoint);
    }
  }
  return {};
}

CheckpointListing list_checkpoint(const std::filesystem::path& file, const config::Config* config) {
  CheckpointListing listing;
  listing.file = file;
  listing.checkpoint = io::read_checkpoint(file);
  listing.file_sha256 = io::sha256_file_hex(file);
  const auto& tensors = listing.checkpoint.tensors;
  for (const io::NamedArray& tensor : tensors) {
    listing.sha256.push_back(io::sha256_hex(tensor.array.bytes()));
    if (io::count_not_finite(tensor.array) > 0) listing.not_finite.push_back(tensor.key);
  }
  listing.unsupported = models::unsupported_model(tensors);
  const models::ModelEntry* wanted =
      config == nullptr
          ? nullptr
          : models::choose_model(config->text("model.name"), config->text("model.family"), tensors);
  for (const models::ModelEntry& model : models::model_list()) {
    const bool is_wanted = &model == wanted;
    auto match = models::match_checkpoint(model, is_wanted ? config : nullptr, tensors);
    if (match.fits() && listing.unsupported.empty())
      listing.fits.push_back(models::full_name(model));
    const bool recognised =
        wanted == nullptr && model.recognises != nullptr && model.recognises(tensors);
    if (is_wanted || (recognised && !listing.compared)) {
      listing.compared = {models::full_name(model), std::move(match)};
    }
  }
  listing.facts = checkpoint_facts(listing.checkpoint);
  return listing;
}

Json listing_json(const CheckpointListing& listing) {
  const io::Checkpoint& checkpoint = listing.checkpoint;
  Json tensors = Json::array();
  for (std::size_t i = 0; i < checkpoint.tensors.size(); ++i) {
    const io::NamedArray& tensor = checkpoint.tensors[i];
    tensors.push_back({{"key", tensor.key},
                       {"shape", tensor.array.shape},
                       {"dtype", io::dtype_name(tensor.array.dtype)},
                       {"sha256", listing.sha256[i]}});
  }
  Json json = {{"schema", "grasppanda.checkpoint/1"},
               {"file", listing.file.string()},
               {"format", checkpoint.format},
               {"container", checkpoint.container},
               {"file_sha256", listing.file_sha256},
               {"tensors", std::move(tensors)},
               {"other", *checkpoint.other},
               {"placeholders", checkpoint.placeholders},
               {"fits", listing.fits},
               {"not_finite", listing.not_finite},
               {"warnings", checkpoint.warnings}};
  if (!listing.unsupported.empty()) json["unsupported"] = listing.unsupported;
  if (!listing.facts.empty()) {
    json["model"] = Json::object();
    for (const auto& [name, value] : listing.facts) json["model"][name] = value;
  }
  if (listing.compared) {
    const models::CheckpointMatch& match = listing.compared->match;
    json["compared_with"] = {{"model", listing.compared->model}, {"fits", match.fits()},
                             {"missing", match.missing},         {"unexpected", match.unexpected},
                             {"wrong_shape", match.wrong_shape}, {"unused", match.unused}};
  }
  return json;
}

std::string listing_text(const CheckpointListing& listing) {
  const io::Checkpoint& checkpoint = listing.checkpoint;
  std::int64_t numbers = 0;
  for (const io::NamedArray& tensor : checkpoint.tensors) numbers += tensor.array.numel();
  std::string fits;
  for (const std::string& model : listing.fits) fits += (fits.empty() ? "" : ", ") + model;

  std::string text;
  add_row(text, "file", io::printable(listing.file.string(), 4096));
  add_row(text, "format",
          checkpoint.format + (checkpoint.container.empty()
                                   ? ", weights at the top level"
                                   : ", weights in '" + checkpoint.container + "'"));
  add_row(text, "sha256", listing.file_sha256);
  add_row(text, "tensors",
          std::to_string(checkpoint.tensors.size()) + " (" + std::to_string(numbers) + " numbers)");
  if (fits.empty()) fits = "none of the models";
  if (!listing.unsupported.empty()) {
    fits += "; it is one of " + listing.unsupported + ", which is not supported";
  }
  add_row(text, "fits", fits);
  for (const auto& [name, value] : listing.facts) add_row(text, name, io::printable(value, 500));
  add_tensors(text, listing);
  add_other(text, *checkpoint.other);
  add_list(text, "foreign objects, kept as names only", checkpoint.placeholders);
  add_list(text, "tensors with NaN or infinite numbers", listing.not_finite);
  if (listing.compared) {
    const auto& [model, match] = *listing.compared;
    add_list(text, "missing for " + model, match.missing);
    add_list(text, "left over for " + model, match.unexpected);
    add_list(text, "of another form than " + model + " wants", match.wrong_shape);
    add_list(text, "known to " + model + " but not used", match.unused);
  }
  return text;
}

}  // namespace grasppanda::app
