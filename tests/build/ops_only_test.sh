#!/usr/bin/env bash
# GRASPPANDA_OPS_ONLY builds from C++ and LibTorch alone, without Highway too; its program checks the
# kernels and says that they are scalar. Little optimised: what counts is that it builds and agrees.
#   ops_only_test.sh CMAKE COMPILER SOURCE_ROOT LIBTORCH_ROOT
set -euo pipefail
cmake=$1 compiler=$2 source=$3 libtorch=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# No package but LibTorch may be looked for; without pkg-config there is no Highway.
hidden=()
for package in CLI11 yaml-cpp nlohmann_json spdlog Catch2 PNG JPEG TIFF ZLIB OpenSSL PkgConfig; do
  hidden+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done
{
  "$cmake" -S "$source" -B "$work/build" -DCMAKE_CXX_COMPILER="$compiler" -DGRASPPANDA_OPS_ONLY=ON \
    -DGRASPPANDA_CUDA=OFF -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 \
    -DLIBTORCH_ROOT="$libtorch" "${hidden[@]}" &&
    "$cmake" --build "$work/build" --parallel 2
} >"$work/log" 2>&1 || { tail -40 "$work/log"; exit 1; }

status=0
said=$("$work/build/grasppanda_ops" --device cpu --calls 30 --bench 'fps/1024x3000/lowest_index/b1' \
  --pairs 1 2>&1) || status=$?
for wanted in "CPU kernels: scalar" "device: cpu" "fps: cpu: " "knn: cpu: " "fps/1024x3000/lowest_index/b1"; do
  if [ "$status" -ne 0 ] || [[ $said != *"$wanted"* ]]; then
    printf 'wanted status 0 and "%s", got status %s and:\n%s\n' "$wanted" "$status" "$said"
    exit 1
  fi
done
