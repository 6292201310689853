#!/usr/bin/env bash
# Builds Rhyton and trains the MNIST CNN for five epochs.
#   scripts/demo.sh [options of mnist_cnn, for example --epochs 1 --seed 7]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$root/scripts/setup.sh"
"$root/scripts/build.sh" release mnist_cnn
exec "$root/build/release/bin/mnist_cnn" "$@"
