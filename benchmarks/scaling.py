#!/usr/bin/env python3
"""Measures how Rhyton's epoch depends on batch size, width, depth and threads, and single layers against the maximum
rates of the machine; draws docs/images/*.svg and writes the tables of docs/performance.md.

    cmake --preset release && cmake --build build/release --parallel 2
    benchmarks/scaling.py

On the page only the measured sections are rewritten.
"""

import argparse
import datetime
import os
import pathlib

from comparison import contestants, environment, page, scaling

ROOFLINE = "roofline"
NAMES = [*scaling.STUDIES, ROOFLINE]


def parse_arguments():
    repository = contestants.REPOSITORY
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=repository / "build/release", help="build folder")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, nargs="+", default=sorted({1, cores}))
    parser.add_argument("--images", type=int, default=12800, help="per epoch; times are scaled to 60 000")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--docs", type=pathlib.Path, default=repository / "docs", help="has performance.md")
    return parser.parse_args()


def measure_sections(name, arguments):
    if name == ROOFLINE:
        return [scaling.roofline_section(*scaling.measure_roofline(arguments.build, arguments.threads))]
    program = arguments.build / "bin/workloads"
    seconds = scaling.measure_study(name, program, arguments.threads, arguments.rounds, arguments.images)
    return scaling.study_sections(name, arguments.threads, seconds)


def main():
    arguments = parse_arguments()
    environment.warn_if_busy()
    arguments.build = arguments.build.resolve()
    arguments.threads.sort()
    images = arguments.docs / "images"
    images.mkdir(exist_ok=True)
    for name in NAMES:
        if name not in arguments.only:
            continue
        words = ["benchmarks/scaling.py", "--only", name, "--threads", *arguments.threads]
        if name != ROOFLINE:
            words += ["--rounds", arguments.rounds, "--images", arguments.images]
        lines = [f"{environment.when_and_where(datetime.date.today())}: `{' '.join(map(str, words))}`", ""]
        for section in measure_sections(name, arguments):
            file = images / f"{section.name}.svg"
            file.write_text(section.chart.svg(), encoding="utf-8")
            lines += [f"![{section.chart.title}](images/{file.name})", "", *section.lines, ""]
        page.fill(arguments.docs / "performance.md", name, "\n".join(lines))


main()
