#!/usr/bin/env bash
# Packs the programs of scripts/gpu_check.sh, with the libraries that a bare machine lacks, for `gpu_check.sh --build
# ARCHIVE`. The C and C++ libraries and CUDA's are those of that machine.
#   scripts/gpu_bundle.sh [BUILD [ARCHIVE]]      build/cuda, build/gpu_bundle.tar.gz
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:-$root/build/cuda}
archive=${2:-$root/build/gpu_bundle.tar.gz}
programs=(bin/{rhyton,device_placement,matpow,matmul,mnist_cnn,workloads} tests/bin/test_gpu)
max_bytes=$((60 << 20))

# Libraries of glibc and of GCC: they must match the other machine's loader.
system='^(ld-linux.*|lib(c|m|mvec|resolv|pthread|dl|rt|util|anl|nsl|nss_.*|gcc_s|stdc\+\+|gomp|atomic))\.so'
cuda='^lib(cuda|cudart|cudnn|cublas|cublasLt|nccl|nvrtc|nvJitLink|nvidia-.*|cufft|curand|cusolver|cusparse)[._-]'

for file in "${programs[@]}" lib/librhyton.so lib/librhyton_gpu.so; do
  [[ -e $build/$file ]] || { echo "There is no $build/$file." >&2; exit 1; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/{bin,tests/bin,lib}
for file in "${programs[@]}"; do strip -o "$folder/$file" "$build/$file"; done
for file in "$build"/lib/librhyton*.so*; do
  if [[ -L $file ]]; then cp -P "$file" "$folder/lib/"; else strip -o "$folder/lib/${file##*/}" "$file"; fi
done

# name<TAB>file of each library that they need; the file is empty if it is missing.
needed() {
  LD_LIBRARY_PATH=$build/lib ldd "${programs[@]/#/$build/}" "$build"/lib/librhyton*.so |
    sed -n 's/^\t\([^ ]*\) => \(\/[^ ]*\) (.*/\1\t\2/p; s/^\t\([^ ]*\) => not found.*/\1\t/p' | sort -u
}
while IFS=$'\t' read -r name file; do
  if [[ $name =~ $system || $name =~ $cuda || $name == librhyton* ]]; then continue; fi
  [[ -n $file ]] || { echo "$name is not found." >&2; exit 1; }
  strip -o "$folder/lib/$name" "$file"
done < <(needed)

mkdir -p "$(dirname "$archive")"
tar -czf "$archive" -C "$folder" bin tests lib
bytes=$(stat -c %s "$archive")
echo "$archive: $((bytes / 1000)) kB, $(find "$folder" -type f | wc -l) files"
if ((bytes > max_bytes)); then
  echo "That is more than $max_bytes bytes." >&2
  exit 1
fi
