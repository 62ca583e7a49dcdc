#include "app/commands/read_ahead.h"

#include <chrono>
#include <utility>

#include "app/commands/stopwatch.h"
#include "lib/io/format_error.h"

namespace grasppanda::app {

namespace {

// A picture of this size waits alone.
constexpr std::size_t kMostWaiting = std::size_t{192} << 20;

std::size_t picture_bytes(const OpenedInput& opened) {
  return opened.image && opened.image->rgb ? opened.image->rgb->pixels.size() : 0;
}

run::FileStamp shared_stamp(const std::filesystem::path& file,
                            std::map<std::string, run::FileStamp>& stamps) {
  const std::string path = std::filesystem::absolute(file).lexically_normal().string();
  auto found = stamps.find(path);
  if (found == stamps.end()) found = stamps.emplace(path, run::stamp_file(file, path)).first;
  return found->second;
}

// The network's input itself: no mask, no limits, no unit check, in the file's own order.
datasets::MaskedCloud untouched_cloud(const datasets::Frame& frame) {
  datasets::MaskedCloud cloud;
  if (!frame.cloud) return cloud;
  cloud.xyz = frame.cloud->xyz;
  cloud.rgb = frame.cloud->rgb;
  return cloud;
}

}  // namespace

OpenedInput open_and_mask(const datasets::InputRef& input, const InputSettings& settings,
                          std::map<std::string, run::FileStamp>& stamps) {
  OpenedInput opened;
  Stopwatch watch;
  try {
    if (input.kind == datasets::InputRef::Kind::image_file) {
      if (!input.problem.empty()) throw io::FormatError(input.problem);
      opened.image = datasets::open_aerial_image(input.source, settings.image);
      opened.files.push_back(shared_stamp(input.source, stamps));
      opened.read_seconds = watch.lap();
      return opened;
    }
    const datasets::CloudSettings& cloud = settings.cloud;
    opened.frame = datasets::open_input(input, settings.open);
    for (const std::filesystem::path& file : opened.frame.files) {
      opened.files.push_back(shared_stamp(file, stamps));
    }
    if (cloud.object_mask) opened.files.push_back(shared_stamp(*cloud.object_mask, stamps));
    opened.read_seconds = watch.lap();
    const bool as_it_is = input.kind == datasets::InputRef::Kind::network_points;
    opened.cloud =
        as_it_is ? untouched_cloud(opened.frame) : datasets::masked_cloud(opened.frame, cloud);
    opened.cloud_seconds = watch.lap();
  } catch (...) {
    opened.failed = std::current_exception();
    (opened.read_seconds == 0 ? opened.read_seconds : opened.cloud_seconds) = watch.lap();
  }
  return opened;
}

ReadAhead::ReadAhead(std::vector<datasets::InputRef> inputs, InputSettings settings,
                     std::size_t ahead)
    : inputs_(std::move(inputs)),
      settings_(std::move(settings)),
      ahead_(ahead),
      thread_([this] { work(); }) {}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ReadAhead::work() {
  std::map<std::string, run::FileStamp> stamps;
  for (const datasets::InputRef& input : inputs_) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] {
        return stopped_ || (waiting_.size() < ahead_ && waiting_bytes_ < kMostWaiting);
      });
      if (stopped_) return;
    }
    OpenedInput opened = open_and_mask(input, settings_, stamps);
    {
      const std::lock_guard lock(mutex_);
      waiting_bytes_ += picture_bytes(opened);
      waiting_.push_back(std::move(opened));
    }
    changed_.notify_all();
  }
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_all();
}

std::optional<OpenedInput> ReadAhead::next(bool (*give_up)()) {
  std::unique_lock lock(mutex_);
  // A signal does not wake a condition variable, so look now and then.
  while (!changed_.wait_for(lock, std::chrono::milliseconds(50),
                            [this] { return finished_ || !waiting_.empty(); })) {
    if (give_up()) return std::nullopt;
  }
  if (waiting_.empty()) return std::nullopt;
  OpenedInput opened = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_bytes_ -= picture_bytes(opened);
  lock.unlock();
  changed_.notify_all();
  return opened;
}

}  // namespace grasppanda::app
