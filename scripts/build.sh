#!/usr/bin/env bash
# Configures a preset and builds a target of it; says first how many files that compiles and about how long it takes.
#   scripts/build.sh PRESET TARGET [options of cmake, for example -DRHYTON_BUILD_TESTS=ON]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=$1 target=$2
shift 2

cd "$root"
jobs=$(scripts/jobs.sh)
cmake --preset "$preset" "$@"
# What has not been compiled yet; ninja's own dry run does not look beyond the sources that CMake may have to list anew.
missing=$(ninja -C "build/$preset" -t commands "$target" | sed -n 's/.* -o \([^ ]*\.o\) .*/\1/p' |
  while read -r object; do [[ -e build/$preset/$object ]] || echo "$object"; done)
if [[ -n "$missing" ]]; then
  files=$(wc -l <<<"$missing")
  groups=$(grep -c '/Unity/' <<<"$missing" || true)
  # Means of a cold build (.ninja_log): a file that is compiled by itself takes about five seconds of a processor, since
  # kernels are among them, a group of sources (docs/building.md) about four.
  minutes=$(((files * 5 - groups) / jobs / 60 + 1))
  echo "Compiling $files files with $jobs compilers at once, which takes about $minutes min."
fi
cmake --build "build/$preset" --parallel "$jobs" --target "$target"
