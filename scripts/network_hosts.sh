#!/usr/bin/env bash
# Runs an MPI program on several simulated hosts, which are network namespaces: rank R runs on host R, with that
# host's name, and reaches the others by TCP only, over a separate link to a common switch (Open MPI; no ssh).
#   scripts/network_hosts.sh 3 -- build/release/bin/mnist_cnn --epochs 1    three hosts: host0, host1, host2
#   --latency 1ms               delay of each packet (us, ms or s; needs the kernel's sch_netem)
#   --rate 1gbit                the rate of each link in each direction (kbit, mbit or gbit; needs sch_tbf)
#   --cut host1 --after 10      takes host1's link down 10 seconds after the program's start, like a pulled cable
#   --grace 10                  seconds for which processes may outlive mpirun before they are reported and killed (10)
#   --keep                      keeps the hosts after the program has ended, until Ctrl-C, and prints how to enter them
# The exit status is mpirun's; 77 if this machine does not permit it, with the reason; 2 for wrong arguments.
# Parameters of Open MPI come from the environment: OMPI_MCA_btl_tcp_links=2 scripts/network_hosts.sh ...
# Hosts share files, processors and the environment, not the network; they cannot reach other networks. Nothing remains
# when the script has ended, in whatever way: hosts and processes are in the script's own namespaces. Without root it
# needs user namespaces.
set -euo pipefail

usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
say() { echo "network_hosts: $*" >&2; }
wrong() { say "$* (--help lists the arguments)"; exit 2; }
skip() { say "skipped: $*"; exit 77; }

# The script runs in three stages: as it was started (check), again in its own namespaces, where it passes signals on
# (attend), and as their first process, whose end ends all processes in them (lead).
stage=check
case "${1:-}" in
  --attend | --lead) stage=${1#--}; shift ;;
esac
given=("$@")

latency='' rate='' cut='' after='' grace=10 keep=''
while (($# > 0)); do
  case "$1" in
    --latency | --rate | --cut | --after | --grace) (($# > 1)) || wrong "$1 needs a value" ;;&
    --latency) latency=$2; shift 2 ;;
    --rate) rate=$2; shift 2 ;;
    --cut) cut=$2; shift 2 ;;
    --after) after=$2; shift 2 ;;
    --grace) grace=$2; shift 2 ;;
    --keep) keep=yes; shift ;;
    -h | --help) usage; exit 0 ;;
    -*) wrong "unknown option $1" ;;
    *) break ;;
  esac
done
number='^[0-9]+(\.[0-9]+)?$'
count=${1:-}
[[ $count =~ ^[1-9][0-9]{0,2}$ && $count -le 250 ]] || wrong "expected a number of hosts from 1 to 250, got '$count'"
[[ ${2:-} == -- && $# -gt 2 ]] || wrong "expected -- and a program after the number of hosts"
shift 2
[[ -z $latency || $latency =~ ^[0-9]+(\.[0-9]+)?(us|ms|s)$ ]] || wrong "expected a latency such as 1ms, got '$latency'"
[[ -z $rate || $rate =~ ^[0-9]+(\.[0-9]+)?[kmg]bit$ ]] || wrong "expected a rate such as 1gbit, got '$rate'"
[[ $grace =~ ^[0-9]+$ ]] || wrong "expected whole seconds for --grace, got '$grace'"
[[ -n $cut || -z $after ]] || wrong "--after goes with --cut"
if [[ -n $cut ]]; then
  [[ $cut =~ ^host(0|[1-9][0-9]{0,2})$ && ${cut#host} -lt $count ]] ||
    wrong "expected host0 to host$((count - 1)) for --cut, got '$cut'"
  [[ $after =~ $number ]] || wrong "--cut goes with --after and a number of seconds, got '$after'"
fi

# check: checks the requirements, and becomes the second stage.
check() {
  local needed self user try reason
  for needed in ip:iproute2 tc:iproute2 unshare:util-linux setpriv:util-linux setsid:util-linux mount:mount \
    hostname:hostname mpirun:openmpi-bin; do
    PATH=$PATH:/usr/sbin:/sbin command -v "${needed%%:*}" >/dev/null ||
      skip "there is no command ${needed%%:*} (Debian: apt-get install ${needed##*:})"
  done
  [[ $(mpirun --version 2>&1) == *'Open MPI'* ]] || skip "mpirun is not Open MPI's"
  self=$(realpath "${BASH_SOURCE[0]}")
  user=() try=()
  ((EUID == 0)) || user=(--user --map-root-user)
  for try in "${user[*]}" '--user --map-root-user'; do
    # shellcheck disable=SC2086  # a list of options
    if reason=$(unshare $try --mount --net --uts --pid --fork true 2>&1); then
      # shellcheck disable=SC2086
      exec unshare $try --mount --net --pid "$self" --attend "${given[@]}"
    fi
  done
  skip "namespaces are not permitted (${reason}); it takes CAP_SYS_ADMIN and CAP_NET_ADMIN (a container: docker run" \
    "--privileged) or user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone," \
    "kernel.apparmor_restrict_unprivileged_userns)"
}

# attend: must start one process only, since the first one's end is the end of all.
attend() {
  local status=0 leader
  setsid setpriv --pdeathsig TERM -- "${BASH_SOURCE[0]}" --lead "${given[@]}" <&0 &
  leader=$!
  trap 'kill -TERM "$leader" 2>/dev/null || true' INT TERM HUP
  if [[ -n $keep ]]; then
    say "to look around: nsenter --target $$ --mount --net --pid=/proc/$$/ns/pid_for_children ip netns exec host0 bash"
  fi
  while true; do
    wait "$leader" && status=0 || status=$?
    kill -0 "$leader" 2>/dev/null || exit "$status"
  done
}

# permitted COMMAND...: runs it; if it fails, the machine does not permit it.
permitted() {
  local reason
  reason=$("$@" 2>&1) || skip "this machine refuses '$*': ${reason//$'\n'/ }"
}

# The hosts, each with eth0, whose other end is a port of the switch. Files below /run are only visible to this script.
make_hosts() {
  local i host beyond=${cut:-none}
  permitted mount -t proc proc /proc
  permitted mount -t tmpfs tmpfs /run
  mkdir /run/sessions
  echo '127.0.0.1 localhost' >/run/hosts
  for ((i = 0; i < count; ++i)); do echo "10.77.0.$((i + 1)) host$i" >>/run/hosts; done
  permitted mount --bind /run/hosts /etc/hosts

  # The program that Open MPI uses as ssh: AGENT HOST COMMAND... Like ssh, it has no information beyond a link that is down.
  if [[ $cut == host0 ]]; then beyond='*'; fi
  cat >/run/agent <<AGENT
#!/bin/sh
setsid ip netns exec "\$1" unshare --uts sh -c 'hostname "\$1" && shift && exec sh -c "\$*"' sh "\$@" &
wait \$!
status=\$?
case "\$1" in
  $beyond) while [ -e /run/cut ] && kill -0 "\$PPID" 2>/dev/null; do sleep 1; done ;;
esac
exit "\$status"
AGENT
  chmod +x /run/agent

  permitted ip link set lo up
  permitted ip link add switch type bridge
  permitted ip link set switch up
  for ((i = 0; i < count; ++i)); do
    host=host$i
    permitted ip netns add "$host"
    permitted ip link add "port$i" type veth peer name eth0 netns "$host"
    permitted ip link set "port$i" master switch up
    permitted ip -n "$host" link set lo up
    permitted ip -n "$host" address add "10.77.0.$((i + 1))/24" dev eth0
    permitted ip -n "$host" link set eth0 up
    permitted ip netns exec "$host" unshare --uts hostname "$host"
    shape "$i"
  done
}

# shape I: limits a host's link to `rate` in each direction, and delays what the switch sends to the host by `latency`.
shape() {
  local bucket=(tbf rate "$rate" burst 64kb latency 50ms) late=(netem limit 10000 delay "$latency")
  if [[ -n $rate ]]; then
    permitted tc -n "host$1" qdisc add dev eth0 root "${bucket[@]}"
    late+=(rate "$rate")
  fi
  if [[ -n $latency ]]; then
    permitted tc qdisc add dev "port$1" root "${late[@]}"
  elif [[ -n $rate ]]; then
    permitted tc qdisc add dev "port$1" root "${bucket[@]}"
  fi
}

milliseconds() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }
seconds_since() { local passed=$(($(milliseconds) - $1)); printf '%d.%d s' $((passed / 1000)) $((passed % 1000 / 100)); }

cut_link() {
  local i
  for ((i = 0; i < count; ++i)); do
    until ip netns pids "host$i" | sed 's|.*|/proc/&/environ|' | xargs -r grep -qs OMPI_COMM_WORLD_RANK=; do
      sleep 0.1
    done
  done
  sleep "$after"
  milliseconds >/run/cut
  ip link set "port${cut#host}" down
  say "the link of $cut is down"
}

# Waits for processes that remain on the hosts, as on one whose link was cut; reports and kills those that do not end.
await_processes() {
  local i process command ended waited=''
  ended=$(milliseconds)
  for ((i = 0; i < count; ++i)); do
    while [[ -n $(ip netns pids "host$i") ]] && (($(milliseconds) < ended + grace * 1000)); do
      waited=yes
      sleep 0.1
    done
    for process in $(ip netns pids "host$i"); do
      command=$(tr '\0' ' ' 2>/dev/null <"/proc/$process/cmdline" || true)
      say "host$i: still running $(seconds_since "$ended") after mpirun, killed: ${command:0:80}"
      kill -KILL "$process" 2>/dev/null || true
    done
  done
  if [[ -n $waited ]]; then say "the last process ended $(seconds_since "$ended") after mpirun"; fi
}

# Ends mpirun, which may wait for ever for a host that it cannot reach.
stop() {
  stopped=yes grace=0
  kill -TERM "$runner" 2>/dev/null || true
  { sleep 5 && kill -KILL "$runner"; } 2>/dev/null &
}

# lead: creates the hosts, runs mpirun on the first and waits for remaining processes.
lead() {
  local hosts status=0
  trap 'exit 143' TERM
  make_hosts
  hosts=$(seq -s , -f host%g 0 $((count - 1)))

  # A lost host ends the job within half a minute: its daemon's connection is idle, so TCP itself must probe it.
  export OMPI_MCA_oob_tcp_keepalive_time=${OMPI_MCA_oob_tcp_keepalive_time:-5}
  export OMPI_MCA_oob_tcp_keepalive_intvl=${OMPI_MCA_oob_tcp_keepalive_intvl:-3}
  export OMPI_MCA_oob_tcp_keepalive_probes=${OMPI_MCA_oob_tcp_keepalive_probes:-3}
  # All hosts share these processors: a rank that waits must let the others work.
  export OMPI_MCA_mpi_yield_when_idle=${OMPI_MCA_mpi_yield_when_idle:-1}
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

  ip netns exec host0 unshare --uts sh -c 'hostname host0 && exec "$@"' sh \
    mpirun --np "$count" --host "$hosts" --map-by node --bind-to none --mca plm rsh --mca plm_rsh_agent /run/agent \
    --mca orte_tmpdir_base /run/sessions --mca pml ob1 --mca btl tcp,self \
    --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 -- "$@" <&0 &
  runner=$!
  trap stop TERM
  if [[ -n $cut ]]; then cut_link & fi

  while true; do
    wait "$runner" && status=0 || status=$?
    kill -0 "$runner" 2>/dev/null || break
  done
  if [[ -s /run/cut ]]; then say "mpirun ended with status $status, $(seconds_since "$(</run/cut)") after the cut"; fi
  [[ -n $stopped ]] || await_processes
  if [[ -n $keep && -z $stopped ]]; then
    say "the program has ended with status $status; the hosts stay until Ctrl-C"
    trap 'exit "$status"' TERM
    sleep infinity &
    wait $!
  fi
  exit "$status"
}

runner='' stopped=''
PATH=$PATH:/usr/sbin:/sbin
"$stage" "$@"
