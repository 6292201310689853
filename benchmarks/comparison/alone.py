"""Measurements of Rhyton alone: starting with data, compiling against it, its size, the engine's overhead."""

import json
import os
import pathlib
import pty
import re
import select
import signal
import sys
import tempfile
import time

from .contestants import REPOSITORY
from .measuring import run_or_explain
from .tables import spread


def time_to_first_step(program):
    """Seconds from the start of the process to the first progress bar that shows a loss: reading MNIST, building,
    compiling and one step. On a terminal the bar is drawn after the first step."""
    start = time.perf_counter()
    process, terminal = pty.fork()
    if process == 0:
        try:
            os.execv(program, [str(program), "--epochs", "1"])
        finally:
            os._exit(127)
    seen = b""
    seconds = None
    while seconds is None:
        ready, _, _ = select.select([terminal], [], [], 120)
        try:
            chunk = os.read(terminal, 4096) if ready else b""
        except OSError:  # the terminal's other end is closed
            chunk = b""
        if not chunk:
            break
        seen += chunk
        if b"loss:" in seen:
            seconds = time.perf_counter() - start
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    os.close(terminal)
    if seconds is None:
        sys.exit(f"{program.name} showed no progress:\n{seen[-2000:].decode(errors='replace')}")
    return seconds


def time_to_compile(build):
    """Seconds to compile and link the program of the README, as a user does it."""
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    program = re.search(r"^```cpp\n(.*?)^```$", text, re.MULTILINE | re.DOTALL).group(1)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "readme.cc"
        source.write_text(program, encoding="utf-8")
        command = ["c++", "-std=c++20", "-O2", f"-I{build}/include", source, "-o", source.with_suffix("")]
        command += [f"-L{build}/lib", "-lrhyton"]
        start = time.perf_counter()
        run_or_explain(command)
        return time.perf_counter() - start


def stripped_megabytes(build):
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "stripped.so"
        run_or_explain(["strip", "-o", stripped, build / "lib/librhyton.so"])
        return stripped.stat().st_size / 1e6


def microseconds_of_executable(build, repeats):
    """Benchmark name to microseconds per run, one per repetition."""
    command = [build / "bin/executable", "--benchmark_format=json", f"--benchmark_repetitions={repeats}"]
    times = {}
    for entry in json.loads(run_or_explain(command))["benchmarks"]:
        if entry.get("run_type") == "iteration":
            scale = {"ns": 1e-3, "us": 1.0, "ms": 1e3}[entry["time_unit"]]
            times.setdefault(entry["run_name"], []).append(entry["real_time"] * scale)
    return times


def start_of_resnet50(build, repeats):
    """Rows about the first step of ResNet-50 and about its weights, each in a process of its own."""
    command = [build / "bin/workloads", "--workload", "resnet50_start"]
    runs = [json.loads(run_or_explain(command).splitlines()[-1])["cases"] for _ in range(repeats)]
    return [
        ("ResNet-50: `compile` to the first finished step, 4 images", spread([run["first step"] for run in runs]), "s"),
        ("ResNet-50: a later step", spread([run["later step"] for run in runs]), "s"),
        ("ResNet-50: `load_weights`", spread([run["load_weights"] for run in runs]), "s"),
        (
            "ResNet-50: `load_weights` by reading the bytes of the same file",
            spread([run["load_weights"] / run["bytes"] for run in runs]),
            "",
        ),
    ]


def measure(build, repeats):
    """Rows of what, value, unit."""
    start = [time_to_first_step(build / "bin/mnist_cnn") for _ in range(repeats)]
    compiling = [time_to_compile(build) for _ in range(repeats)]
    compiler = run_or_explain(["c++", "--version"]).splitlines()[0]
    rows = [
        ("`mnist_cnn`: process start to first finished step, with reading MNIST", spread(start), "s"),
        (f"compiling and linking the README's program, `-O2`, {compiler}", spread(compiling), "s"),
        ("`librhyton.so`, stripped", f"{stripped_megabytes(build):.1f}", "MB"),
    ]
    rows += start_of_resnet50(build, repeats)
    for name, times in microseconds_of_executable(build, repeats).items():
        what = f"`Executable::run`, {name.replace('_', ' ')} (≤ 64 elements each), 1 thread"
        rows.append((what, spread(times), "µs"))
    return rows
