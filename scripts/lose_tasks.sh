#!/usr/bin/env bash
# Kills or stops a worker or the server of many small trainings with parameter servers, at random moments:
#   scripts/lose_tasks.sh BUILD_FOLDER [TIMES [SEED]]        100 times with a random seed, which it prints
# Each training has to end with the right sums, or with one error within 30 s and a backup from which it goes on.
set -euo pipefail

build=${1:?the folder of a build}
times=${2:-100}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
exec python3 "$root/tests/framework/distribute/parameter_servers/run_tasks.py" \
  --program "$build/tests/bin/parameter_server_task" --repeat "$times" ${3:+--seed "$3"} random
