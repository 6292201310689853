"""Reading and writing the weights of a `.keras` file with h5py, as Keras does: beside benchmarks/saving.cc.

    saving_h5py.py MODEL.keras

Prints the best of five.
"""

import io
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
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.weights.h5", weights.getvalue())


def best(work):
    shortest = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        work()
        shortest = min(shortest, time.perf_counter() - start)
    return 1e3 * shortest


path = sys.argv[1]
values = load(path)
print(f"load {best(lambda: load(path)):7.1f} ms")
print(f"save {best(lambda: save(path + '.h5py', values)):7.1f} ms")
