#!/usr/bin/env bash
# scripts/gpu_check says in one line that it cannot run where there is no GPU.
#   gpu_check_test.sh SOURCE_ROOT
set -euo pipefail
if ls /proc/driver/nvidia/gpus/* >/dev/null 2>&1 || nvidia-smi -L 2>/dev/null | grep -q GPU; then
  echo "SKIPPED: this machine has a GPU; run scripts/gpu_check itself"
  exit 77
fi
status=0
said=$("$1/scripts/gpu_check" 2>&1) || status=$?
if [ "$status" -ne 77 ] || [[ $said != "gpu_check: SKIPPED: "*GPU* ]]; then
  echo "wanted status 77 and a reason, got status $status and: $said"
  exit 1
fi
"$1/scripts/gpu_check" --help | grep -q "Exit status"
