#!/usr/bin/env bash
# Kills or stops a worker or the server of many small trainings with parameter servers, at random moments:
#   scripts/lose_tasks.sh BUILD_FOLDER [TIMES [SEED]]     100 times, with the seeds from SEED on; five at a time
# Each training has to end with the right sums, or with one error within 30 s and a backup from which it goes on. A line
# per training says what happened; the exit status is not 0 if any went wrong.
set -euo pipefail

build=${1:?the folder of a build}
times=${2:-100}
first=${3:-$RANDOM}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
seq "$first" $((first + times - 1)) | xargs -P 5 -I{} python3 \
  "$root/tests/framework/distribute/parameter_servers/run_tasks.py" \
  --program "$build/tests/bin/parameter_server_task" --seed {} random
