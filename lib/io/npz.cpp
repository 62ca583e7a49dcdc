#include "lib/io/npz.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "lib/io/atomic_file.h"
#include "lib/io/content.h"
#include "lib/io/format_error.h"
#include "lib/io/npy.h"

namespace grasppanda::io {

namespace {

constexpr std::string_view kSuffix = ".npy";

const SharedBytes& require_zip(const SharedBytes& bytes, const std::string& name) {
  const Content content = content_of(bytes.span());
  if (content != Content::zip) {
    throw FormatError(name + ": is " + std::string(content_words(content)) +
                      ", a .npz archive is wanted");
  }
  return bytes;
}

}  // namespace

NpzReader::NpzReader(const std::filesystem::path& path)
    : NpzReader(map_file(path), path.string()) {}

NpzReader::NpzReader(const SharedBytes& bytes, const std::string& name)
    : name_(name), archive_(require_zip(bytes, name), name) {
  for (const ZipEntry& entry : archive_.entries()) {
    if (entry.name.ends_with(kSuffix)) {
      names_.push_back(entry.name.substr(0, entry.name.size() - kSuffix.size()));
    }
  }
}

bool NpzReader::contains(std::string_view name) const {
  return archive_.find(std::string(name) + std::string(kSuffix)) != nullptr;
}

SharedBytes NpzReader::read_entry(std::string_view name) const {
  const ZipEntry* entry = archive_.find(std::string(name) + std::string(kSuffix));
  if (entry == nullptr) {
    constexpr std::size_t kShown = 20;
    std::string there;
    for (std::size_t i = 0; i < std::min(names_.size(), kShown); ++i) {
      there += (i > 0 ? ", '" : "'") + names_[i] + "'";
    }
    if (names_.size() > kShown) there += ", ...";
    throw FormatError(name_ + ": holds no array '" + std::string(name) + "'; it holds " +
                      (there.empty() ? "none" : there));
  }
  return archive_.read(*entry);
}

Array NpzReader::read(std::string_view name) const {
  return parse_npy(read_entry(name), name_ + ": array '" + std::string(name) + "'");
}

void write_npz(const std::filesystem::path& path,
               const std::vector<std::pair<std::string, Array>>& arrays) {
  std::set<std::string_view> names;
  for (const auto& [name, array] : arrays) {
    if (!names.insert(name).second) {
      throw std::invalid_argument("two arrays have the name '" + name + "'");
    }
  }
  AtomicFile file(path);
  ZipWriter zip;
  for (const auto& [name, array] : arrays) {
    const std::string header = npy_header(array);
    const std::uint32_t crc = crc32_of(array.bytes(), crc32_of(std::as_bytes(std::span(header))));
    file.write(zip.entry(name + std::string(kSuffix), header.size() + array.byte_size(), crc));
    file.write(header);
    file.write(array.bytes());
  }
  file.write(zip.finish());
  file.commit();
}

}  // namespace grasppanda::io
