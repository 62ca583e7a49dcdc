#!/usr/bin/env bash
# grasppanda configures, and a program links with LibTorch and runs, where there is no CUDA toolkit.
# If this machine has one, an empty folder is mounted over it in a mount namespace of our own.
#   toolkit_hidden_test.sh CMAKE COMPILER SOURCE_ROOT LIBTORCH_ROOT
set -euo pipefail
cmake=$1 compiler=$2 source=$3 libtorch=$4

if [ "${TOOLKIT_HIDDEN:-}" != yes ]; then
  # The toolkits' folders, and every nvcc on the PATH, which may be a wrapper elsewhere.
  hidden=()
  mapfile -t compilers < <(type -aP nvcc || true)
  for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda* /opt/cuda; do
    [ ! -x "$folder/bin/nvcc" ] || hidden+=("$(readlink -f "$folder")")
  done
  for file in "${compilers[@]}"; do hidden+=("$(readlink -f "$file")"); done
  export TOOLKIT_HIDDEN=yes
  clean=(env -u CUDA_HOME -u CUDA_PATH -u CUDACXX -u LIBRARY_PATH -u LD_LIBRARY_PATH)
  if [ ${#hidden[@]} -eq 0 ]; then exec "${clean[@]}" "$0" "$@"; fi
  HIDDEN=$(printf '%s\n' "${hidden[@]}" | sort -u)
  export HIDDEN
  hide='while read -r path; do
    if [ -d "$path" ]; then mount -t tmpfs none "$path" || exit 78
    elif [ -e "$path" ]; then mount --bind /dev/null "$path" || exit 78; fi
  done <<<"$HIDDEN"'
  if ! unshare -m bash -c "$hide" 2>/dev/null; then
    echo "SKIPPED: this machine has a CUDA toolkit (${hidden[0]}) and does not let us mount over it"
    exit 77
  fi
  exec "${clean[@]}" unshare -m bash -c "$hide; exec \"\$0\" \"\$@\"" "$0" "$@"
fi

if [ -x "$(command -v nvcc)" ] || ls /usr/local/cuda*/bin/nvcc 2>/dev/null; then
  echo "the CUDA toolkit is still in sight; this test would prove nothing"
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" -S "$source" -B "$work/grasppanda" -DCMAKE_CXX_COMPILER="$compiler" \
  -DLIBTORCH_ROOT="$libtorch" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(probe CXX)
set(CMAKE_CXX_STANDARD 20)
list(APPEND CMAKE_MODULE_PATH $source/scripts/cmake)
find_package(LibTorch 2.4 REQUIRED)
add_executable(probe probe.cpp)
target_link_libraries(probe PRIVATE LibTorch::torch LibTorch::openmp)
CMAKE
cat >"$work/project/probe.cpp" <<'CPP'
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
int main() { return at::arange(5).sum().item<int64_t>() == 10 ? 0 : 1; }
CPP
"$cmake" -S "$work/project" -B "$work/build" -DCMAKE_CXX_COMPILER="$compiler" \
  -DLIBTORCH_ROOT="$libtorch" >"$work/log" 2>&1 &&
  "$cmake" --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/build/probe"
