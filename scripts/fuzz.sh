#!/usr/bin/env bash
# Feeds mutated files to the readers (libFuzzer, with AddressSanitizer and UndefinedBehaviorSanitizer).
#   scripts/fuzz.sh [SECONDS [TARGET...]]    each target for SECONDS seconds (60); all targets if none is named
#   RUNS=1000000 scripts/fuzz.sh 3600 zip    ends after 1000000 inputs, or after the time
# Findings are in build/fuzz/artifacts/; inputs that cover new code are kept in build/fuzz/corpus/.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
seconds=${1:-60}
shift $(($# > 0 ? 1 : 0))

"$root/scripts/setup.sh" --fuzz
cd "$root"
cmake --preset fuzz >/dev/null
cmake --build build/fuzz --parallel "$(scripts/jobs.sh)"

targets=("$@")
if ((${#targets[@]} == 0)); then
  for source in tests/fuzz/targets/*.cc; do
    targets+=("$(basename "$source" .cc)")
  done
fi

# The maximum lengths of inputs: enough for the contents of the seeds, since short inputs run faster.
declare -A longest=([json]=1024 [npy]=2048 [image]=4096 [zip]=4096 [model_config]=4096 [run_model]=4096 [weights]=32768 [keras_archive]=65536 [remote_devices]=512 [task_messages]=2048)
# Dictionaries of several targets.
declare -A dictionaries=([run_model]=model_config)

mkdir -p build/fuzz/artifacts build/fuzz/logs
# A request for too much memory must be refused by an exception of Rhyton; otherwise it is an error.
export ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=0:max_allocation_size_mb=1024}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
failed=0
for target in "${targets[@]}"; do
  log=build/fuzz/logs/$target.log
  corpus=build/fuzz/corpus/$target
  mkdir -p "$corpus"
  options=(-max_total_time="$seconds" -max_len="${longest[$target]:-16384}" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1
    -artifact_prefix="build/fuzz/artifacts/$target-")
  [[ -n ${RUNS:-} ]] && options+=(-runs="$RUNS")
  dictionary=tests/fuzz/${dictionaries[$target]:-$target}.dict
  [[ -f $dictionary ]] && options+=(-dict="$dictionary")
  status=0
  "build/fuzz/fuzz/fuzz_$target" "${options[@]}" "$corpus" "build/fuzz/tests/fuzz/seeds/$target" >"$log" 2>&1 ||
    status=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
  if ((status == 0)); then
    echo "$target: ${runs:-0} inputs, nothing found"
  else
    echo "$target: ${runs:-0} inputs, FAILED (exit status $status), see $log"
    failed=1
  fi
done
exit "$failed"
