#!/usr/bin/env bash
# Creates the virtual environment build/keras_interop/venv/NAME if it is missing, brings one whose name ends with
# "newest" up to date, and prints the path of its Python.
#   scripts/keras_environment.sh NAME PACKAGE...
# Python 3.11, as TensorFlow 2.15 needs.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
name=$1 folder=$root/build/keras_interop/venv/$1
shift

if [[ ! -e $folder/complete ]]; then
  echo "Installing $* ..." >&2
  rm -rf "$folder"
  "$(command -v python3.11 || command -v python3)" -m venv "$folder" >&2
  "$folder/bin/pip" install --quiet --disable-pip-version-check "$@" >&2
  touch "$folder/complete"
elif [[ $name == *newest ]]; then
  "$folder/bin/pip" install --quiet --disable-pip-version-check --upgrade "$@" >&2
fi
echo "$folder/bin/python"
