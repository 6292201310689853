#!/usr/bin/env bash
# Installs the missing Debian packages that Rhyton is built with, and prints which.
#   scripts/setup.sh                              for the library and the programs
#   scripts/setup.sh --grpc                       also for clusters of tasks (docs/distributed.md)
#   scripts/setup.sh --tests|--lint|--fuzz        also for scripts/test.sh, scripts/lint.sh or scripts/fuzz.sh
#   scripts/setup.sh --sanitizers                 also for the tests under sanitizers, which Clang compiles
set -euo pipefail

# Programs (found by their command, wherever it was installed from) and their packages.
tools=(g++:g++ cmake:cmake ninja:ninja-build pkg-config:pkg-config)
# Libraries; "a|b" accepts either and installs the first.
libraries=(libeigen3-dev libhdf5-dev zlib1g-dev 'libcurl4-openssl-dev|libcurl4-gnutls-dev' libzip-dev libssl-dev
           nlohmann-json3-dev libcli11-dev libfmt-dev libfarmhash-dev libstb-dev)

case "${1:-}" in
  '' | --grpc | --tests | --lint | --fuzz | --sanitizers) ;;
  *)
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2 ;;
esac
if [[ "${1:-}" == --tests || "${1:-}" == --sanitizers || "${1:-}" == --lint ]]; then  # clang-tidy reads the tests too
  tools+=(ccache:ccache python3:python3
          mpirun:openmpi-bin)  # for the tests of several processes; brings libmpi.so.40 (libopenmpi3)
  libraries+=(libgtest-dev libgmock-dev libbenchmark-dev)
fi
if [[ "${1:-}" == --grpc || "${1:-}" == --tests || "${1:-}" == --sanitizers || "${1:-}" == --lint ]]; then
  tools+=(protoc:protobuf-compiler grpc_cpp_plugin:protobuf-compiler-grpc)
  libraries+=(libgrpc++-dev libprotobuf-dev)
fi
if [[ "${1:-}" == --lint ]]; then
  tools+=(clang++:clang clang-format:clang-format clang-tidy:clang-tidy)
elif [[ "${1:-}" == --fuzz || "${1:-}" == --sanitizers ]]; then
  tools+=(python3:python3 clang++:clang)
  libraries+=('libclang-rt-dev|libclang-rt-14-dev')
fi

missing=()
for tool in "${tools[@]}"; do
  command -v "${tool%%:*}" >/dev/null || missing+=("${tool##*:}")
done

installed() {
  [[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}
if command -v dpkg-query >/dev/null; then
  for library in "${libraries[@]}"; do
    IFS='|' read -ra choices <<<"$library"
    for choice in "${choices[@]}"; do
      installed "$choice" && continue 2
    done
    missing+=("${choices[0]}")
  done
elif ((${#missing[@]} == 0)); then
  exit 0  # not Debian: CMake reports the libraries that it cannot find
fi

if ((${#missing[@]} == 0)); then
  exit 0
fi

echo "Missing Debian packages: ${missing[*]}"
refuse() {
  echo "$1 As root, run" >&2
  echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
  echo "and run this again." >&2
  exit 1
}

command -v apt-get >/dev/null || refuse "There is no apt-get here."
as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || refuse "Installing them needs root, and there is no sudo."
  as_root=(sudo)
  if [[ ! -t 0 ]]; then
    as_root=(sudo -n)  # there may be no terminal for a password
  fi
  "${as_root[@]}" true || refuse "Installing them needs root, and sudo refused."
fi

echo "Installing them with apt-get ..."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >>"$log" 2>&1
}
if ! { apt update && apt install -y --no-install-recommends "${missing[@]}"; }; then
  tail -n 20 "$log" >&2
  refuse "apt-get failed."
fi
