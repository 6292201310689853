"""The data of cases: functions of a random generator and a number of samples."""

import numpy as np


def numbers(*shape, scale=1.0, offset=0.0, dtype="float32"):
    return lambda rng, count: (offset + scale * rng.standard_normal((count, *shape))).astype(dtype)


def positive(*shape, low=0.1, high=2.0):
    return lambda rng, count: rng.uniform(low, high, (count, *shape)).astype("float32")


def pixels(*shape, dtype="float32"):
    return lambda rng, count: rng.integers(0, 256, (count, *shape)).astype(dtype)


def flags(*shape):
    return lambda rng, count: rng.integers(0, 2, (count, *shape)).astype("bool")


def integers(high, *shape, dtype="int32"):
    return lambda rng, count: rng.integers(0, high, (count, *shape)).astype(dtype)


def classes(number, *shape, dtype="int32"):
    """Class numbers."""
    return integers(number, *shape, dtype=dtype)


def one_hot(number, *shape):
    return lambda rng, count: np.eye(number, dtype="float32")[rng.integers(0, number, (count, *shape))]


def probabilities(*shape):
    def make(rng, count):
        values = rng.uniform(0.05, 1.0, (count, *shape))
        return (values / values.sum(-1, keepdims=True)).astype("float32")

    return make


def signs(*shape):
    """Labels of hinge losses."""
    return lambda rng, count: (2.0 * rng.integers(0, 2, (count, *shape)) - 1.0).astype("float32")
