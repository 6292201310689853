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


def words(tokens, steps, lengths=None, dtype="int32"):
    """Tokens, and zeros behind them. `lengths` are drawn from 1 to `steps` if not given."""

    def make(rng, count):
        drawn = rng.integers(1, tokens, (count, steps))
        ends = rng.choice(np.array(lengths or range(1, steps + 1)), count)
        return np.where(np.arange(steps) < ends[:, None], drawn, 0).astype(dtype)

    return make


def scattered(tokens, steps, kept=1, dtype="int32"):
    """Tokens, with zeros anywhere, except in `kept` places."""

    def make(rng, count):
        drawn = rng.integers(1, tokens, (count, steps))
        is_kept = rng.permuted(np.tile(np.arange(steps) < kept, (count, 1)), axis=1)
        return np.where(is_kept | (rng.random((count, steps)) < 0.5), drawn, 0).astype(dtype)

    return make


def with_masked(value, *shape):
    """Vectors of which some consist of this value, others have it in one place; one of each sequence does not."""

    def make(rng, count):
        values = rng.standard_normal((count, *shape)).astype("float32")
        if shape[-1] > 1:
            values[..., 0] = np.where(rng.random(values.shape[:-1]) < 0.3, value, values[..., 0])
        masked = rng.random(values.shape[:-1]) < 0.4
        if len(shape) == 2:
            masked[:, shape[0] // 2] = False
        return np.where(masked[..., None], np.float32(value), values)

    return make


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


def texts(vocabulary, most, *shape):
    """Texts of one word or more, up to that many, some of them unknown, some in capitals or with punctuation."""

    def make(rng, count):
        def text(_):
            chosen = rng.choice([*vocabulary, "unknown", "Zürich"], rng.integers(1, most + 1))
            return " ".join(word.upper() if rng.random() < 0.2 else word + rng.choice(["", "!", ","]) for word in chosen)

        drawn = np.array([text(i).encode() for i in range(count * int(np.prod(shape)))], dtype="S")
        return drawn.reshape(count, *shape)

    return make


def tokens(vocabulary, *shape):
    """Single words, some of them unknown."""
    words = np.array([word.encode() for word in [*vocabulary, "unknown", "ß"]], dtype="S")
    return lambda rng, count: rng.choice(words, (count, *shape))
