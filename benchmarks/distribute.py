#!/usr/bin/env python3
"""Measures the overhead of replicas and strategies, and models from it how training would scale over networks.

    cmake --preset release && cmake --build build/release --parallel 2
    benchmarks/distribute.py

Takes about two minutes, and requires mpirun for communication between processes. Rewrites the section "distribute" of
RESULTS.md, and "How it would scale" of docs/distributed.md with its charts.
"""

import argparse
import datetime
import json
import os
import pathlib

from comparison import contestants, environment, network_model, page, replicas

NAME = "distribute"
SCALING = "scaling"


def parse_arguments():
    repository = contestants.REPOSITORY
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=repository / "build/release", help="build folder")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=min(cores, 2), help="of the process without MPI")
    parser.add_argument("--results", type=pathlib.Path, default=repository / "benchmarks/RESULTS.md")
    parser.add_argument("--docs", type=pathlib.Path, default=repository / "docs", help="has distributed.md")
    parser.add_argument("--json", type=pathlib.Path, help="all that was measured goes there too")
    parser.add_argument("--print", action="store_true", help="only print, leave RESULTS.md and docs alone")
    return parser.parse_args()


def write_scaling(docs, measured, head):
    models = measured["messages"]["models"]
    images = docs / "images"
    images.mkdir(exist_ok=True)
    for name, chart in network_model.charts(models).items():
        (images / f"{name}.svg").write_text(chart.svg(), encoding="utf-8")
    text = network_model.section(models, measured["process_sums"], head, images.name)
    page.fill(docs / "distributed.md", SCALING, text)


def main():
    arguments = parse_arguments()
    environment.warn_if_busy()
    if os.geteuid() == 0:
        # mpirun otherwise refuses to run as root.
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    words = ["benchmarks/distribute.py", "--rounds", arguments.rounds, "--threads", arguments.threads]
    head = f"{environment.when_and_where(datetime.date.today())}: `{' '.join(map(str, words))}`"
    measured = replicas.measure(arguments.build.resolve(), arguments.threads, arguments.rounds)
    if arguments.json:
        arguments.json.write_text(json.dumps(measured, indent=1), encoding="utf-8")
    section = replicas.section(measured, arguments.threads, head)
    print(section)
    if arguments.print:
        return
    page.update(arguments.results, {NAME: section}, [NAME])
    if "messages" in measured:
        write_scaling(arguments.docs, measured, head)


main()
