#!/usr/bin/env bash
# Installs the environments of the peers' programs below build/peers/ (or the folder given):
#   keras/     Keras with TensorFlow
#   jax/       Keras with JAX
#   torch/     PyTorch: its build without CUDA where pip's index serves one (PIP_EXTRA_INDEX_URL adds an index), else
#              PyPI's, which runs on CPUs too but brings some gigabytes of CUDA along, else Debian's python3-torch
#   onnx/      ONNX Runtime and OpenVINO
#   models/    PyTorch's models of images as ONNX files, which both of them read; written by the PyTorch of torch/
#   openblas/  Debian's OpenBLAS, which Debian's PyTorch is much faster with; unpacked, not installed. The one on
#              OpenMP's threads: PyTorch's own are OpenMP's too, and two pools would fight for the cores
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${1:-$here/../../build/peers}
python=${PYTHON:-python3}
mkdir -p "$target"
target=$(cd "$target" && pwd)

for backend in keras jax; do
  "$python" -m venv "$target/$backend"
  "$target/$backend/bin/pip" install --quiet --requirement "$here/requirements-$backend.txt"
  echo "Keras: $(paste -sd' ' "$here/requirements-$backend.txt")"
done

"$python" -m venv --clear "$target/torch"
if "$target/torch/bin/pip" install --quiet --requirement "$here/requirements-torch.txt" 2>/dev/null; then
  echo "PyTorch: from pip, without CUDA"
elif "$target/torch/bin/pip" install --quiet numpy==2.4.6 torch==2.15.0 torchvision==0.29.2 2>/dev/null; then
  echo "PyTorch: from pip, with CUDA"
elif /usr/bin/python3 -c 'import torch' 2>/dev/null; then
  /usr/bin/python3 -m venv --clear --system-site-packages --without-pip "$target/torch"
  echo "PyTorch: Debian's, $(dpkg-query -W -f='${Version}' python3-torch)"
else
  rm -rf "$target/torch"
  echo "No PyTorch: pip's index serves none, and Debian's python3-torch is not installed." >&2
fi

"$python" -m venv "$target/onnx"
"$target/onnx/bin/pip" install --quiet --requirement "$here/requirements-onnx.txt"
echo "ONNX: $(paste -sd' ' "$here/requirements-onnx.txt")"
if [[ -x $target/torch/bin/pip ]]; then
  "$target/torch/bin/pip" install --quiet --requirement "$here/requirements-export.txt"
  "$target/torch/bin/python" "$here/torch_to_onnx.py" "$target/models"
  echo "ONNX files: $(cd "$target/models" && echo *.onnx)"
else
  rm -rf "$target/onnx"
  echo "No ONNX files, and without them no runtimes for them: pip has installed no PyTorch." >&2
fi

if [[ -e /usr/lib/x86_64-linux-gnu/openblas-openmp/libblas.so.3 ]]; then
  echo "OpenBLAS: installed"
elif [[ -d $target/openblas/usr/lib/x86_64-linux-gnu/openblas-openmp ]]; then
  echo "OpenBLAS: unpacked before"
elif command -v apt-get >/dev/null; then
  packages=$(mktemp -d)
  trap 'rm -rf "$packages"' EXIT
  if (cd "$packages" && apt-get -qq download libopenblas0-openmp >/dev/null 2>&1); then
    dpkg -x "$packages"/libopenblas0-openmp_*.deb "$target/openblas"
    echo "OpenBLAS: unpacked"
  else
    echo "OpenBLAS: not to be had; PyTorch will run with the system's BLAS" >&2
  fi
fi
