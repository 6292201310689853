#!/usr/bin/env bash
# Writes logs with the callback TensorBoard and has the newest TensorBoard of pip read them and answer what its pages ask.
# Its virtual environment and the logs are in build/keras_interop.
#   scripts/tensorboard_check.sh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source=$root/tests/tensorboard
work=$root/build/keras_interop
preset=${PRESET:-release}

# TensorBoard imports pkg_resources, which newer versions of setuptools lack.
python=$("$root/scripts/keras_environment.sh" tensorboard-newest tensorboard 'setuptools<81')
[[ -e $root/build/$preset/CMakeCache.txt ]] ||
  { "$root/scripts/setup.sh" --tests && cmake -S "$root" --preset "$preset" -DRHYTON_BUILD_TESTS=ON >"$work/build.log"; }
cmake --build "$root/build/$preset" --target tensorboard_logs --parallel "$("$root/scripts/jobs.sh")" >"$work/build.log" 2>&1 ||
  { cat "$work/build.log" >&2; exit 1; }

rm -rf "$work/tensorboard"
mkdir -p "$work/tensorboard"
"$root/build/$preset/tests/bin/tensorboard_logs" "$work/tensorboard/logs" >"$work/tensorboard/history.json"
"$python" "$source/check_tensorboard.py" "$work/tensorboard/logs" "$work/tensorboard/history.json"
