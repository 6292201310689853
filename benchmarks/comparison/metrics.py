"""What each metric adds to a training step of the MNIST CNN, by Rhyton itself."""

import json

from .measuring import run_or_explain
from .tables import spread


def measure(build, rounds, threads):
    """Name of the metric to seconds per step, one per round; "none, …" without a metric."""
    command = [build / "bin/workloads", "--workload", "metrics_of_steps", "--rounds", rounds, "--threads", threads]
    return json.loads(run_or_explain(command))["rounds"]


def section(times, threads, head):
    table = ["| metric | ms | by the step without a metric |", "|---|---:|---:|"]
    for name, seconds in times.items():
        if name.startswith("none"):
            without, ratio = seconds, "1"
        else:
            ratio = spread([ours / bare for ours, bare in zip(seconds, without)], 3)
        table.append(f"| {name} | {spread([1e3 * second for second in seconds], 3)} | {ratio} |")
    text = (
        "The MNIST CNN, 64 images, Adam, with one metric; the labels of those that follow a line \"none\" are of that "
        f"kind. {threads} threads. Trainings of 100 steps take turns."
    )
    return "\n".join(["### Metrics in a training step", "", text, "", head, "", *table, ""])
