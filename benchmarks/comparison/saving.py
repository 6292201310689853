"""Saving and loading a model, compared with plain files of the same size and with h5py."""

import json
import pathlib
import statistics
import tempfile

from .contestants import REPOSITORY
from .measuring import run_or_explain
from .tables import spread

H5PY = REPOSITORY / "benchmarks/peers/saving_h5py.py"
SAVE, WRITE, LOAD, READ = "`save`", "the same bytes written, with `fsync`", "`load_model`", "the same bytes read"
H5PY_SAVE, H5PY_LOAD = "h5py in a zip archive: write", "h5py in a zip archive: read"
# The baseline of each time.
PLAIN = {SAVE: WRITE, H5PY_SAVE: WRITE, LOAD: READ, H5PY_LOAD: READ}


def commands(build, peers, file, megabytes):
    program = build / "bin/saving"
    found = {
        SAVE: [program, "save", file, megabytes],
        WRITE: [program, "write", f"{file}.plain"],
        LOAD: [program, "load", file],
        READ: [program, "read", file],
    }
    python = peers / "keras/bin/python"
    if python.exists():
        found |= {H5PY_SAVE: [python, H5PY, "save", file], H5PY_LOAD: [python, H5PY, "load", file]}
    return found


def measure(build, peers, rounds, megabytes):
    """Name to its runs, one per round, interleaved."""
    results = {}
    with tempfile.TemporaryDirectory(dir=REPOSITORY / "build") as folder:
        file = pathlib.Path(folder) / "model.keras"
        run_or_explain([build / "bin/saving", "save", file, megabytes])
        pathlib.Path(f"{file}.plain").write_bytes(file.read_bytes())
        for _ in range(rounds):
            for what, command in commands(build, peers, file, megabytes).items():
                results.setdefault(what, []).append(json.loads(run_or_explain(command)))
    return results


def section(results, megabytes, head):
    table = ["| what | ms | by the plain file's | memory beyond that before, MB |", "|---|---:|---:|---:|"]
    for what, runs in results.items():
        times = [run["seconds"] * 1e3 for run in runs]
        ratio = "–"
        if what in PLAIN:
            plain = [run["seconds"] * 1e3 for run in results[PLAIN[what]]]
            ratio = spread([ours / theirs for ours, theirs in zip(times, plain)])
        memory = statistics.median(run["memory_mb"] for run in runs)
        table.append(f"| {what} | {spread(times, 1)} | {ratio} | {memory:.0f} |")
    text = f"Dense layers of 1024 units with {megabytes} MB of weights in a `.keras` file. Files are in the page cache."
    return "\n".join(["### Saving and loading", "", text, "", head, "", *table, ""])
