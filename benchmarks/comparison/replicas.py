"""The overhead of replicas: strategies compared with one device, and their communication. See ../distribute.py."""

import json
import shutil
import statistics
import subprocess
import sys

from . import contestants, measuring
from .tables import spread

PROCESSES = 2
# Of the links between the simulated hosts.
RATE = "1gbit"
ENGINE = {
    "team_round": "the threads of two replicas woken and waited for",
    "synchronization_points/1": "… and one synchronization point",
    "synchronization_points/10": "… and ten synchronization points",
    "sum_of_replicas/16": "… and a sum of 16 numbers",
    "sum_of_replicas/4096": "… and a sum of 4096 numbers",
    "renewal/8": "looking whether 8 variables were assigned",
    "renewal/64": "looking whether 64 variables were assigned",
    "run_replicas": "all that is around the replicas' work, none of it",
    "small_step_on_one_device": "product, gradient, update of 8 weights: one device, 1 thread",
    "small_step_on_two_replicas": "the same on two replicas",
    "fit_on_one_device": "step of `fit`, one neuron: one device",
    "fit_on_two_replicas": "the same on two replicas",
}


def started_by_mpi(command):
    # Threads are not bound: a single process must have all cores.
    return ["mpirun", "-np", PROCESSES, "--oversubscribe", "--bind-to", "none", *command]


def over_a_network(command, rate):
    """Runs on two hosts simulated by network namespaces; None if this machine does not permit it."""
    hosts = [contestants.REPOSITORY / "scripts/network_hosts.sh", "--rate", rate, PROCESSES, "--"]
    probe = subprocess.run([*map(str, hosts), "true"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return [*hosts, *command] if probe.returncode == 0 else None


def engine_microseconds(build, repeats):
    """Benchmark to microseconds, one per repetition."""
    output = measuring.run_or_explain(
        [
            build / "bin/distribute",
            "--benchmark_format=json",
            "--benchmark_min_time=0.05",
            f"--benchmark_repetitions={repeats}",
            "--benchmark_enable_random_interleaving=true",
        ]
    )
    times = {}
    # If a benchmark counts its own steps, the time of one.
    for entry in json.loads(output)["benchmarks"]:
        if entry.get("run_type") != "iteration":
            continue
        nanoseconds = entry["step"] * 1e9 if "step" in entry else entry["real_time"]
        times.setdefault(entry["run_name"].removesuffix("/real_time"), []).append(nanoseconds / 1e3)
    return times


def measure(build, threads, rounds):
    """Workload to its line of JSON; those of several processes only if there is an mpirun."""
    program = [build / "bin/workloads"]
    commands = {"mirrored": program, "reduction": program}
    if shutil.which("mpirun"):
        commands |= {name: started_by_mpi(program) for name in ("workers", "process_sums", "messages", "buckets")}
    else:
        print("Without mpirun nothing is measured of several processes", file=sys.stderr)
    results = {}
    for name, command in commands.items():
        print(f"{name} …", file=sys.stderr, flush=True)
        results[name] = measuring.run_once(command, name, threads, ["--rounds", rounds])
    if "buckets" in commands and (command := over_a_network(program, RATE)):
        print("buckets over a network …", file=sys.stderr, flush=True)
        results["buckets_over_network"] = measuring.run_once(command, "buckets", threads, ["--rounds", rounds])
    print("engine …", file=sys.stderr, flush=True)
    results["engine"] = engine_microseconds(build, rounds)
    return results


def ratios(values, reference):
    return [value / other for value, other in zip(values, reference)]


def steps_table(results, threads):
    lines = ["| a training step of the MNIST CNN, 64 images | ms | by the one above all |", "|---|---:|---:|"]
    groups = [(results["mirrored"]["rounds"], "one device", f"one device, {threads} threads")]
    if "workers" in results:
        groups.append((results["workers"]["rounds"], "one process", f"one process, {PROCESSES} threads"))
    for rounds, reference, title in groups:
        for name, seconds in rounds.items():
            milliseconds = spread([1e3 * value for value in seconds])
            if name == reference:
                lines.append(f"| {title} | {milliseconds} | 1 |")
            else:
                where = "of 1 thread, MPI" if name.endswith("processes") else "of `MirroredStrategy`, logical CPUs"
                lines.append(f"| {name} {where} | {milliseconds} | {spread(ratios(seconds, rounds[reference]))} |")
    return lines


def memory_table(reduction):
    titles = {
        "triad": "a[i] = b[i] + 3 · c[i], 3 · 4 bytes per element",
        "copy": "`memcpy`, 2 · 4 bytes per element",
        "sum": "sum of two gradients into two others, 4 · 4 bytes per element",
        "sum in place": "sum of two gradients in place, 4 · 4 bytes per element",
    }
    rates = {
        name: [reduction["bytes"][name] / value / 1e9 for value in seconds]
        for name, seconds in reduction["rounds"].items()
    }
    lines = ["| 100 MB each, 2 threads | GB/s | by the triad's |", "|---|---:|---:|"]
    for name, title in titles.items():
        lines.append(f"| {title} | {spread(rates[name], 1)} | {spread(ratios(rates[name], rates['triad']))} |")
    return lines


def engine_table(times):
    lines = ["| per step, two replicas on logical CPUs | µs |", "|---|---:|"]
    lines += [f"| {title} | {spread(times[name])} |" for name, title in ENGINE.items()]
    for name, alone, together in (
        ("two replicas beyond one device, small function", "small_step_on_one_device", "small_step_on_two_replicas"),
        ("two replicas beyond one device, `fit`", "fit_on_one_device", "fit_on_two_replicas"),
    ):
        more = statistics.median(times[together]) - statistics.median(times[alone])
        lines.append(f"| **{name}** | **{more:.2f}** |")
    return lines


def bytes_text(count):
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB" if count >= 1e3 else f"{count} B"


def messages_table(messages):
    lines = [
        "| per step, 2 processes | parameters | calls | tensors | messages | bytes | in sums, ms | step, ms |",
        "|---|---:|---:|---:|---|---:|---:|---:|",
    ]
    for model in messages["models"]:
        sizes = ", ".join(bytes_text(size) for size in model["messages"])
        lines.append(
            f"| {model['name']} | {model['parameters']} | {model['calls']:g} | {model['tensors']:g} | {sizes} | "
            f"{bytes_text(sum(model['messages']))} | {1e3 * model['sum_seconds']:.2f} | "
            f"{1e3 * model['step_seconds']:.1f} |"
        )
    return lines


def process_sums_table(sums):
    lines = ["| sum over 2 processes | µs | GB/s of the message |", "|---|---:|---:|"]
    for size, seconds in sums["rounds"].items():
        rates = [int(size) / value / 1e9 for value in seconds]
        lines.append(f"| {bytes_text(int(size))} | {spread([1e6 * s for s in seconds], 1)} | {spread(rates)} |")
    return lines


def buckets_table(results):
    title = "a step, 2 processes of 1 thread, 27 million parameters"
    lines = [f"| {title} | one sum, ms | buckets, ms | buckets by one sum |", "|---|---:|---:|---:|"]
    places = {"buckets": "memory of this machine", "buckets_over_network": f"network namespaces, {RATE} a link"}
    for name, place in places.items():
        if name not in results:
            continue
        rounds = results[name]["rounds"]
        columns = [spread([1e3 * value for value in rounds[case]], 0) for case in ("whole", "buckets")]
        lines.append(f"| {place} | {' | '.join(columns)} | {spread(ratios(rounds['buckets'], rounds['whole']))} |")
    return lines


def section(results, threads, head):
    lines = [
        "### Replicas",
        "",
        "Ratios compare turns of the same round, which follow each other in one process, or one job of MPI.",
        "",
        head,
        "",
        *steps_table(results, threads),
        "",
        *memory_table(results["reduction"]),
        "",
        *engine_table(results["engine"]),
        "",
    ]
    if "messages" in results:
        lines += [*messages_table(results["messages"]), "", *process_sums_table(results["process_sums"]), ""]
        lines += [*buckets_table(results), ""]
    return "\n".join(lines)
