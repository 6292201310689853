"""The dependence of Rhyton's time on sizes and threads: the runs and their charts."""

import dataclasses
import json
import statistics

from . import measuring
from .plotting import Chart, Point, Series

ALL_IMAGES = 60000


@dataclasses.dataclass(frozen=True)
class Study:
    """One option of the epoch with several values, all others unchanged."""

    option: str
    values: tuple
    title: str
    x_label: str
    is_logarithmic: bool = True


STUDIES = {
    "batch_size": Study(
        "--batch-size", (1, 4, 16, 64, 256, 1024, 4096), "Epoch time against batch size", "images per step"
    ),
    "width": Study("--width", (0.5, 1, 2, 4), "Epoch time against width", "times the filters of 32, 64, 64"),
    "depth": Study(
        "--depth", (1, 2, 4, 8), "Epoch time against depth", "convolutions after the second pooling", False
    ),
}


def threads_name(count):
    return f"{count} thread{'s' if count > 1 else ''}"


@dataclasses.dataclass
class Section:
    """A chart by its file's name, and the text below it on the page."""

    name: str
    chart: Chart
    lines: list


def measure_study(name, program, threads, rounds, images):
    """(value, threads) to the seconds of an epoch of all images, one per round."""
    study = STUDIES[name]
    seconds = {}
    for _ in range(rounds):
        for value in study.values:
            for count in threads:
                result = measuring.run_once([program], "epoch", count, ["--limit", images, study.option, value])
                scaled = result["cases"]["epoch"] * ALL_IMAGES / images
                seconds.setdefault((value, count), []).append(scaled)
                print(f"{name} {value}, {threads_name(count)}: {scaled:.2f} s", flush=True)
    return seconds


def study_sections(name, threads, seconds):
    """The times, and the speed-up of more threads over one."""
    study = STUDIES[name]
    medians = {key: statistics.median(values) for key, values in seconds.items()}
    times = Chart(
        study.title,
        study.x_label,
        "seconds per epoch of 60 000 images",
        [
            Series(
                threads_name(count),
                [
                    Point(value, medians[value, count], min(seconds[value, count]), max(seconds[value, count]))
                    for value in study.values
                ],
            )
            for count in threads
        ],
        x_ticks=study.values,
        x_is_logarithmic=study.is_logarithmic,
        y_is_logarithmic=study.is_logarithmic,
    )
    columns = [f"{threads_name(count)}: s" for count in threads]
    columns += [f"{threads_name(count)} by {threads_name(threads[0])}" for count in threads[1:]]
    lines = [f"| {study.x_label} | {' | '.join(columns)} |", "|---:|" + "---:|" * len(columns)]
    for value in study.values:
        cells = [f"{medians[value, count]:.2f}" for count in threads]
        cells += [f"{medians[value, threads[0]] / medians[value, count]:.2f}" for count in threads[1:]]
        lines.append(f"| {value:g} | {' | '.join(cells)} |")
    sections = [Section(name, times, lines)]
    if len(threads) > 1:
        sections.append(Section(f"{name}_speedup", speedup_chart(study, threads, medians), []))
    return sections


def speedup_chart(study, threads, medians):
    return Chart(
        study.title.replace("Epoch time", "Speed-up by threads"),
        study.x_label,
        f"times as fast as {threads_name(threads[0])}",
        [
            Series(
                threads_name(count),
                [Point(value, medians[value, threads[0]] / medians[value, count]) for value in study.values],
            )
            for count in threads[1:]
        ],
        x_ticks=study.values,
        y_is_logarithmic=False,
    )


def measure_roofline(build, threads):
    """The maximum rates of the machine for each number of threads, and the layers on the maximum number of threads."""
    output = measuring.run_or_explain([build / "bin/machine", *threads])
    machine = json.loads(output.strip().splitlines()[-1])["machine"]
    points = measuring.run_once([build / "bin/workloads"], "roofline", max(threads))["points"]
    return machine, points


def roofline_section(machine, points):
    intensities = [point["operations"] / point["bytes"] for point in points]
    first, last = min(intensities) / 1.5, max(intensities) * 1.5
    series = []
    for limits in machine:
        peak, bandwidth = limits["gflops"], limits["gigabytes_per_second"]
        corners = sorted([first, peak / bandwidth, last])
        series.append(
            Series(
                threads_name(limits["threads"]),
                [Point(x, min(peak, bandwidth * x)) for x in corners],
                has_markers=False,
                is_dashed=True,
            )
        )
    for kind in dict.fromkeys(point["kind"] for point in points):
        group = [point for point in points if point["kind"] == kind]
        series.append(
            Series(
                kind,
                [
                    Point(
                        point["operations"] / point["bytes"],
                        point["operations"] / point["seconds"] / 1e9,
                        label=point["name"],
                    )
                    for point in group
                ],
                has_line=False,
            )
        )
    chart = Chart("Layers below the roofline", "operations per byte of memory", "GFLOP/s", series, height=600)
    lines = ["| threads | multiply-add, GFLOP/s | memory, GB/s |", "|---:|---:|---:|"]
    lines += [
        f"| {limits['threads']} | {limits['gflops']:.0f} | {limits['gigabytes_per_second']:.1f} |" for limits in machine
    ]
    lines += [
        "",
        "| layer, forward | operations per byte | GFLOP/s | GB/s | of the roof |",
        "|---|---:|---:|---:|---:|",
    ]
    top = machine[-1]
    for point in points:
        intensity = point["operations"] / point["bytes"]
        rate = point["operations"] / point["seconds"] / 1e9
        roof = min(top["gflops"], top["gigabytes_per_second"] * intensity)
        bandwidth = point["bytes"] / point["seconds"] / 1e9
        lines.append(
            f"| {point['name']} | {intensity:.1f} | {rate:.1f} | {bandwidth:.1f} | {100 * rate / roof:.0f} % |"
        )
    return Section("roofline", chart, lines)
