#!/usr/bin/env bash
# The program itself must not load LibTorch (or the library that does) to print its help.
#   program_needs_no_torch_test.sh PROGRAM LIBRARY
set -euo pipefail
needed() { readelf --dynamic --wide "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
if heavy=$(needed "$1" | grep -E 'torch|c10|cuda|cupti|gomp|grasppanda'); then
  echo "$1 needs" $heavy
  exit 1
fi
# The same question must find LibTorch where it is, or it would prove nothing.
needed "$2" | grep -q '^libtorch_cpu\.so' || { echo "$2 does not need libtorch_cpu.so"; exit 1; }
