#!/usr/bin/env python3
"""Measures Rhyton against its peers and writes the results into benchmarks/RESULTS.md.

    cmake --preset release && cmake --build build/release --parallel 2
    benchmarks/peers/setup.sh
    benchmarks/compare.py --rounds 5

Rounds interleave all programs, so that other work on the machine affects all of them alike. In RESULTS.md only the
sections of the measured workloads are rewritten.
"""

import argparse
import datetime
import os
import pathlib
import shlex

from comparison import alone, contestants, environment, measuring, metrics, page, saving, tables, workloads

ALONE = "alone"
SAVING = "saving"
METRICS = "metrics"
NAMES = [*workloads.ALL, METRICS, SAVING, ALONE]
ALL_IMAGES = 60000


def parse_arguments():
    repository = contestants.REPOSITORY
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=repository / "build/release", help="build folder")
    parser.add_argument("--peers", type=pathlib.Path, default=repository / "build/peers", help="see peers/setup.sh")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=sorted({1, cores}))
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, help="these workloads")
    parser.add_argument("--without", nargs="+", choices=[*contestants.PEERS], default=[], help="leave out these peers")
    parser.add_argument("--epochs", type=int, default=1, help="epoch: warm epochs per run")
    parser.add_argument("--limit", type=int, default=ALL_IMAGES, help="epoch: train on the first N images only")
    parser.add_argument("--repeats", type=int, default=5, help="alone: of each measurement")
    parser.add_argument("--megabytes", type=int, default=100, help="saving: of weights")
    parser.add_argument("--results", type=pathlib.Path, default=repository / "benchmarks/RESULTS.md")
    parser.add_argument("--print", action="store_true", help="only print, leave RESULTS.md alone")
    return parser.parse_args()


def head(name, words):
    """When, where and how a section was measured."""
    command = " ".join(map(str, ["benchmarks/compare.py", "--only", name, *words]))
    return f"{environment.when_and_where(datetime.date.today())}: `{command}`"


def measure_section(name, arguments, programs):
    if name == ALONE:
        rows = alone.measure(arguments.build, arguments.repeats)
        return tables.alone_section(rows, head(name, ["--repeats", arguments.repeats]))
    if name == SAVING:
        results = saving.measure(arguments.build, arguments.peers, arguments.rounds, arguments.megabytes)
        words = ["--rounds", arguments.rounds, "--megabytes", arguments.megabytes]
        return saving.section(results, arguments.megabytes, head(name, words))
    if name == METRICS:
        threads = max(arguments.threads)
        times = metrics.measure(arguments.build, arguments.rounds, threads)
        return metrics.section(times, threads, head(name, ["--rounds", arguments.rounds, "--threads", threads]))
    workload = workloads.ALL[name]
    threads = arguments.threads if workload.scales else [max(arguments.threads)]
    words = ["--rounds", arguments.rounds, "--threads", *threads]
    if left_out := [peer for peer in workload.programs if peer in arguments.without]:
        words += ["--without", *map(shlex.quote, left_out)]
    options = []
    if name == "epoch":
        options = ["--epochs", arguments.epochs, "--limit", arguments.limit]
        words += options if arguments.limit < ALL_IMAGES else options[:2]
    results = measuring.measure(name, workload, programs, threads, arguments.rounds, options)
    return tables.workload_section(workload, results, head(name, words))


def main():
    arguments = parse_arguments()
    environment.warn_if_busy()
    arguments.build = arguments.build.resolve()
    # Not resolved: a virtual environment is found by the path of its interpreter.
    arguments.peers = arguments.peers.absolute()
    programs = contestants.present(arguments.build, arguments.peers)
    for peer in arguments.without:
        programs.pop(peer, None)
    for name in NAMES:
        if name not in arguments.only:
            continue
        section = measure_section(name, arguments, programs)
        print(section, flush=True)
        if not arguments.print:
            # One by one, so that an interrupted run keeps its results so far.
            page.update(arguments.results, {name: section}, NAMES)


main()
