"""Arrays of strings among the data of cases. Files of arrays have them as bytes along a last axis, with zeros at the end."""

import library
import numpy as np


def is_text(values):
    return getattr(values, "dtype", None) is not None and values.dtype.kind == "S"


def as_bytes(values):
    """uint8 (..., length) for strings (...)."""
    length = max(values.dtype.itemsize, 1)
    return np.frombuffer(values.astype(f"S{length}").tobytes(), "uint8").reshape(*values.shape, length)


def from_bytes(values):
    values = np.ascontiguousarray(values)
    return values.view(f"S{values.shape[-1]}")[..., 0]


def for_keras(structure, leaves_of, packed):
    """What Keras takes: tensors of TensorFlow if there are strings, which arrays of NumPy cannot be."""
    leaves = leaves_of(structure)
    if not any(is_text(leaf) for leaf in leaves):
        return structure
    tensors = [library.tf.constant(leaf.astype(object) if is_text(leaf) else leaf) for leaf in leaves]
    return packed(structure, iter(tensors))
