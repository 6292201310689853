#!/usr/bin/env bash
# clang-format and clang-tidy over the tree; changes nothing.
#   scripts/lint.sh            everything
#   scripts/lint.sh FILE...    only these sources
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$root/scripts/setup.sh" --lint
cd "$root"

if (($#)); then
  files=("$@")
else
  folders=()
  for folder in framework layers optimizers models datasets applications apps tests benchmarks; do
    [[ -d $folder ]] && folders+=("$folder")
  done
  mapfile -t files < <(find . -maxdepth 1 -name '*.h' -printf '%P\n'
                       ((${#folders[@]})) && find "${folders[@]}" -name '*.h' -o -name '*.cc' -o -name '*.cu' | sort)
fi

echo "clang-format: ${#files[@]} files"
printf '%s\0' "${files[@]}" | xargs -0 -r clang-format --dry-run -Werror

# A separate build folder, in which nothing is compiled: the commands are clang's, with neither ccache nor precompiled
# headers, so that missing includes are found.
mkdir -p build
cmake -S . -B build/lint -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++ -DRHYTON_CCACHE=OFF \
  -DRHYTON_WERROR=OFF -DRHYTON_UNITY=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >build/lint-configure.log 2>&1 || { cat build/lint-configure.log; exit 1; }
# Sources include headers that protoc generates.
if grep -q '^build rhyton_grpc_sources:' build/lint/build.ninja; then
  cmake --build build/lint --target rhyton_grpc_sources >build/lint-configure.log 2>&1 ||
    { cat build/lint-configure.log; exit 1; }
fi
# Device code is only checked by clang-format: clang-tidy would see it in the form that the emulation compiles.
mapfile -t examined < <(printf '%s\n' "${files[@]}" | grep -v '\.cu$')
exec python3 scripts/tidy.py build/lint "$("$root/scripts/jobs.sh")" "${examined[@]}"
