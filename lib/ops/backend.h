// Which implementation of an operator runs: reference | compiled | auto. A backend changes speed,
// never a number. No LibTorch header here: the program's configuration check uses it too.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grasppanda::ops {

/// Spelled auto, reference, compiled.
enum class Backend : std::uint8_t { automatic, reference, compiled };

std::string_view backend_name(Backend backend);
/// Nothing for any other text than the three names.
std::optional<Backend> parse_backend(std::string_view name);

/// The operators with a choice; `rotated` stands for all operators of rotated boxes that have one.
inline constexpr std::array<std::string_view, 5> kSelectableOperators = {
    "fps", "ball_query", "cylinder_query", "knn", "rotated"};

/// The configuration key of a choice: "runtime.ops.fps", "runtime.rotated.backend".
inline std::string backend_config_key(std::string_view selectable) {
  return selectable == "rotated" ? "runtime.rotated.backend"
                                 : std::string("runtime.ops.").append(selectable);
}

/// A choice for every selectable operator; as wide as a word, so that it is read and written whole.
struct alignas(8) BackendChoice {
  Backend fps = Backend::automatic, ball_query = Backend::automatic,
          cylinder_query = Backend::automatic, knn = Backend::automatic,
          rotated = Backend::automatic;
  Backend& operator[](std::string_view key);  // throws std::out_of_range
  Backend operator[](std::string_view key) const;
  friend bool operator==(const BackendChoice&, const BackendChoice&) = default;
};

/// The same backend for every selectable operator.
BackendChoice all_backends(Backend backend);

/// Lays the text of GRASPPANDA_OPS over `configured`: one backend for all ("reference"), or a list
/// ("fps=reference,knn=compiled"). Throws ArgumentError naming the part that is wrong.
BackendChoice apply_backend_text(BackendChoice configured, std::string_view text);

/// Sets the choice of the process. Thread-safe. An operator set to `compiled` for which no kernel
/// can run on `device` ("cpu", "cuda") throws BackendError saying why; nothing is changed then.
void select_backends(const BackendChoice& choice, std::string_view device);

/// Overrides the choice of the current thread until it goes out of scope. Nest them freely; destroy
/// them on the thread that made them, in reverse order.
class ScopedBackends {
 public:
  explicit ScopedBackends(const BackendChoice& choice);
  ~ScopedBackends();
  ScopedBackends(const ScopedBackends&) = delete;
  ScopedBackends& operator=(const ScopedBackends&) = delete;

 private:
  std::optional<BackendChoice> previous_;
};

/// The choice in force on this thread.
BackendChoice current_backends();

/// One entry of `ops` in env.json; runs the self-checks so that it says what a run would do.
struct OperatorReport {
  std::string key;                             // "fps"
  std::string requested;                       // "auto"
  std::map<std::string, std::string> settled;  // "cpu" -> "compiled"; "cuda" only with a device
  std::map<std::string, std::string> note;     // per device, when not what auto would like best
};
struct LibraryReport {
  std::string path;
  bool cuda = false;
  std::string isa;
  std::string detail;
};
struct BackendReport {
  std::vector<OperatorReport> operators;
  LibraryReport library;
};
BackendReport backend_report();

}  // namespace grasppanda::ops
