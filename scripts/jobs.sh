#!/usr/bin/env bash
# Prints how many compilers may run at once: one per processor, if there is 1.5 GB of memory for each.
set -euo pipefail

jobs=$(nproc)
memory=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)
if [[ "$limit" =~ ^[0-9]+$ ]] && ((limit / 1048576 < memory)); then
  memory=$((limit / 1048576))
fi

by_memory=$((memory / 1500))
if ((by_memory < jobs)); then
  jobs=$by_memory
fi
if ((jobs < 1)); then
  jobs=1
fi
echo "$jobs"
