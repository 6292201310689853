"""Variables that travel between a client and a server of a cluster, compared with a plain stream of gRPC. See
../cluster.py.
"""

import contextlib
import json
import os
import socket
import statistics
import subprocess

from .measuring import run_or_explain
from .tables import spread

# The malloc of all programs keeps its memory, as those of peers/measurement.py do.
KEEPING_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 32),
    "MALLOC_TOP_PAD_": str(1 << 28),
}
# What Rhyton does, its name in the program's output, and the plain stream's direction that it is divided by.
TRANSFERS = [("`pull`", "pull", "pull"), ("`assign`", "assign", "push"), ("`push`, with the step of SGD", "push", "push")]


def free_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


@contextlib.contextmanager
def running(command):
    """A server, from its first line of output on."""
    words = [str(word) for word in command]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            if not process.stdout.readline():
                raise SystemExit(f"{' '.join(words)} has not started")
            yield
        finally:
            process.terminate()


def has_programs(build):
    return all(os.access(build / "bin" / name, os.X_OK) for name in ("cluster_benchmark", "grpc_stream", "rhyton", "workloads"))


def measure(build, rounds, megabytes):
    """"rhyton" and "plain", each with its runs, one per round, interleaved."""
    programs = build / "bin"
    address, plain_address = free_address(), free_address()
    cluster = json.dumps({"ps": [address]})
    commands = {
        "rhyton": [programs / "cluster_benchmark", cluster, megabytes],
        "plain": [programs / "grpc_stream", "measure", plain_address, megabytes],
    }
    results = {name: [] for name in commands}
    with running([programs / "grpc_stream", "serve", plain_address]):
        for number in range(rounds):
            # A server of each round: the last one has taken steps with the variables.
            with running([programs / "rhyton", "server", "--cluster", cluster, "--job", "ps", "--task", 0]):
                # The order changes from round to round.
                for name in sorted(commands, reverse=number % 2 == 1):
                    results[name].append(json.loads(run_or_explain(commands[name])))
    return results


def medians(results):
    """The median of each of Rhyton's times, and the bytes."""
    runs = results["rhyton"]
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def section(results, head):
    ours, plain = results["rhyton"], results["plain"]
    megabytes = ours[0]["bytes"] / 1e6
    lines = [
        f"| {megabytes:.0f} MB between two processes | ms | GB/s | a plain stream, ms | the plain stream's time by Rhyton's |",
        "|---|---:|---:|---:|---:|",
    ]
    for title, name, direction in TRANSFERS:
        seconds, others = [run[name] for run in ours], [run[direction] for run in plain]
        rates = [run["bytes"] / run[name] / 1e9 for run in ours]
        ratios = [other / own for own, other in zip(seconds, others)]
        lines.append(
            f"| {title} | {spread([1e3 * value for value in seconds], 1)} | {spread(rates)} | "
            f"{spread([1e3 * value for value in others], 1)} | {spread(ratios)} |"
        )
    lines += [
        "",
        f"| one process, {megabytes:.0f} MB | ms |",
        "|---|---:|",
        *(
            f"| a step of {title} | {spread([1e3 * run[name] for run in ours], 1)} |"
            for title, name in (("SGD", "sgd"), ("Adam", "adam"))
        ),
        "",
        f"A call without tensors takes {spread([1e6 * run['call'] for run in ours], 0)} µs.",
    ]
    text = (
        "Variables of 4 MB each between `distribute::RemoteTask` and `rhyton server` over the loopback interface. The "
        "plain stream (`peers/grpc_stream.cc`) sends messages of the same kind that are ready before, and the receiver "
        "throws them away; Rhyton's tensors come out of variables and go into variables or new tensors. Without TLS; all "
        "programs have a malloc that keeps its memory."
    )
    return "\n".join(["### Clusters of tasks", "", text, "", head, "", *lines, ""])
