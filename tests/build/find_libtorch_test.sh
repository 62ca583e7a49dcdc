#!/usr/bin/env bash
# FindLibTorch and the ABI check on made-up LibTorch trees: every layout is found, everything else
# is refused with a sentence that helps. One build folder for all: an earlier answer must not stick.
#   find_libtorch_test.sh CMAKE COMPILER SOURCE_ROOT
set -euo pipefail
cmake=$1 compiler=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/c10.cpp" <<'CPP'
#include <string>
namespace c10::detail {
void torchInternalAssertFail(const char*, const char*, unsigned, const char*, const std::string&) {}
}
CPP
echo 'int torch_cpu;' >"$work/torch_cpu.cpp"

# tree INCLUDE LIB VERSION ABI
tree() {
  mkdir -p "$1/ATen" "$1/torch/csrc/api/include/torch" "$2"
  touch "$1/ATen/ATen.h"
  printf '#define TORCH_VERSION_MAJOR %s\n#define TORCH_VERSION_MINOR %s\n#define TORCH_VERSION_PATCH %s\n' \
    ${3//./ } >"$1/torch/csrc/api/include/torch/version.h"
  "$compiler" -std=c++17 -shared -fPIC -D_GLIBCXX_USE_CXX11_ABI="$4" -o "$2/libc10.so" "$work/c10.cpp"
  "$compiler" -shared -fPIC -o "$2/libtorch_cpu.so" "$work/torch_cpu.cpp"
}
tree "$work/wheel/torch/include" "$work/wheel/torch/lib" 2.11.0 1
tree "$work/archive/libtorch/include" "$work/archive/libtorch/lib" 2.4.1 1
tree "$work/prefix/include" "$work/prefix/lib/$("$compiler" -print-multiarch)" 2.6.0 1
tree "$work/old/include" "$work/old/lib" 1.13.1 1
tree "$work/old_abi/include" "$work/old_abi/lib" 2.5.1 0
mkdir "$work/empty"
mkdir -p "$work/half/include" && cp -r "$work/wheel/torch/include/ATen" "$work/half/include/"

mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(probe CXX)
list(APPEND CMAKE_MODULE_PATH $source/scripts/cmake)
find_package(LibTorch 2.4 REQUIRED)
find_package(spdlog REQUIRED)
include(CheckCxxAbi)
check_cxx_abi(spdlog::spdlog "#include <spdlog/spdlog.h>
  int main() { return spdlog::get(std::string()) == nullptr; }")
CMAKE

failures=0
# expect STATUS TEXT ROOT
expect() {
  local status=0 said
  said=$("$cmake" -S "$work/project" -B "$work/build" -DCMAKE_CXX_COMPILER="$compiler" \
    -DLIBTORCH_ROOT="$3" 2>&1) || status=1
  said=$(tr -s ' \n' ' ' <<<"$said")  # CMake breaks its lines
  if [ "$status" != "$1" ] || [[ $said != *"$2"* ]]; then
    printf 'LIBTORCH_ROOT=%s: wanted status %s and "%s", got status %s and:\n%s\n' \
      "$3" "$1" "$2" "$status" "$said"
    failures=$((failures + 1))
  fi
}
expect 0 "LibTorch 2.11.0 in $work/wheel/torch (C++11 ABI: 1)" "$work/wheel"
expect 0 "LibTorch 2.4.1 in $work/archive/libtorch " "$work/archive"
expect 0 "LibTorch 2.11.0 in $work/wheel/torch " "$work/wheel/torch"
expect 0 "LibTorch 2.6.0 in $work/prefix " "$work/prefix"
expect 1 "LibTorch 1.13.1 in $work/old is too old: grasppanda needs 2.4 or newer." "$work/old"
expect 1 "no include/ATen/ATen.h with lib/libtorch_cpu.so and lib/libc10.so under LIBTORCH_ROOT=$work/empty." "$work/empty"
expect 1 "no include/ATen/ATen.h with lib/libtorch_cpu.so and lib/libc10.so under LIBTORCH_ROOT=$work/half." "$work/half"
expect 1 "old C++ ABI (_GLIBCXX_USE_CXX11_ABI=0), but spdlog::spdlog of this system was not" "$work/old_abi"
expect 0 "LibTorch 2.11.0 in $work/wheel/torch (C++11 ABI: 1)" "$work/wheel"
[ "$failures" -eq 0 ]
