#!/usr/bin/env bash
# An installed copy runs from where it is put, also after it was moved, and says in one line what is
# wrong when its library is gone.
#   installed_copy_test.sh CMAKE BUILD_FOLDER VERSION
set -euo pipefail
cmake=$1 build=$2 version=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/first" >"$work/log" || { cat "$work/log"; exit 1; }
for file in bin/grasppanda lib/libgrasppanda.so share/grasppanda/LICENSE share/grasppanda/README.md \
    share/grasppanda/configs/contact_graspnet.yaml share/grasppanda/docs/install.md \
    share/grasppanda/sources/lib/ops/cuda_module.recipe; do
  [ -s "$work/first/$file" ] || { echo "not installed: $file"; exit 1; }
done
mv "$work/first" "$work/a second place"
program="$work/a second place/bin/grasppanda"
cd "$work"

said=$(env -u LD_LIBRARY_PATH "$program" --version)
[[ $said == *"$version"* ]] || { echo "--version said: $said"; exit 1; }
said=$(env -u LD_LIBRARY_PATH "$program" env --json)
[[ $said == *'"schema"'*"$version"* ]] || { echo "env --json said: $said"; exit 1; }

# The CUDA kernels are compiled from the sources of this copy; the compiler here fails.
mkdir -p "$work/cuda/bin"
cat >"$work/cuda/bin/nvcc" <<'NVCC'
#!/bin/sh
case $1 in
--version) echo "release 13.0, V13.0.1" ;;
--list-gpu-code) echo sm_75 ;;
*) exit 2 ;;
esac
NVCC
chmod +x "$work/cuda/bin/nvcc"
said=$(env -u LD_LIBRARY_PATH CUDA_HOME="$work/cuda" GRASPPANDA_OPS_CACHE="$work/cache" \
  "$program" ops build --force 2>&1) && { echo "ops build cannot have worked: $said"; exit 1; }
if [[ $said != *"no nvcc fits"* ]] &&
    ! grep -q "a second place/share/grasppanda/sources/lib/ops/point/knn_cuda.cu" "$work"/cache/*/build.log; then
  echo "ops build did not compile the sources of this copy: $said"
  exit 1
fi

rm "$work/a second place/lib/libgrasppanda.so"
status=0
env -u LD_LIBRARY_PATH "$program" env >"$work/out" 2>"$work/err" || status=$?
if [ "$status" -ne 3 ] || [ -s "$work/out" ] || [ "$(wc -l <"$work/err")" -ne 1 ] ||
    ! grep -q '^grasppanda: error: .*libgrasppanda\.so' "$work/err"; then
  echo "without libgrasppanda.so: status $status, stdout '$(cat "$work/out")', stderr '$(cat "$work/err")'"
  exit 1
fi
# Help and version do not need it.
"$program" --version >/dev/null
"$program" --help >/dev/null
