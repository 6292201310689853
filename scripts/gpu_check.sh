#!/usr/bin/env bash
# Checks and times Rhyton on a machine with a GPU, which needs the driver and a Python with PyTorch's wheels (whose
# cuBLAS and cuDNN are used) and, unless programs are given, what Rhyton is built with and nvcc. Writes report.md,
# report.json and results.tar.gz, which contains both and everything else, into one folder and nowhere else.
#   scripts/gpu_check.sh                         build/cuda, built first if it is missing
#   scripts/gpu_check.sh --build DIR|ARCHIVE     the programs of that build folder, or of scripts/gpu_bundle.sh
#   scripts/gpu_check.sh --out DIR               results go there instead of build/gpu_check
#   scripts/gpu_check.sh --only selftest,torch   only these of the sections hardware, selftest, tests, rhyton, memcheck,
#                                                racecheck, initcheck, synccheck, torch, jax
#   scripts/gpu_check.sh --require-gpu           fails if there is no GPU
#   scripts/gpu_check.sh --sanitize FILTER       the GPU tests (gtest's filter) that compute-sanitizer runs, in place of
#                                                those for kernels of Rhyton's own and those for cuDNN
#   scripts/gpu_check.sh --trial                 tries the benchmarks themselves: small, on the CPU
# Everything can be done in calls with the same --out that end within nine minutes each:
#   scripts/gpu_check.sh --build ARCHIVE --out DIR --require-gpu --only hardware,selftest,tests,rhyton
#   scripts/gpu_check.sh --build ARCHIVE --out DIR --require-gpu --only memcheck,racecheck,initcheck
#   scripts/gpu_check.sh --build ARCHIVE --out DIR --require-gpu --only synccheck,torch,jax
# Results of earlier calls there, or in results.tar.gz alone, remain in the report for sections that do not run again.
# PYTHON names the Python to use. Sections that need a GPU are skipped without one. Each section has a time limit; one
# that fails does not prevent the others from running. Exit status 1 if any has failed.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

sections=(hardware selftest tests rhyton memcheck racecheck initcheck synccheck torch jax)
declare -A limits=([hardware]=20 [selftest]=120 [tests]=200 [rhyton]=120 [memcheck]=150 [racecheck]=150
                   [initcheck]=150 [synccheck]=150 [torch]=240 [jax]=100)
build='' out=$root/build/gpu_check only='' require_gpu='' trial=''
python=${PYTHON:-python3}
# Kernels of Rhyton's own with shared memory, with atomic operations, and with indices that come from data; none of
# these tests calls cuDNN.
conformance=Ops/GpuConformance.Holds
sanitized="$conformance/conv2d_*:$conformance/fused_conv2d_*:$conformance/transpose*:$conformance/sum_*"
sanitized+=":$conformance/*batch_norm*:$conformance/chain*:GpuGroupedUpdates.*:GpuBatches.*"
sanitized+=":GpuGatherGradient.AddsInTheOrder*:GpuSoftmax.NanAndInfinities*:GpuConv.ConvolvesImagesInFloat64"
sanitized+=":$conformance/*recurrent*:GpuConvMaxPool.KernelGradients*:SmallProduct.TakesBatches"
# Calls of cuDNN. racecheck and initcheck would search its kernels, which are slow there, for faults that are not ours.
sanitized_cudnn='GpuConv.ConvolvesImagesOfManyChannels:GpuConv.PadsMoreBelow*'

usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2; exit 2; }
while (($# > 0)); do
  case "$1" in
    --build | --out | --only | --sanitize) (($# > 1)) || usage ;;&
    --build) build=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --sanitize) sanitized=$2 sanitized_cudnn=''; shift 2 ;;
    --require-gpu) require_gpu=yes; shift ;;
    --trial) trial=yes; shift ;;
    *) usage ;;
  esac
done
for name in ${only//,/ }; do
  [[ -n ${limits[$name]:-} ]] || usage
done
runs() { [[ -z $only || ,$only, == *,$1,* ]]; }

mkdir -p "$out" || exit 2
out=$(cd "$out" && pwd)

# --- The programs ----------------------------------------------------------------------------------------------------

if [[ -z $build ]]; then
  build=$root/build/cuda
  if [[ ! -e $build/bin/matmul ]]; then
    echo "=== building with the preset cuda"
    cmake -S "$root" --preset cuda &&
      cmake --build "$build" --parallel "$("$root/scripts/jobs.sh")" || exit 1
  fi
elif [[ -f $build ]]; then
  mkdir -p "$out/programs" && tar -xzf "$build" -C "$out/programs" || exit 2
  build=$out/programs
fi
[[ -d $build/bin ]] || { echo "There are no programs in $build/bin." >&2; exit 2; }
build=$(cd "$build" && pwd)

# --- Results of earlier calls ----------------------------------------------------------------------------------------

logs=$out/logs
if [[ ! -d $logs && -f $out/results.tar.gz ]]; then tar -xzf "$out/results.tar.gz" -C "$out" logs || exit 2; fi
mkdir -p "$logs" || exit 2
for name in "${sections[@]}"; do
  if runs "$name"; then rm -f "$logs/$name".*; fi
done

# --- The machine -----------------------------------------------------------------------------------------------------

# The driver resets a card that no process has open, and each program would wait for its initialization.
if [[ -r /dev/nvidia0 ]]; then exec 9</dev/nvidia0; fi

PATH=$PATH:/usr/local/cuda/bin  # where nvcc and compute-sanitizer are, often without being named in PATH
# PyTorch's wheels contain the libraries that the module for GPUs needs.
wheels=$("$python" -c '
import glob, importlib.util
spec = importlib.util.find_spec("nvidia")
roots = spec.submodule_search_locations if spec else []
print(":".join(folder for root in roots for folder in sorted(glob.glob(root + "/*/lib"))))' 2>/dev/null)
libraries=$build/lib${wheels:+:$wheels}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
has_gpu=''
nvidia-smi -L 2>/dev/null | grep -q '^GPU ' && has_gpu=yes
device=/GPU:0 python_device=cuda
if [[ -n $trial ]]; then device=/CPU:0 python_device=cpu; fi
export root build logs libraries python python_device device has_gpu require_gpu sanitized sanitized_cudnn trial
export RHYTON_DATASETS=$root/datasets/data PYTHONUNBUFFERED=1 LC_ALL=C

no_gpu=''
[[ -n $has_gpu ]] || no_gpu='no GPU here'
no_device=$no_gpu
[[ -z $trial ]] || no_device=''
no_sanitizer=$no_gpu
[[ -n $no_sanitizer ]] || command -v compute-sanitizer >/dev/null || no_sanitizer='compute-sanitizer is not installed'

# without_package PACKAGE: why it cannot run.
without_package() {
  "$python" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('$1') is None)" 2>/dev/null ||
    echo "$python has no $1"
}

# reason_to_skip SECTION
reason_to_skip() {
  case "$1" in
    hardware | selftest) ;;
    tests) echo "$no_gpu" ;;
    rhyton) echo "$no_device" ;;
    *check) echo "$no_sanitizer" ;;
    torch | jax) echo "${no_device:-$(without_package "$1")}" ;;
  esac
}

# --- Run -------------------------------------------------------------------------------------------------------------

failures=0
note() { printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${limits[$1]}" "$4" >"$logs/$1.section"; }
report() { "$python" "$root/benchmarks/gpu_report.py" "$out" ${trial:+--trial}; }

# section NAME: runs it, unless there is a reason to skip it.
section() {
  local name=$1 reason start=$SECONDS status=0 result=passed
  reason=$(reason_to_skip "$name")
  if [[ -n $reason ]]; then
    [[ -z $require_gpu || $reason != "$no_gpu" ]] || { result=failed; failures=$((failures + 1)); }
    [[ $result == failed ]] || result=skipped
    echo "=== $name: $result, $reason"
    note "$name" "$result" 0 "$reason"
    return
  fi
  echo "=== $name, at most ${limits[$name]} s"
  note "$name" 'cut off' 0 'the check itself was ended'
  # tee has a limit too: a process that outlives its section may hold its output open.
  timeout -k 5 "${limits[$name]}" bash "$root/scripts/gpu_sections.sh" "$name" 2>&1 |
    timeout $((limits[$name] + 10)) tee "$logs/$name.log"
  status=${PIPESTATUS[0]}
  ((status == 0)) || result=failed
  ((status == 124 || status == 137)) && result='timed out'
  [[ $result == passed ]] || failures=$((failures + 1))
  echo "=== $name: $result after $((SECONDS - start)) s"
  note "$name" "$result" "$((SECONDS - start))" "$( ((status == 0)) || echo "exit status $status")"
  report  # a report of the finished sections, however the check ends
}

# One file is easier to copy.
pack() {
  local files=(logs) name
  for name in report.md report.json; do [[ ! -f $out/$name ]] || files+=("$name"); done
  tar -czf "$out/results.tar.gz.new" -C "$out" "${files[@]}" && mv "$out/results.tar.gz.new" "$out/results.tar.gz" &&
    rm -rf "$logs"
  rm -rf "$out/programs"
}
trap pack EXIT

skipped=''
for name in "${sections[@]}"; do
  runs "$name" || continue
  section "$name"
  if grep -q $'\tskipped\t' "$logs/$name.section"; then skipped+=", $name"; fi
done
report || failures=$((failures + 1))

sed -n '/^## Musts/,/^## Sections/p' "$out/report.md" | sed '$d'
echo "=== $out/report.md, $out/report.json, $out/results.tar.gz"
if ((failures > 0)); then
  echo "=== $failures failed, after $SECONDS s"
  exit 1
fi
echo "=== all that ran has passed, after $SECONDS s${skipped:+; skipped: ${skipped#, }}"
