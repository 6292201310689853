#!/usr/bin/env bash
# Checks and times Rhyton on a machine with a GPU, which needs the driver and a Python with PyTorch's wheels (whose cuBLAS
# and cuDNN are used) and, unless binaries are given, what Rhyton is built with and nvcc. Writes report.md and report.json.
#   scripts/gpu_check.sh                         build/cuda, built first where it is missing
#   scripts/gpu_check.sh --build DIR             the binaries of that build folder
#   scripts/gpu_check.sh --out DIR               reports and logs go there instead of build/gpu_check
#   scripts/gpu_check.sh --only selftest,torch   only these of the sections hardware, selftest, tests, memcheck, racecheck,
#                                                initcheck, rhyton, torch, jax
#   scripts/gpu_check.sh --sanitize FILTER       the GPU tests (gtest's filter) that compute-sanitizer runs
#   scripts/gpu_check.sh --trial                 tries the benchmarks themselves: small, on the CPU
# PYTHON names the Python to use. What needs a GPU is skipped where there is none. Each section has a time limit, all
# together under 9 minutes without the building; one that fails does not keep the others from running. Exit status 1
# where any has failed.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

declare -A limits=([hardware]=15 [selftest]=50 [tests]=100 [memcheck]=30 [racecheck]=30 [initcheck]=30
                   [rhyton]=60 [torch]=150 [jax]=40)
build='' out=$root/build/gpu_check only='' trial=''
sanitized='*Small*:*Gather*:*OneHot*:*Batches*:*Softmax*'
python=${PYTHON:-python3}
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2; exit 2; }
while (($# > 0)); do
  case "$1" in
    --build | --out | --only | --sanitize) (($# > 1)) || usage ;;&
    --build) build=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --sanitize) sanitized=$2; shift 2 ;;
    --trial) trial=yes; shift ;;
    *) usage ;;
  esac
done
for name in ${only//,/ }; do
  [[ -n ${limits[$name]:-} ]] || usage
done

if [[ -z $build ]]; then
  build=$root/build/cuda
  if [[ ! -e $build/bin/matmul ]]; then
    echo "=== building with the preset cuda"
    cmake -S "$root" --preset cuda &&
      cmake --build "$build" --parallel "$("$root/scripts/jobs.sh")" || exit 1
  fi
fi
[[ -d $build/bin ]] || { echo "There are no programs in $build/bin." >&2; exit 2; }
build=$(cd "$build" && pwd)
mkdir -p "$out" || exit 2
out=$(cd "$out" && pwd)
rm -f "$out"/report.* "$out"/sections.tsv "$out"/results.jsonl "$out"/*.log "$out"/*.xml
touch "$out/results.jsonl" "$out/sections.tsv"

PATH=$PATH:/usr/local/cuda/bin  # where nvcc and compute-sanitizer are, often without being named in PATH
# PyTorch's wheels bring the libraries that the module for GPUs needs.
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
export root build out libraries python python_device device has_gpu sanitized trial
export RHYTON_DATASETS=$root/datasets/data PYTHONUNBUFFERED=1

# --- What the sections do --------------------------------------------------------------------------------------------

# run PROGRAM ARGUMENT...: one of Rhyton's programs.
run() {
  local program=$build/bin/$1
  [[ $1 == test_gpu ]] && program=$build/tests/bin/$1
  echo "\$ $*" >&2
  LD_LIBRARY_PATH=$libraries "$program" "${@:2}"
}

hardware() {
  uname -srm
  grep -m1 'model name' /proc/cpuinfo
  echo "processors: $(nproc)"
  if [[ -n $has_gpu ]]; then
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv
  fi
  if command -v nvcc >/dev/null; then nvcc --version | tail -n 2; fi
  "$python" --version
  echo "libraries from: $libraries"
}

selftest() {
  RHYTON_LOG=device run rhyton devices 2>&1 | tee "$out/devices.log"
  if [[ -n $has_gpu ]]; then
    grep -q '^/physical_device:GPU:0' "$out/devices.log" || { echo "Rhyton does not see the GPU." >&2; return 1; }
  fi
  run device_placement
  run device_placement --logical-devices 2 --memory-limit 256
  run matpow 3 --size 2 --print
  run matmul /CPU:0 64 300 1024 | tee "$out/matmul_cpu.log"
  [[ -n $has_gpu ]] || return 0
  run matmul /GPU:0 64 300 1024 | tee "$out/matmul_gpu.log"
  # The same matrices: TensorFloat-32 may change the fourth digit of the sum, and no more.
  paste "$out/matmul_cpu.log" "$out/matmul_gpu.log" | awk '
    NR > 1 { cpu = $(NF / 2); difference = $NF / cpu - 1; if (difference > 1e-3 || difference < -1e-3) wrong = 1 }
    END { if (wrong || NR != 4) { print "CPU and GPU do not agree."; exit 1 } }'
  run mnist_cnn --device /GPU:0 --epochs 1 --seed 1 --quiet | tee "$out/mnist.log"
  grep -q 'val_accuracy: 0\.9[5-9]' "$out/mnist.log" || { echo "The MNIST CNN does not learn." >&2; return 1; }
}

tests() { run test_gpu --gtest_brief=1 --gtest_output="xml:$out/test_gpu.xml"; }

sanitize() {
  LD_LIBRARY_PATH=$libraries compute-sanitizer --tool "$1" --error-exitcode 9 "$build/tests/bin/test_gpu" \
    --gtest_brief=1 --gtest_filter="$sanitized" --gtest_output="xml:$out/$1.xml"
}
memcheck() { sanitize memcheck; }
racecheck() { sanitize racecheck; }
initcheck() { sanitize initcheck; }

# time_workload CASE PROGRAM OPTION...: one line for results.jsonl; the options are those of bin/workloads.
time_workload() {
  local name=$1 program=$2 result
  shift 2
  if result=$(run workloads "$@" --device "$device"); then
    printf '{"case": "%s", "program": "%s", "result": %s}\n' "$name" "$program" "$result" | tee -a "$out/results.jsonl"
  else
    printf '{"case": "%s", "program": "%s", "error": "it failed, see rhyton.log"}\n' "$name" "$program" |
      tee -a "$out/results.jsonl"
    failed=1
  fi
}

rhyton() {
  local failed=0 batch resnet_batch=512 products=(4096 10000) epoch=(--workload epoch --epochs 3)
  if [[ -n $trial ]]; then resnet_batch=16 products=(256) epoch=(--workload epoch --limit 640); fi
  for batch in 64 1024; do
    time_workload "MNIST CNN, batch $batch" Rhyton "${epoch[@]}" --batch-size "$batch"
  done
  time_workload "ResNet-20, batch $resnet_batch, float32" Rhyton --workload resnet20 --batch-size "$resnet_batch"
  run matmul "$device" "${products[@]}" | tee "$out/matmul.log" || failed=1
  if [[ -z $trial ]]; then
    time_workload "ResNet-20, batch $resnet_batch, bfloat16" Rhyton --workload resnet20 --batch-size "$resnet_batch" \
      --policy mixed_bfloat16
    RHYTON_NO_GRAPH=1 time_workload "MNIST CNN, batch 64" "Rhyton without graph" "${epoch[@]}" --batch-size 64
  fi
  return "$failed"
}

# peer PROGRAM SMALL...: a program of benchmarks/peers; the small sizes are those of a trial.
peer() {
  local sizes=()
  [[ -n $trial ]] && sizes=("${@:2}")
  "$python" "$root/benchmarks/peers/$1" --device "$python_device" "${sizes[@]}" | tee -a "$out/results.jsonl"
}
torch() {
  peer gpu_torch.py --epochs 1 --limit 640 --batch-sizes 64 --resnet-batch-size 16 --resnet-steps 2 --matmul-sizes 256
}
jax() { peer gpu_jax.py --epochs 1 --limit 640 --batch-sizes 64 --matmul-sizes 256; }
export -f run hardware selftest tests sanitize memcheck racecheck initcheck time_workload rhyton peer torch jax

# --- Which of them run -----------------------------------------------------------------------------------------------

failures=0
note() { printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${limits[$1]}" "$4" >>"$out/sections.tsv"; }

# section NAME [REASON]: runs it, unless there is a reason not to.
section() {
  local name=$1 reason=${2:-} start=$SECONDS status=0 result=passed
  [[ -z $only || ,$only, == *,$name,* ]] || return 0
  if [[ -n $reason ]]; then
    echo "=== $name: skipped, $reason"
    note "$name" skipped 0 "$reason"
    return 0
  fi
  echo "=== $name, at most ${limits[$name]} s"
  timeout -k 5 "${limits[$name]}" bash -c "set -eo pipefail; $name" 2>&1 | tee "$out/$name.log"
  status=${PIPESTATUS[0]}
  ((status == 0)) || result=failed
  ((status == 124 || status == 137)) && result='timed out'
  [[ $result == passed ]] || failures=$((failures + 1))
  echo "=== $name: $result after $((SECONDS - start)) s"
  note "$name" "$result" "$((SECONDS - start))" "$( ((status == 0)) || echo "exit status $status")"
}

# without_package PACKAGE: why it cannot be asked.
without_package() {
  "$python" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('$1') is None)" 2>/dev/null ||
    echo "$python has no $1"
}
no_gpu=''
[[ -n $has_gpu ]] || no_gpu='no GPU here'
no_device=$no_gpu
[[ -z $trial ]] || no_device=''
no_sanitizer=$no_gpu
[[ -n $no_sanitizer ]] || command -v compute-sanitizer >/dev/null || no_sanitizer='compute-sanitizer is not installed'

section hardware
section selftest
section tests "$no_gpu"
for tool in memcheck racecheck initcheck; do section "$tool" "$no_sanitizer"; done
section rhyton "$no_device"
section torch "${no_device:-$(without_package torch)}"
section jax "${no_device:-$(without_package jax)}"

"$python" "$root/benchmarks/gpu_report.py" "$out" || failures=$((failures + 1))
echo "=== $out/report.md, $out/report.json"
if ((failures > 0)); then
  echo "=== $failures failed, after $SECONDS s"
  exit 1
fi
skipped=$(awk -F'\t' '$2 == "skipped" { printf "%s%s", separator, $1; separator = ", " }' "$out/sections.tsv")
echo "=== all that ran has passed, after $SECONDS s${skipped:+; skipped: $skipped}"
