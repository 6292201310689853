#!/usr/bin/env bash
# Runs the tests of threads, replicas and data loading under ThreadSanitizer.
#   scripts/tsan.sh [PROGRAM...]    only these: test_concurrency, test_framework_threading, …
# The first run builds the library anew, below build/tsan.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

programs=("$@")
if ((${#programs[@]} == 0)); then
  programs=(test_concurrency test_framework_threading test_framework_distribute test_datasets)
fi

# What the sanitizer cannot see into, or slows down too much: a filter of gtest for the program.
declare -A filters=(
  [test_framework_distribute]='*-MpiLibrary*'
)

"$root/scripts/setup.sh" --sanitizers
cd "$root"
cmake --preset tsan -DRHYTON_BUILD_TESTS=ON >/dev/null
cmake --build build/tsan --parallel "$(scripts/jobs.sh)" --target "${programs[@]}"

# require_matches PROGRAM FILTER: every pattern of the filter must be the name of some test, else it says nothing.
require_matches() {
  local program=$1 pattern tests
  local -a patterns
  IFS=: read -ra patterns <<<"${2/-/:}"
  for pattern in "${patterns[@]}"; do
    [[ -n "$pattern" ]] || continue
    tests=$("build/tsan/tests/bin/$program" --gtest_list_tests --gtest_filter="$pattern" | grep -c '^  ') || true
    if [[ "$tests" == 0 ]]; then
      echo "scripts/tsan.sh: '$pattern' is no test of $program" >&2
      return 1
    fi
  done
}

export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}
failed=0
for program in "${programs[@]}"; do
  filter=${filters[$program]:-*}
  if require_matches "$program" "$filter" &&
    "build/tsan/tests/bin/$program" --gtest_brief=1 --gtest_filter="$filter"; then
    echo "$program: nothing found"
  else
    echo "$program: FAILED"
    failed=1
  fi
done
exit "$failed"
