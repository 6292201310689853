#!/usr/bin/env bash
# Builds everything and runs all tests.
#   scripts/test.sh [options of ctest, for example -R layers]
#   PRESET=asan scripts/test.sh     another preset than release
#   PRESET=portable TARGET=instruction_sets scripts/test.sh -L instruction_sets
#                                   builds only that target: the CPU's kernels for each instruction set, and their tests
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${PRESET:-release}

case $preset in
  asan | tsan) "$root/scripts/setup.sh" --sanitizers ;;
  *) "$root/scripts/setup.sh" --tests ;;
esac
"$root/scripts/build.sh" "$preset" "${TARGET:-all}" -DRHYTON_BUILD_TESTS=ON
cd "$root"  # ctest looks for presets in the current folder
exec ctest --preset "$preset" --parallel "$(scripts/jobs.sh)" "$@"
