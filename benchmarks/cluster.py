#!/usr/bin/env python3
"""Measures how fast variables travel between a client and a server of a cluster, and models from it how training with
parameter servers would scale.

    cmake --preset release && cmake --build build/release --parallel 2
    benchmarks/cluster.py --rounds 7

Takes about two minutes, and requires gRPC; the model also mpirun, for the steps and messages of the models. Rewrites the
section "cluster" of RESULTS.md, and "Parameter servers or all-reduce" of docs/distributed.md with its charts.
"""

import argparse
import datetime
import os
import pathlib
import shutil
import sys

from comparison import cluster, contestants, environment, measuring, page, replicas, server_model

NAME = "cluster"
SCALING = "parameter servers"


def parse_arguments():
    repository = contestants.REPOSITORY
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=repository / "build/release", help="build folder")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--megabytes", type=int, default=100, help="of variables")
    parser.add_argument("--results", type=pathlib.Path, default=repository / "benchmarks/RESULTS.md")
    parser.add_argument("--docs", type=pathlib.Path, default=repository / "docs", help="has distributed.md")
    parser.add_argument("--print", action="store_true", help="only print, leave RESULTS.md and docs alone")
    return parser.parse_args()


def measured_models(build, rounds):
    """Steps and messages of the models; nothing without mpirun."""
    if not shutil.which("mpirun"):
        print("Without mpirun there is no model of the scaling", file=sys.stderr)
        return []
    if os.geteuid() == 0:
        # mpirun otherwise refuses to run as root.
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    command = replicas.started_by_mpi([build / "bin/workloads"])
    return measuring.run_once(command, "messages", 1, ["--rounds", rounds])["models"]


def main():
    arguments = parse_arguments()
    environment.warn_if_busy()
    build = arguments.build.resolve()
    if not cluster.has_programs(build):
        sys.exit(f"{build}/bin lacks cluster, grpc_stream, rhyton or workloads: build them, with gRPC installed")
    os.environ.update(cluster.KEEPING_MEMORY)
    words = ["benchmarks/cluster.py", "--rounds", arguments.rounds, "--megabytes", arguments.megabytes]
    head = f"{environment.when_and_where(datetime.date.today())}: `{' '.join(map(str, words))}`"
    results = cluster.measure(build, arguments.rounds, arguments.megabytes)
    section = cluster.section(results, head)
    print(section, flush=True)
    if not arguments.print:
        page.update(arguments.results, {NAME: section}, [NAME])
    models = measured_models(build, arguments.rounds)
    if not models:
        return
    times = cluster.medians(results)
    scaling = server_model.section(models, times, head, "images")
    print(scaling)
    if arguments.print:
        return
    for name, chart in server_model.charts(models, server_model.measured_server(times)).items():
        (arguments.docs / "images" / f"{name}.svg").write_text(chart.svg(), encoding="utf-8")
    page.fill(arguments.docs / "distributed.md", SCALING, scaling)


main()
