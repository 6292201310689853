"""Models the time of a step with many workers, from measurements on two."""

import dataclasses
import math
import statistics

from .plotting import Chart, Point, Series

WORKERS = [2**power for power in range(11)]
TABULATED = [8, 64, 1024]
SAMPLES_PER_WORKER = 64
SAMPLES_OF_ALL = 1024
# framework/distribute/mpi/all_reduce.cc: up to here recursive doubling, …
SMALL_BYTES = 16 * 1024
# … from here on a ring for each worker, with recursive halving and doubling between them, for powers of two of workers.
LARGE_PART_BYTES = 256 * 1024


@dataclasses.dataclass(frozen=True)
class Network:
    name: str
    # Of one link, in each direction.
    bytes_per_second: float
    latency_seconds: float


NETWORKS = [
    Network("10 GbE", 10e9 / 8, 30e-6),
    Network("InfiniBand 100 Gb/s", 100e9 / 8, 2e-6),
    Network("NVLink class", 300e9, 5e-6),
]


def doubling_seconds(size, workers, network):
    return math.ceil(math.log2(workers)) * (network.latency_seconds + size / network.bytes_per_second)


def ring_seconds(size, workers, network):
    share = 2 * (workers - 1) / workers * size / network.bytes_per_second
    return share + 2 * (workers - 1) * network.latency_seconds


def halving_seconds(size, workers, network):
    """Recursive halving and doubling: the bytes of a ring in few rounds."""
    share = 2 * (workers - 1) / workers * size / network.bytes_per_second
    return share + 2 * math.ceil(math.log2(workers)) * network.latency_seconds


def large_seconds(size, workers, network):
    """Rhyton's algorithm for large sums."""
    return (ring_seconds if size / workers >= LARGE_PART_BYTES else halving_seconds)(size, workers, network)


def sum_seconds(messages, workers, network, large=large_seconds):
    if workers == 1:
        return 0.0
    return sum((doubling_seconds if size <= SMALL_BYTES else large)(size, workers, network) for size in messages)


def measured_steps(model):
    """Samples and seconds of a step of one worker alone, by samples."""
    return sorted((int(count), seconds) for count, seconds in model["alone"].items())


def compute_seconds(model, samples):
    """Interpolates and extrapolates linearly between the measured numbers of samples."""
    points = measured_steps(model)
    left, right = next(((a, b) for a, b in zip(points, points[1:]) if samples <= b[0]), (points[-2], points[-1]))
    slope = (right[1] - left[1]) / (right[0] - left[0])
    return max(left[1] + slope * (samples - left[0]), 0.0)


def weak_efficiency(model, workers, network, large=large_seconds, speed=1.0):
    compute = compute_seconds(model, SAMPLES_PER_WORKER) / speed
    return compute / (compute + sum_seconds(model["messages"], workers, network, large))


def strong_speed_up(model, workers, network, large=large_seconds):
    alone = compute_seconds(model, SAMPLES_OF_ALL)
    step = compute_seconds(model, SAMPLES_OF_ALL / workers)
    return alone / (step + sum_seconds(model["messages"], workers, network, large))


def chart(title, y_label, function, model, y_is_logarithmic):
    def series(name, network, large, is_dashed=False):
        points = [Point(workers, function(model, workers, network, large)) for workers in WORKERS]
        return Series(name, points, has_markers=not is_dashed, is_dashed=is_dashed)

    lines = [series(network.name, network, large_seconds) for network in NETWORKS]
    lines.append(series("10 GbE, rings only", NETWORKS[0], ring_seconds, is_dashed=True))
    ticks = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
    return Chart(title, "workers", y_label, lines, x_ticks=ticks, y_is_logarithmic=y_is_logarithmic, height=360)


def file_name(model):
    return "".join(letter if letter.isalnum() else "_" for letter in model["name"].lower().split(",")[0])


def charts(models):
    """File name to chart."""
    result = {}
    for model in models:
        name = model["name"]
        result[f"scaling_weak_{file_name(model)}"] = chart(
            f"{name}: {SAMPLES_PER_WORKER} samples per worker (modelled)",
            "efficiency",
            weak_efficiency,
            model,
            y_is_logarithmic=False,
        )
        result[f"scaling_strong_{file_name(model)}"] = chart(
            f"{name}: {SAMPLES_OF_ALL} samples per step (modelled)",
            "times as fast as one worker",
            strong_speed_up,
            model,
            y_is_logarithmic=True,
        )
    return result


def percent(value):
    return f"{100 * value:.0f} %" if value >= 0.095 else f"{100 * value:.1f} %"


def times(value):
    return f"{value:.3g}"


def table(models, title, function, show, large=large_seconds):
    lines = [
        f"| {title} | network | {' | '.join(f'{workers} workers' for workers in TABULATED)} |",
        "|---|---|" + "---:|" * len(TABULATED),
    ]
    for model in models:
        for network in NETWORKS:
            cells = [show(function(model, workers, network, large)) for workers in TABULATED]
            lines.append(f"| {model['name']} | {network.name} | {' | '.join(cells)} |")
    return lines


def this_machine(process_sums):
    """The two processes of this machine as a network."""
    medians = {int(size): statistics.median(seconds) for size, seconds in process_sums["rounds"].items()}
    smallest, largest = min(medians), max(medians)
    # With two processes, each sends half of the message twice.
    return Network("this machine", largest / medians[largest], medians[smallest])


def inputs_table(models, process_sums):
    network = this_machine(process_sums)
    lines = [
        "| measured here | step of one worker: 1, 8, 64 samples, ms | bytes per step | messages | "
        "sum over 2 processes, ms | the same by the formula |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for model in models:
        steps = ", ".join(f"{1e3 * seconds:.2f}" for _, seconds in measured_steps(model))
        predicted = sum_seconds(model["messages"], 2, network)
        lines.append(
            f"| {model['name']} | {steps} | {sum(model['messages']) / 1e6:.2f} MB | {len(model['messages'])} | "
            f"{1e3 * model['sum_seconds']:.2f} | {1e3 * predicted:.2f} |"
        )
    lines += [
        "",
        f"Between two processes of this machine a sum of 4 bytes takes {1e6 * network.latency_seconds:.1f} µs, and one "
        f"of 100 MB reaches {network.bytes_per_second / 1e9:.1f} GB/s; with these two numbers the formula gives the "
        "last column. The measured times include waiting for the slower process.",
    ]
    return lines


def section(models, process_sums, head, images):
    """The text below the marker, with the charts in the folder `images`."""
    drawn = {name: f"![{drawing.title}]({images}/{name}.svg)" for name, drawing in charts(models).items()}
    weak = [image for name, image in drawn.items() if "_weak_" in name]
    strong = [image for name, image in drawn.items() if "_strong_" in name]

    def as_fast(speed):
        return lambda model, workers, network, large: weak_efficiency(model, workers, network, large, speed)

    parts = [
        [head],
        inputs_table(models, process_sums),
        [
            f"**Modelled: {SAMPLES_PER_WORKER} samples per worker** (weak scaling). Efficiency is the part of a step "
            "that is not spent on sums."
        ],
        *[[image] for image in weak],
        table(models, "efficiency", weak_efficiency, percent),
        [f"**Modelled: {SAMPLES_OF_ALL} samples per step, divided among the workers** (strong scaling)."],
        *[[image] for image in strong],
        table(models, "times as fast as one worker", strong_speed_up, times),
        ["**Modelled: workers that compute a hundred times as fast**, as GPUs might; 64 samples per worker."],
        table(models, "efficiency", as_fast(100.0), percent),
        ["**Modelled: the workers of the first table, if all large sums were computed in rings.**"],
        table(models, "efficiency", weak_efficiency, percent, ring_seconds),
    ]
    return "\n\n".join("\n".join(part) for part in parts)
