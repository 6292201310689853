#!/usr/bin/env bash
# The sections of scripts/gpu_check.sh, which calls this with the name of one and sets the variables. All files
# that it writes are in $logs and begin with that name.
set -eo pipefail
section=$1
: "${root:?}" "${build:?}" "${logs:?}" "${libraries:?}" "${python:?}" "${device:?}"
: "${python_device:?}" "${sanitized:?}" "${sanitized_cudnn?}"

# run PROGRAM ARGUMENT...: one of Rhyton's programs.
run() {
  echo "\$ $*" >&2
  LD_LIBRARY_PATH=$libraries "$build/bin/$1" "${@:2}"
}

fail() {
  echo "$1" >&2
  exit 1
}

# --- The machine -----------------------------------------------------------------------------------------------------

# Fails where a program would not start.
find_libraries() {
  local file missing='' files=("$build"/bin/{rhyton,device_placement,matpow,matmul,mnist_cnn,workloads})
  if [[ -n $has_gpu ]]; then files+=("$build/lib/librhyton_gpu.so" "$build/tests/bin/test_gpu"); fi
  for file in "${files[@]}"; do
    missing+=$(LD_LIBRARY_PATH=$libraries ldd "$file" 2>&1 |
      sed -n "/not found\|No such file/s|^|${file##*/}: |p") || true
  done
  [[ -z $missing ]] || fail "$missing"
}

hardware() {
  uname -srm
  sed -n 's/^PRETTY_NAME=//p' /etc/os-release
  grep -m1 'model name' /proc/cpuinfo
  echo "processors: $(nproc)"
  if [[ -n $has_gpu ]]; then
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv
    nvidia-smi --query-gpu=persistence_mode,clocks.sm,clocks.max.sm,power.draw,mig.mode.current --format=csv || true
  fi
  if command -v nvcc >/dev/null; then nvcc --version | tail -n 2; fi
  "$python" --version
  "$python" -c '
import importlib.metadata
found = {(d.metadata["Name"] or "").lower(): d.version for d in importlib.metadata.distributions()}
names = [name for name in sorted(found) if name.startswith(("nvidia-", "jax", "torch", "triton"))]
print("packages:", ", ".join(f"{name} {found[name]}" for name in names) or "none that count")'
  echo "libraries from: $libraries"
  find_libraries
  [[ -z $require_gpu || -n $has_gpu ]] || fail "nvidia-smi sees no GPU."
}

# --- Correctness -----------------------------------------------------------------------------------------------------

selftest() {
  RHYTON_LOG=device run rhyton devices 2>&1 | tee "$logs/selftest.devices.log"
  if [[ -n $has_gpu ]]; then
    grep -q '^/physical_device:GPU:0' "$logs/selftest.devices.log" || fail "Rhyton does not see the GPU."
  fi
  run device_placement
  run device_placement --logical-devices 2 --memory-limit 256
  run matpow 3 --size 2 --print
  run matmul /CPU:0 64 300 1024 | tee "$logs/selftest.cpu.log"
  [[ -n $has_gpu ]] || return 0
  run matmul /GPU:0 64 300 1024 | tee "$logs/selftest.gpu.log"
  # The same matrices. Rounded to TensorFloat-32 by cutting bits off, each factor shrinks by up to 2^-10, a product by
  # up to 2^-9.
  paste "$logs/selftest.cpu.log" "$logs/selftest.gpu.log" | awk '
    NR > 1 { cpu = $(NF / 2); difference = $NF / cpu - 1; if (difference > 2e-3 || difference < -2e-3) wrong = 1 }
    END { if (wrong || NR != 4) { print "CPU and GPU do not agree."; exit 1 } }'
  run mnist_cnn --device /GPU:0 --epochs 1 --seed 1 --quiet | tee "$logs/selftest.mnist.log"
  grep -q 'val_accuracy: 0\.9[5-9]' "$logs/selftest.mnist.log" || fail "The MNIST CNN does not learn."
}

# shard INDEX COUNT SECONDS COMMAND...: files are numbered from $first_shard on.
first_shard=0
shard() {
  local file=$logs/$section.shard$((first_shard + $1)) status=0
  LD_LIBRARY_PATH=$libraries GTEST_SHARD_INDEX=$1 GTEST_TOTAL_SHARDS=$2 timeout -k 5 "$3" "${@:4}" \
    --gtest_output="xml:$file.xml" >"$file.log" 2>&1 </dev/null || status=$?
  echo "$status" >"$file.status"
}

# shards COUNT SECONDS COMMAND...: tests in COUNT processes, four at a time, each for at most SECONDS seconds: after
# one of them has used an illegal address, all later tests of its process fail.
shards() {
  local index
  for ((index = 0; index < $1; ++index)); do
    while (($(jobs -pr | wc -l) >= 4)); do wait -n || true; done
    shard "$index" "$@" &
  done
  wait
  first_shard=$((first_shard + $1))
}

tests() {
  shards 8 90 "$build/tests/bin/test_gpu"
  "$python" "$root/benchmarks/gpu_tests.py" "$logs" "$section"
}

# sanitize SECONDS FILTER: in four processes, each for at most SECONDS seconds.
sanitize() {
  shards 4 "$1" compute-sanitizer --tool "$section" --error-exitcode 9 "$build/tests/bin/test_gpu" --gtest_filter="$2"
}
read_sanitized() {
  "$python" "$root/benchmarks/gpu_tests.py" "$logs" "$section" --filter "$1"
}
# Rhyton's own kernels first, so that their results do not depend on the time that cuDNN's need. A section has 150 s.
sanitize_all() {
  sanitize 85 "$sanitized"
  if [[ -n $sanitized_cudnn ]]; then sanitize 45 "$sanitized_cudnn"; fi
  read_sanitized "$sanitized${sanitized_cudnn:+:$sanitized_cudnn}"
}
sanitize_own() {
  sanitize 135 "$sanitized"
  read_sanitized "$sanitized"
}
memcheck() { sanitize_all; }
racecheck() { sanitize_own; }
initcheck() { sanitize_own; }
synccheck() { sanitize_all; }

# --- Speed -----------------------------------------------------------------------------------------------------------

failed=0

# time_workload CASE PROGRAM OPTION...: one line of JSON; the options are those of bin/workloads.
time_workload() {
  local name=$1 program=$2 result
  shift 2
  if result=$(run workloads "$@"); then
    result="\"result\": $result"
  else
    result='"error": "it failed, see rhyton.log"'
    failed=1
  fi
  printf '{"case": "%s", "program": "%s", %s}\n' "$name" "$program" "$result" | tee -a "$logs/rhyton.jsonl"
}

# clocked PROGRAM ARGUMENT...: each line after the milliseconds since the program was started.
clocked() {
  local start=${EPOCHREALTIME/./} line
  run "$@" | while IFS= read -r line; do
    echo "$(((${EPOCHREALTIME/./} - start) / 1000)) ms  $line"
  done
}

# The largest sizes come first.
rhyton() {
  local epoch=(--workload epoch --device "$device" --epochs 5 --batch-size) images=() resnet_batch=512 size=10000
  local sizes=(4096 10000) turn
  if [[ -n $trial ]]; then
    images=(--limit 640) epoch=("${images[@]}" "${epoch[@]}") resnet_batch=16 size=256 sizes=(256)
  fi
  local mnist='MNIST CNN, batch 64' resnet="ResNet-20, batch $resnet_batch"
  local step=(--workload resnet20 --device "$device" --batch-size "$resnet_batch")

  time_workload "$mnist" Rhyton "${epoch[@]}" 64
  for turn in 1 2; do
    clocked mnist_cnn --device "$device" --epochs 8 --seed 1 --quiet "${images[@]}" |
      tee "$logs/rhyton.clock$turn.log" || failed=1
  done
  time_workload "$resnet, bfloat16" Rhyton "${step[@]}" --policy mixed_bfloat16
  run matmul "$device" "$size" --products 20 --full-float32 | tee "$logs/rhyton.products_float32.log" || failed=1
  run matmul "$device" "$size" --products 20 | tee "$logs/rhyton.products_tf32.log" || failed=1
  time_workload "$mnist" "Rhyton, two logical GPUs" "${epoch[@]}" 64 --replicas 2

  RHYTON_NO_BRANCHES=1 time_workload "$mnist" "Rhyton, one branch" "${epoch[@]}" 64
  RHYTON_NO_GRAPH=1 time_workload "$mnist" "Rhyton without graph" "${epoch[@]}" 64
  time_workload "MNIST CNN, batch 1024" Rhyton "${epoch[@]}" 1024
  time_workload "$resnet, float32" Rhyton "${step[@]}"
  if [[ -z $trial ]]; then
    time_workload "encoder block" Rhyton --workload encoder_training --device "$device"
    time_workload "recurrent layers" Rhyton --workload recurrent_training --device "$device"
  fi
  run matmul "$device" "${sizes[@]}" | tee "$logs/rhyton.matmul.log" || failed=1
  return "$failed"
}

# peer PROGRAM SMALL...: a program of benchmarks/peers; the small sizes are those of a trial.
peer() {
  local sizes=()
  [[ -z $trial ]] || sizes=("${@:2}")
  "$python" "$root/benchmarks/peers/$1" --device "$python_device" "${sizes[@]}" | tee -a "$logs/$section.jsonl"
}
small=(--epochs 1 --limit 640 --batch-sizes 64 --matmul-sizes 256)
torch() { peer gpu_torch.py "${small[@]}" --product-size 256 --resnet-batch-size 16 --resnet-steps 2; }
jax() { peer gpu_jax.py "${small[@]}"; }

"$section"
