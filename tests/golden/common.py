"""Shared by all golden-value generators.

Import this module before keras: it picks the backend and makes TensorFlow
deterministic.
"""

import json
import math
import os
import zlib

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
tf.config.experimental.enable_op_determinism()
keras.utils.set_random_seed(1)

FOLDER = os.path.dirname(os.path.abspath(__file__))


def rng_for(name):
    """A random generator that depends on the name of the case only."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def normal(rng, shape, scale=1.0):
    return (scale * rng.standard_normal(shape)).astype("float32")


def uniform(rng, shape, low=0.0, high=1.0):
    return rng.uniform(low, high, shape).astype("float32")


def distinct(rng, shape, spacing=0.1):
    """Shuffled values that all differ by at least `spacing`, none near zero:
    no ties for max-like layers, no kink for relu-like ones."""
    count = math.prod(shape)
    values = (np.arange(count) - count // 2 + 0.5) * spacing
    return rng.permutation(values).reshape(shape).astype("float32")


def probabilities(rng, shape):
    values = rng.uniform(0.05, 1.0, shape)
    return (values / values.sum(-1, keepdims=True)).astype("float32")


def one_hot(labels, classes):
    return np.eye(classes, dtype="float32")[labels]


def serialized(thing):
    """The Keras config JSON of an object, as plain JSON values."""
    return plain(keras.saving.serialize_keras_object(thing))


def plain(value):
    """Tuples to lists, numpy scalars to Python's, nothing else."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def array(value):
    return np.asarray(tf.convert_to_tensor(value))


def describe(value):
    value = np.asarray(value)
    return {"shape": list(value.shape), "dtype": str(value.dtype)}


class Golden:
    """Collects the cases of an area, writes <area>.json and <area>.npz."""

    def __init__(self, area):
        self.area = area
        self.cases = []
        self.arrays = {}

    def add(self, case, arrays=None):
        name = case["name"]
        if any(c["name"] == name for c in self.cases):
            raise ValueError(f"two cases named {name}")
        for role, value in (arrays or {}).items():
            value = np.asarray(value)
            if value.dtype.kind == "f" and not np.isfinite(value).all():
                raise ValueError(f"{name}/{role} is not finite: {value}")
            self.arrays[f"{name}/{role}"] = value
        self.cases.append(plain(case))

    def save(self):
        write_json(f"{self.area}.json", self.cases)
        size = 0
        if self.arrays:
            path = os.path.join(FOLDER, f"{self.area}.npz")
            np.savez_compressed(path, **self.arrays)
            size = os.path.getsize(path)
        print(
            f"{self.area}: {len(self.cases)} cases,"
            f" {len(self.arrays)} arrays, {size} bytes"
        )


def write_json(name, value):
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(plain(value), f, indent=1, ensure_ascii=False, allow_nan=False)
        f.write("\n")
