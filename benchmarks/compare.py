#!/usr/bin/env python3
"""Measures Rhyton against its peers and writes the results into benchmarks/RESULTS.md.

    cmake --preset release && cmake --build build/release --parallel 2
    benchmarks/peers/setup.sh
    benchmarks/compare.py --rounds 5

Rounds interleave all programs, so that what else the machine does hits all of them alike. Only the part of RESULTS.md
between its two markers is rewritten.
"""

import argparse
import datetime
import json
import os
import pathlib
import pty
import re
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
BEGIN = "<!-- results: begin -->"
END = "<!-- results: end -->"
OURS = "Rhyton"


def parse_arguments():
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build/release", help="build folder")
    parser.add_argument("--peers", type=pathlib.Path, default=REPOSITORY / "build/peers", help="see peers/setup.sh")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=1, help="warm epochs per run")
    parser.add_argument("--threads", type=int, nargs="+", default=sorted({1, cores}))
    parser.add_argument("--limit", type=int, default=60000, help="train on the first N images only")
    parser.add_argument("--repeats", type=int, default=5, help="of what is measured for Rhyton alone")
    parser.add_argument("--only", nargs="+", choices=["epochs", "start", "compile", "size", "executable"])
    parser.add_argument("--results", type=pathlib.Path, default=REPOSITORY / "benchmarks/RESULTS.md")
    parser.add_argument("--print", action="store_true", help="only print, leave RESULTS.md alone")
    return parser.parse_args()


# --- Measuring -------------------------------------------------------------------------------------------------


def contestants(arguments):
    """Name to command line, for what is there."""
    programs = {OURS: [arguments.build / "bin/mnist_epoch"]}
    for name, folder, script in (
        ("PyTorch", "torch", "mnist_cnn_torch.py"),
        ("Keras + TensorFlow", "keras", "mnist_cnn_keras.py"),
    ):
        programs[name] = [arguments.peers / folder / "bin/python", REPOSITORY / "benchmarks/peers" / script]
    present = {}
    for name, command in programs.items():
        if command[0].exists():
            present[name] = [str(word) for word in command]
        else:
            print(f"{name} is left out: there is no {command[0].name} in the folder given", file=sys.stderr)
    return present


def measure_epochs(arguments):
    """(name, threads) to the JSON lines of its runs."""
    programs = list(contestants(arguments).items())
    results = {}
    for round_number in range(arguments.rounds):
        for threads in arguments.threads:
            # Everybody comes first, second and last in turn.
            shift = round_number % len(programs)
            for name, command in programs[shift:] + programs[:shift]:
                options = ["--threads", threads, "--epochs", arguments.epochs, "--limit", arguments.limit]
                output = run_or_explain([*command, *map(str, options)])
                result = json.loads(output.strip().splitlines()[-1])
                results.setdefault((name, threads), []).append(result)
                seconds = statistics.median(result["seconds"])
                print(f"round {round_number + 1}: {name}, {threads} thread(s): {seconds:.2f} s", flush=True)
    return results


def run_or_explain(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


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


def time_to_compile(arguments):
    """Seconds to compile and link the program of the README, as its readers do it."""
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    program = re.search(r"^```cpp\n(.*?)^```$", text, re.MULTILINE | re.DOTALL).group(1)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "readme.cc"
        source.write_text(program, encoding="utf-8")
        command = ["c++", "-std=c++20", "-O2", f"-I{arguments.build}/include", source, "-o", source.with_suffix("")]
        command += [f"-L{arguments.build}/lib", "-lrhyton"]
        start = time.perf_counter()
        run_or_explain([str(word) for word in command])
        return time.perf_counter() - start


def stripped_megabytes(arguments):
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "stripped.so"
        run_or_explain(["strip", "-o", str(stripped), str(arguments.build / "lib/librhyton.so")])
        return stripped.stat().st_size / 1e6


def microseconds_of_executable(arguments, repeats):
    """Benchmark name to microseconds per run, one per repetition."""
    command = [arguments.build / "bin/executable", "--benchmark_format=json", f"--benchmark_repetitions={repeats}"]
    output = json.loads(run_or_explain([str(word) for word in command]))
    times = {}
    for entry in output["benchmarks"]:
        if entry.get("run_type") == "iteration":
            scale = {"ns": 1e-3, "us": 1.0, "ms": 1e3}[entry["time_unit"]]
            times.setdefault(entry["run_name"], []).append(entry["real_time"] * scale)
    return times


# --- Writing ---------------------------------------------------------------------------------------------------


def spread(values, digits=2):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def machine():
    names = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    cores = len(os.sched_getaffinity(0))
    return f"{names[0].strip() if names else os.uname().machine}, {cores} core{'s' if cores > 1 else ''}"


def compiler():
    return run_or_explain(["c++", "--version"]).splitlines()[0]


def epoch_table(arguments, results):
    lines = ["### Seconds per warm epoch of the MNIST CNN", ""]
    if arguments.limit < 60000:
        lines += [f"On the first {arguments.limit} images only.", ""]
    lines += [
        "| threads | program | seconds: median (min–max) | times Rhyton's, per round | peak memory | loss |",
        "|---:|---|---:|---:|---:|---:|",
    ]
    for threads in arguments.threads:
        ours = results.get((OURS, threads), [])
        for (name, count), runs in results.items():
            if count != threads:
                continue
            seconds = [statistics.median(run["seconds"]) for run in runs]
            ratios = [value / statistics.median(run["seconds"]) for value, run in zip(seconds, ours)]
            ratio = "1" if name == OURS else spread(ratios) if ratios else "–"
            peak = statistics.median(run["peak_rss_mb"] for run in runs)
            lines.append(
                f"| {threads} | {name} | {spread(seconds)} | {ratio} | {peak:.0f} MB | {runs[-1]['loss']:.4f} |"
            )
    versions = {f"{runs[0]['version']} ({runs[0]['settings']})" for runs in results.values() if "version" in runs[0]}
    return [*lines, "", "Peers: " + ("; ".join(sorted(versions)) or "none") + ".", ""]


def report(arguments):
    wanted = set(arguments.only or ["epochs", "start", "compile", "size", "executable"])
    body = []
    if "epochs" in wanted:
        body += epoch_table(arguments, measure_epochs(arguments))
    rows = []
    if "start" in wanted:
        program = arguments.build / "bin/mnist_cnn"
        times = [time_to_first_step(program) for _ in range(arguments.repeats)]
        rows.append(("`mnist_cnn`: process start to first finished step, with reading MNIST", spread(times), "s"))
    if "compile" in wanted:
        times = [time_to_compile(arguments) for _ in range(arguments.repeats)]
        rows.append((f"compiling and linking the README's program, `-O2`, {compiler()}", spread(times), "s"))
    if "size" in wanted:
        rows.append(("`librhyton.so`, stripped", f"{stripped_megabytes(arguments):.1f}", "MB"))
    if "executable" in wanted:
        for name, times in microseconds_of_executable(arguments, arguments.repeats).items():
            what = f"`Executable::run`, {name.replace('_', ' ')} (≤ 64 elements each), 1 thread"
            rows.append((what, spread(times), "µs"))
    if rows:
        body += ["### Rhyton alone", "", "| what | median (min–max) | |", "|---|---:|---|"]
        body += [f"| {what} | {value} | {unit} |" for what, value, unit in rows] + [""]
    words = ["benchmarks/compare.py", "--rounds", arguments.rounds, "--epochs", arguments.epochs]
    words += ["--threads", *arguments.threads, "--repeats", arguments.repeats]
    if arguments.limit < 60000:
        words += ["--limit", arguments.limit]
    if arguments.only:
        words += ["--only", *sorted(wanted)]
    head = [
        f"{datetime.date.today().isoformat()}, {machine()}, Linux {os.uname().release.split('-')[0]}. Command:",
        "",
        "    " + " ".join(map(str, words)),
        "",
    ]
    return "\n".join(head + body)


def write(path, text):
    page = path.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    path.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


def main():
    arguments = parse_arguments()
    arguments.build = arguments.build.resolve()
    arguments.peers = arguments.peers.absolute()
    text = report(arguments)
    print(text)
    if not arguments.print:
        write(arguments.results, text)


main()
