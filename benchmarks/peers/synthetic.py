"""Random data with the shapes of the workloads."""

import numpy as np

import measurement

_random = np.random.default_rng(0)


def normal(*shape):
    return _random.standard_normal(shape, np.float32)


def positive_definite(size):
    x = normal(size, size)
    return x @ x.T + size * np.eye(size, dtype=np.float32)


def complex_vectors(*shape):
    return normal(*shape) + 1j * normal(*shape)


def images_and_labels(count, *shape):
    return _random.random((count, *shape), np.float32), _random.integers(0, 10, count)


def images_and_classes(name, count):
    """Of one of the models of images."""
    shape, classes, _ = measurement.VISION_MODELS[name]
    return _random.random((count, *shape), np.float32), _random.integers(0, 10, (count, *classes))


def sequences(count, is_padded):
    """Of these, every second one has only zeros in the later half of its steps, if they are padded."""
    x = normal(count, *measurement.SEQUENCE_SHAPE)
    if is_padded:
        x[::2, measurement.SEQUENCE_SHAPE[0] // 2 :] = 0
    return x


def texts_and_labels(count):
    texts = _random.integers(0, measurement.WORDS, (count, measurement.WORDS_PER_TEXT), np.int32)
    return texts, _random.integers(0, 2, (count, 1)).astype(np.float32)
