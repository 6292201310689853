#!/usr/bin/env bash
# Compares files with real Keras in both directions: Keras saves models, Rhyton loads them, predicts, trains on and saves
# them, Keras loads those, predicts and trains on. Prints a table; exit status 1 if anything differs.
#   scripts/keras_interop.sh                      with the newest Keras of pip
#   scripts/keras_interop.sh --keras 3.0.5        with that version
#   scripts/keras_interop.sh --tf-keras           files of tf.keras (TensorFlow 2.15.1), to Keras 3 and back
#   scripts/keras_interop.sh --tf-keras 2.12.1    of that TensorFlow
#   scripts/keras_interop.sh --share 2/5          only the second fifth of the models; every share has all subjects
#   scripts/keras_interop.sh --only nested/       only models whose names contain that
#   scripts/keras_interop.sh --count 500          with 500 random models instead of 200, different ones on each run
#   scripts/keras_interop.sh --seed 7 --only drawn/7/12   model 12 of the run that printed this seed
# Virtual environments (Python 3.11, as TensorFlow 2.15 needs), models and results are in build/keras_interop.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source=$root/tests/keras_interop
work=$root/build/keras_interop
preset=${PRESET:-release}

keras=newest tf_keras= share=1/1 only= seed=$((RANDOM * 32768 + RANDOM)) count=200
while (($# > 0)); do
  case "$1" in
    --keras) keras=$2; shift 2 ;;
    --share) share=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --seed) seed=$2; shift 2 ;;
    --count) count=$2; shift 2 ;;
    --tf-keras)
      tf_keras=2.15.1
      shift
      [[ ${1:-} == [0-9]* ]] && { tf_keras=$1; shift; } ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done

environment() { "$root/scripts/keras_environment.sh" "$@"; }

# The TensorFlow that an old Keras needs.
tensorflow_for() {
  case "$1" in
    3.[0-2].*) echo tensorflow-cpu==2.16.2 ;;
    3.[34].*) echo tensorflow-cpu==2.17.1 ;;
    *) echo tensorflow-cpu ;;
  esac
}

if [[ $keras == newest ]]; then
  name="keras-newest"
  checker=$(environment keras-newest keras tensorflow-cpu)
else
  name="keras-$keras"
  checker=$(environment "$name" "keras==$keras" "$(tensorflow_for "$keras")")
fi
maker=$checker
library=keras
if [[ -n $tf_keras ]]; then
  name="tf-keras-${tf_keras%.*}"
  maker=$(environment "$name" "tensorflow-cpu==$tf_keras")
  library=tf.keras
fi

mkdir -p "$work"
[[ -e $root/build/$preset/CMakeCache.txt ]] ||
  { "$root/scripts/setup.sh" --tests && cmake -S "$root" --preset "$preset" -DRHYTON_BUILD_TESTS=ON >"$work/build.log"; }
cmake --build "$root/build/$preset" --target keras_interop --parallel "$("$root/scripts/jobs.sh")" >"$work/build.log" 2>&1 ||
  { cat "$work/build.log" >&2; exit 1; }

models=$work/$name/models
rhyton=$work/$name/rhyton
result=$work/$name/result.json
rm -rf "$models" "$rhyton" "$result"
mkdir -p "$models" "$rhyton"
[[ $count == 0 ]] || echo "Seed of the random models: $seed (--seed $seed --count $count)"
# Two processes side by side: TensorFlow runs such small models on one core.
makers=()
for part in 1/2 2/2; do
  INTEROP_LIBRARY=$library "$maker" "$source/make_models.py" "$models" --share "$share" --only "$only" \
    --seed "$seed" --count "$count" --part "$part" &
  makers+=($!)
done
trap 'kill "${makers[@]}" 2>/dev/null' EXIT  # where this script is interrupted
failed=0
for process in "${makers[@]}"; do
  wait "$process" || failed=1
done
trap - EXIT
((failed == 0)) || exit 1
# What an older Keras computes otherwise is compared with the newest one's reading of the same files.
newest=
if grep -q '"computes_alike": false' "$models"/*/case.json; then
  newest=$(environment keras-newest keras tensorflow-cpu)
  "$newest" "$source/reread_models.py" "$models"
fi
# Some hundred warnings are about masks that layers drop, of which Keras warns too.
"$root/build/$preset/tests/bin/keras_interop" "$models" "$rhyton" 2>"$work/$name/warnings.log" ||
  { cat "$work/$name/warnings.log" >&2; exit 1; }
"$checker" "$source/check_models.py" "$models" "$rhyton" "$result"
[[ -z $newest ]] || "$newest" "$source/check_models.py" "$models" "$rhyton" "$result" --reread
"$checker" "$source/write_table.py" "$result"
