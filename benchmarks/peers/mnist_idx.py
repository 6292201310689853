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


def load_training_data(limit):
    """Images as float32 from 0 to 1, (N, 28, 28); labels as int64."""
    images = read_idx(FOLDER / "train-images-idx3-ubyte.gz")[:limit]
    labels = read_idx(FOLDER / "train-labels-idx1-ubyte.gz")[:limit]
    return images.astype(np.float32) / np.float32(255), labels.astype(np.int64)
