#!/usr/bin/env bash
# Compares the models of keras.applications with real Keras: Keras makes each with random weights, Rhyton makes it with
# its own function, reads the weights, predicts, trains three steps and writes it, Keras reads that. Prints a table;
# exit status 1 if anything differs.
#   scripts/keras_applications.sh                     all 40, one at a time
#   scripts/keras_applications.sh --share 1/8         only an eighth of them; every share has small and large ones
#   scripts/keras_applications.sh --only ResNet50     only that one
#   scripts/keras_applications.sh --seconds 60        some that take that long together on two cores; which, depends on
#                                                     the commit, or on the text that is given with --seed
#   scripts/keras_applications.sh --docs              writes the results of all runs into docs/applications.md
# The environment of Python is that of scripts/keras_interop.sh. Results are in build/keras_applications.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source=$root/tests/keras_applications
work=$root/build/keras_applications
preset=${PRESET:-release}

arguments=() seconds= seed= docs=
while (($# > 0)); do
  case "$1" in
    --share | --only) arguments+=("$1" "$2"); shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    --seed) seed=$2; shift 2 ;;
    --docs) docs=$root/docs/applications.md; shift ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done

mkdir -p "$work"
if [[ -n $docs ]]; then
  exec python3 -B "$source/compare_applications.py" "$work" --docs "$docs"
fi
if [[ -n $seconds ]]; then
  [[ -n $seed ]] || seed=$(git -C "$root" rev-parse 'HEAD^{tree}' 2>/dev/null || echo none)
  echo "Models for $seconds s: those of --seconds $seconds --seed $seed"
  arguments+=(--seconds "$seconds" --seed "$seed")
fi

python=$("$root/scripts/keras_environment.sh" keras-newest keras tensorflow-cpu)
[[ -e $root/build/$preset/CMakeCache.txt ]] ||
  { "$root/scripts/setup.sh" --tests &&
    cmake -S "$root" --preset "$preset" -DRHYTON_BUILD_TESTS=ON >"$work/build.log"; }
cmake --build "$root/build/$preset" --target keras_applications --parallel "$("$root/scripts/jobs.sh")" \
  >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2; exit 1; }
program=$root/build/$preset/tests/bin/keras_applications
"$python" -B "$source/compare_applications.py" "$program" "$work" "${arguments[@]}"
