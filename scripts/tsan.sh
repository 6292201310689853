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

# What the sanitizer cannot see into, or slows down too much.
declare -A filters=(
  [test_framework_distribute]='Mirrored*:ReplicaGroup*:BackgroundSums*:Turns*:HostSums*'
)

"$root/scripts/setup.sh" --tests
cd "$root"
cmake --preset tsan -DRHYTON_BUILD_TESTS=ON >/dev/null
cmake --build build/tsan --parallel "$(scripts/jobs.sh)" --target "${programs[@]}"

export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}
failed=0
for program in "${programs[@]}"; do
  if "build/tsan/tests/bin/$program" --gtest_brief=1 --gtest_filter="${filters[$program]:-*}"; then
    echo "$program: nothing found"
  else
    echo "$program: FAILED"
    failed=1
  fi
done
exit "$failed"
