#!/usr/bin/env bash
# Builds Rhyton and trains the MNIST CNN for five epochs.
#   scripts/demo.sh [options of mnist_cnn, for example --epochs 1 --seed 7]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$root/scripts/setup.sh"
cmake -S "$root" --preset release
cmake --build "$root/build/release" --target mnist_cnn --parallel "$("$root/scripts/jobs.sh")"
exec "$root/build/release/bin/mnist_cnn" "$@"
