#include "tests/support/torch_writer.h"

#include "lib/io/zip_archive.h"
#include "tests/support/pickle_writer.h"

namespace grasppanda::tests {

namespace {

std::string storage_type(io::DType dtype) {
  switch (dtype) {
    case io::DType::float16:
      return "HalfStorage";
    case io::DType::bfloat16:
      return "BFloat16Storage";
    case io::DType::float64:
      return "DoubleStorage";
    case io::DType::int64:
      return "LongStorage";
    case io::DType::int32:
      return "IntStorage";
    case io::DType::int16:
      return "ShortStorage";
    case io::DType::int8:
      return "CharStorage";
    case io::DType::uint8:
      return "ByteStorage";
    case io::DType::boolean:
      return "BoolStorage";
    default:
      return "FloatStorage";
  }
}

std::string bytes_of(const io::Array& array) {
  return {reinterpret_cast<const char*>(array.data.get()), array.byte_size()};
}

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

// The pickle of a content, and its storages in the order of their keys "0", "1", ...
struct Pickled {
  std::string pickle;
  std::vector<io::Array> storages;
};

class ContentPickle {
 public:
  explicit ContentPickle(const TorchContent& content, bool legacy)
      : content_(content), legacy_(legacy) {}

  Pickled make() {
    writer_.step('}');
    for (const auto& [key, value] : content_.extra.items()) writer_.text(key).json(value).step('s');
    for (const auto& [name, tensors] : content_.sets) {
      if (name.empty()) {
        put(tensors);
      } else {
        writer_.text(name).empty_ordered_dict();
        put(tensors);
        writer_.step('s');
      }
    }
    return {writer_.stop(), std::move(storages_)};
  }

 private:
  void put(const std::vector<io::NamedArray>& tensors) {
    for (const io::NamedArray& tensor : tensors) {
      writer_.text(tensor.key);
      put(tensor.array);
      writer_.step('s');
    }
  }
  void put(const io::Array& array) {
    writer_.global("torch._utils", "_rebuild_tensor_v2").raw("((").text("storage");
    writer_.global("torch", storage_type(array.dtype)).text(std::to_string(storages_.size()));
    writer_.text(content_.location).integer(array.numel());
    if (legacy_) writer_.step('N');  // no view
    writer_.raw("tQ").integer(0).integers(array.shape).integers(row_major_strides(array.shape));
    writer_.boolean(false).empty_ordered_dict().raw("tR");
    storages_.push_back(array);
  }

  const TorchContent& content_;
  bool legacy_;
  PickleWriter writer_;
  std::vector<io::Array> storages_;
};

std::string legacy_file(const Pickled& pickled) {
  std::string file;
  file += PickleWriter().raw("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19").stop();
  file += PickleWriter().integer(1001).stop();
  file += PickleWriter().json({{"protocol_version", 1001}, {"little_endian", true}}).stop();
  file += pickled.pickle;
  nlohmann::ordered_json keys = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < pickled.storages.size(); ++i) keys.push_back(std::to_string(i));
  file += PickleWriter().json(keys).stop();
  for (const io::Array& storage : pickled.storages) {
    const std::int64_t numel = storage.numel();
    file.append(reinterpret_cast<const char*>(&numel), sizeof(numel));
    file += bytes_of(storage);
  }
  return file;
}

}  // namespace

TorchContent torch_content(const GoldenWeights& weights) {
  TorchContent content;
  content.extra = weights.extra;
  content.sets.push_back({weights.container, weights.tensors});
  return content;
}

std::string torch_zip(const std::string& pickle,
                      const std::vector<std::pair<std::string, std::string>>& storages) {
  io::ZipWriter zip;
  std::string file;
  const auto add = [&](const std::string& name, const std::string& bytes) {
    file +=
        zip.entry("archive/" + name, bytes.size(), io::crc32_of(std::as_bytes(std::span(bytes))));
    file += bytes;
  };
  add("data.pkl", pickle);
  add("byteorder", "little");
  for (const auto& [key, bytes] : storages) add("data/" + key, bytes);
  add("version", "3\n");
  return file + zip.finish();
}

std::string torch_file(const TorchContent& content, TorchFormat format) {
  const bool legacy = format == TorchFormat::legacy;
  const Pickled pickled = ContentPickle(content, legacy).make();
  if (legacy) return legacy_file(pickled);
  std::vector<std::pair<std::string, std::string>> storages;
  for (std::size_t i = 0; i < pickled.storages.size(); ++i) {
    storages.push_back({std::to_string(i), bytes_of(pickled.storages[i])});
  }
  return torch_zip(pickled.pickle, storages);
}

}  // namespace grasppanda::tests
