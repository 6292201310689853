"""Reads MNIST from this repository's datasets/data/mnist, without any framework."""

import gzip
import pathlib
import struct

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "datasets" / "data" / "mnist"


def read_idx(path):
    with gzip.open(path, "rb") as file:
        content = file.read()
    axes = content[3]
    shape = struct.unpack(f">{axes}I", content[4 : 4 + 4 * axes])
    return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(shape)


def load_images(name, limit=None):
    """Images as float32 from 0 to 1, (N, 28, 28). `name`: "train" or "t10k"."""
    images = read_idx(FOLDER / f"{name}-images-idx3-ubyte.gz")[:limit]
    return images.astype(np.float32) / np.float32(255)


def load_training_data(limit):
    """Images and labels, these as int64."""
    labels = read_idx(FOLDER / "train-labels-idx1-ubyte.gz")[:limit]
    return load_images("train", limit), labels.astype(np.int64)


def load_test_images():
    return load_images("t10k")
