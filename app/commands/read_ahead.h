// Opens inputs on a thread of its own while the model works on earlier ones.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lib/datasets/aerial_image.h"
#include "lib/datasets/inputs.h"
#include "lib/datasets/masked_cloud.h"
#include "lib/run/file_stamp.h"

namespace grasppanda::app {

/// An input as the loop takes it. With `failed` set, what was reached before is filled in.
struct OpenedInput {
  datasets::Frame frame;
  datasets::MaskedCloud cloud;
  std::optional<datasets::AerialImage> image;  // of an image_file, in place of frame and cloud
  std::vector<run::FileStamp> files;           // that were read, absolute paths
  double read_seconds = 0;                     // files to frame, SHA-256 included
  double cloud_seconds = 0;                    // frame to masked cloud
  std::exception_ptr failed;
};

/// How the inputs of a run are opened.
struct InputSettings {
  datasets::OpenSettings open{};
  datasets::CloudSettings cloud{};
  datasets::ImageSettings image{};  // for detectors
};

/// The work itself, for one input. Does not throw: what went wrong is in `failed`. `stamps` keeps
/// the fingerprints of files that several inputs share.
OpenedInput open_and_mask(const datasets::InputRef& input, const InputSettings& settings,
                          std::map<std::string, run::FileStamp>& stamps);

/// At most `ahead` opened inputs wait, fewer when their pictures are large (bounded memory); they
/// come out in order.
class ReadAhead {
 public:
  ReadAhead(std::vector<datasets::InputRef> inputs, InputSettings settings, std::size_t ahead);
  /// Waits for the input that is being read at the moment.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// The next input, none after the last. `give_up` is asked now and then while there is nothing
  /// yet; when it says yes, there is no next input either.
  std::optional<OpenedInput> next(bool (*give_up)());

 private:
  void work();

  const std::vector<datasets::InputRef> inputs_;
  const InputSettings settings_;
  const std::size_t ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<OpenedInput> waiting_;
  std::size_t waiting_bytes_ = 0;  // of pictures
  bool finished_ = false, stopped_ = false;
  std::thread thread_;  // last: starts when everything else stands
};

}  // namespace grasppanda::app
