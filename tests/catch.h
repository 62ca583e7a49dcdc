// The one header that tests include: LibTorch (where the test uses it) before Catch2, because
// LibTorch defines a CHECK of its own that would silently replace Catch2's.
#pragma once

#ifdef GRASPPANDA_TEST_WITH_LIBTORCH
#include <ATen/ATen.h>
#undef CHECK
#endif

#ifdef GRASPPANDA_CATCH2_V3
#include <catch2/catch_all.hpp>
using Catch::Approx;  // where Catch2 2 has it
#else
#include <catch2/catch.hpp>
#endif

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

namespace grasppanda::tests {

/// The folder of goldens and data (GRASPPANDA_TEST_DATA_DIR), if it is there and holds `part`.
inline std::optional<std::filesystem::path> test_data(const std::string& part) {
  const char* root = std::getenv("GRASPPANDA_TEST_DATA_DIR");
  if (root == nullptr || *root == '\0') return std::nullopt;
  std::filesystem::path path = std::filesystem::path(root) / part;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path;
}

/// Set by GP_SKIP; catch_main.cpp reads it after every test case.
inline bool& case_was_skipped() {
  static bool skipped = false;
  return skipped;
}

inline void say_skipped(const std::string& reason) {
  case_was_skipped() = true;
  std::cout << "SKIPPED: " << reason << std::endl;
}

}  // namespace grasppanda::tests

// Ends a test case that cannot run here, its later sections too, and says why. ctest lists it as
// skipped unless something in it failed before; scripts/test prints the reasons.
#ifdef GRASPPANDA_CATCH2_V3
#define GP_SKIP(reason)                       \
  do {                                        \
    ::grasppanda::tests::say_skipped(reason); \
    SKIP(reason);                             \
  } while (false)
#else
#define GP_SKIP(reason)                       \
  do {                                        \
    ::grasppanda::tests::say_skipped(reason); \
    SUCCEED(reason);                          \
    return;                                   \
  } while (false)
#endif

// `path` as declared by this macro, or the test is skipped.
#define GP_NEED_DATA(path, part)                                                   \
  const auto path##_found = ::grasppanda::tests::test_data(part);                  \
  if (!path##_found)                                                               \
    GP_SKIP(std::string("no '") + (part) +                                         \
            "' in the folder of GRASPPANDA_TEST_DATA_DIR (unset, or without it)"); \
  const auto path = *path##_found
