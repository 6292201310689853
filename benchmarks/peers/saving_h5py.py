"""Reading and writing the weights of a `.keras` file with h5py, as Keras does; compare benchmarks/saving.cc.

    saving_h5py.py save|load FILE.keras

`save` writes to FILE.keras.h5py what `load` reads. Prints the median of five in seconds, and the peak memory beyond
that of the process before the work, as JSON.
"""

import io
import json
import os
import pathlib
import re
import statistics
import sys
import time
import zipfile

import h5py
import numpy as np


def arrays(file):
    found = {}
    file.visititems(lambda name, item: found.update({name: np.asarray(item)}) if isinstance(item, h5py.Dataset) else None)
    return found


def load(path):
    with zipfile.ZipFile(path) as archive:
        with h5py.File(io.BytesIO(archive.read("model.weights.h5")), "r") as file:
            return arrays(file)


def save(path, values):
    weights = io.BytesIO()
    with h5py.File(weights, "w") as file:
        for name, value in values.items():
            file.create_dataset(name, data=value)
    with open(path, "wb") as target:
        with zipfile.ZipFile(target, "w") as archive:
            archive.writestr("model.weights.h5", weights.getvalue())
        target.flush()
        os.fsync(target.fileno())


def peak_megabytes():
    """That of getrusage() would include the parent process."""
    return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path("/proc/self/status").read_text()).group(1)) / 1024


def report(work):
    before = peak_megabytes()
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": statistics.median(seconds), "memory_mb": peak_megabytes() - before}))


def main():
    work, path = sys.argv[1:]
    if work == "load":
        report(lambda: load(path))
    else:
        values = load(path)
        report(lambda: save(path + ".h5py", values))


main()
