"""Models that users write with operations. Their names begin with "operations/", like those of operation_cases.py."""

import numpy as np
from library import Input
from library import Model
from library import keras
from library import layers as L
from operation_cases import adam
from operation_cases import operation_case
from operation_cases import ops
from samples import classes
from samples import flags
from samples import integers
from samples import numbers
from samples import one_hot
from samples import positive


# Dtypes, segments, scatters.


@operation_case("integers", [integers(7, 4), numbers(4)])
def integers_case():
    n, x = Input((4,), dtype="int32"), Input((4,))
    y = ops.cast((n * 2 + 1) % 5, "float32") * L.Dense(4, activation="tanh")(x)
    z = ops.cast(ops.where(n > 3, n - 3, n // 2), "float32")
    model = Model([n, x], L.Dense(2)(L.Concatenate()([y, z, ops.cast(ops.maximum(n, 2), "float32")])))
    model.compile(adam(), "mse")
    return model


@operation_case("truth_values", [flags(4), flags(4), numbers(4)])
def truth_values():
    p, q, x = Input((4,), dtype="bool"), Input((4,), dtype="bool"), Input((4,))
    y = L.Dense(4, activation="tanh")(x)
    found = [y * ops.cast(p & ~q, "float32"), ops.where(p ^ q, y, 0.0), ops.where(ops.logical_or(p, q), 1.0, y)]
    model = Model([p, q, x], L.Dense(2)(L.Concatenate()(found)))
    model.compile(adam(), "mse")
    return model


@operation_case("one_hot_tokens", integers(6, 3), classes(3))
def one_hot_tokens():
    tokens = Input((3,), dtype="int32")
    x = ops.reshape(ops.one_hot(tokens, 6), (-1, 18))
    model = Model(tokens, L.Dense(3, activation="softmax")(L.Dense(5, activation="relu")(x)))
    model.compile(adam(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@operation_case("taken_by_tokens", [integers(4, 3), numbers(4)])
def taken_by_tokens():
    tokens, x = Input((3,), dtype="int32"), Input((4,))
    y = ops.take_along_axis(L.Dense(4, activation="tanh")(x), tokens, axis=1)
    model = Model([tokens, x], L.Dense(2)(y))
    model.compile(adam(), "mse")
    return model


# A table of constants, taken by tokens.
@operation_case("table_of_constants", integers(5, 3))
def table_of_constants():
    tokens = Input((3,), dtype="int32")
    table = np.random.default_rng(5).standard_normal((5, 4)).astype("float32")
    x = L.Dense(4, activation="tanh")(ops.take(ops.convert_to_tensor(table), tokens, axis=0))
    model = Model(tokens, L.Dense(2)(ops.mean(x, axis=1)))
    model.compile(adam(), "mse")
    return model


@operation_case("sums_of_segments", [integers(3, dtype="int32"), numbers(4)], predicted=8, evaluated=16)
def sums_of_segments():
    group, x = Input((), dtype="int32"), Input((4,))
    y = L.Dense(4, activation="tanh")(x)
    sums = ops.segment_sum(y, group, num_segments=3)
    largest = ops.segment_max(y, group, num_segments=3)
    of_group = ops.take(sums, group, axis=0) + ops.take(largest, group, axis=0)
    model = Model([group, x], L.Dense(2)(L.Concatenate()([y, of_group])))
    model.compile(adam(), "mse")
    return model


@operation_case("scattered_updates", numbers(4))
def scattered_updates():
    x = Input((4,), batch_size=None)
    y = ops.transpose(L.Dense(4, activation="tanh")(x))
    updated = ops.scatter_update(y, [[0], [2]], y[1:3, ...] * 2.0)
    model = Model(x, L.Dense(2)(ops.transpose(updated)))
    model.compile(adam(), "mse")
    return model


# TensorFlow has no derivative of it.
@operation_case("updates_of_slices", numbers(4, 3))
def updates_of_slices():
    x = Input((4, 3))
    updated = ops.slice_update(x, [0, 1, 1], 2.0 * x[:, 2:, :2])
    model = Model(x, L.Dense(2)(L.Flatten()(L.Dense(3, activation="tanh")(updated))))
    model.compile(adam(), "mse")
    return model


@operation_case("without_gradient", numbers(4), since=(3, 6))
def without_gradient():
    x = Input((4,))
    y = L.Dense(4, activation="tanh")(x)
    model = Model(x, L.Dense(2)(y * ops.stop_gradient(y) + ops.stop_gradient(L.Dense(4)(x))))
    model.compile(keras.optimizers.SGD(0.05, momentum=0.5), "mse")
    return model


@operation_case("casts", numbers(4))
def casts():
    x = Input((4,))
    y = L.Dense(4, activation="tanh")(x)
    z = ops.cast(ops.cast(y, "float64") * 0.5, "float32") + ops.cast(ops.cast(3.0 * y, "int32"), "float32")
    model = Model(x, L.Dense(2)(z))
    model.compile(adam(), "mse")
    return model


@operation_case("named", numbers(4), since=(3, 11))
def named():
    x = Input((4,), name="x")
    y = keras.src.ops.numpy.Multiply(name="double")(L.Dense(4, activation="tanh")(x), 2.0)
    model = Model(x, L.Dense(2)(keras.src.ops.numpy.Mean(axis=1, keepdims=True, name="the mean")(y) - y))
    model.compile(adam(), "mse")
    return model


@operation_case("operation_called_twice", [numbers(4), numbers(4)], covers=("structure: shared layers",))
def operation_called_twice():
    a, b = Input((4,)), Input((4,))
    shared = keras.src.ops.numpy.Maximum(name="shared")
    y = L.Dense(4, activation="tanh")(a)
    model = Model([a, b], L.Dense(2)(shared(shared(y, b), 0.1)))
    model.compile(adam(), "mse")
    return model


@operation_case("as_outputs", numbers(4, 3), [numbers(3), numbers(4)], covers=("structure: several outputs",), since=(3, 11))
def as_outputs():
    x = Input((4, 3))
    y = L.Dense(3, activation="tanh")(x)
    model = Model(x, [ops.mean(y, axis=1), ops.sum(y, axis=-1)])
    model.compile(adam(), ["mse", "mae"], metrics=[["mae"], []])
    return model


@operation_case("of_the_input", numbers(4))
def of_the_input():
    x = Input((4,))
    model = Model(x, L.Dense(2)(ops.sin(x) - x / 2))
    model.compile(adam(), "mse")
    return model


@operation_case("outputs_in_dict", numbers(6), {"low": numbers(3), "high": numbers(3)}, covers=("structure: dict of outputs",), since=(3, 5))
def outputs_in_dict():
    x = Input((6,))
    low, high = ops.split(L.Dense(6)(x), 2, axis=-1)
    model = Model(x, {"low": low, "high": high})
    model.compile(adam(), {"low": "mse", "high": "mae"})
    return model


# Models as users write them.


@operation_case("residual_mlp", numbers(6), classes(3))
def residual_mlp():
    x = Input((6,))
    y = L.Dense(8)(x)
    for _ in range(3):
        y = y + 0.5 * L.Dense(8)(ops.gelu(L.LayerNormalization()(y)))
    model = Model(x, L.Dense(3, activation="softmax")(y))
    model.compile(adam(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@operation_case("attention_by_hand", numbers(5, 6), numbers(5, 2))
def attention_by_hand():
    x = Input((5, 6))
    heads, width = 2, 3

    def part(y):
        # The bias of keys has the gradient 0.
        return ops.transpose(ops.reshape(L.Dense(heads * width, use_bias=False)(y), (-1, 5, heads, width)), (0, 2, 1, 3))

    q, k, v = part(x), part(x), part(x)
    scores = ops.matmul(q, ops.transpose(k, (0, 1, 3, 2))) / np.sqrt(width)
    scores = ops.where(np.tril(np.ones((5, 5), "bool")), scores, -1e9)
    mixed = ops.matmul(ops.softmax(scores, axis=-1), v)
    mixed = ops.reshape(ops.transpose(mixed, (0, 2, 1, 3)), (-1, 5, heads * width))
    model = Model(x, L.Dense(2)(x + L.Dense(6)(mixed)))
    model.compile(adam(), "mse")
    return model


@operation_case("attention_by_einsum", [numbers(4, 3), numbers(6, 3)], numbers(4, 2))
def attention_by_einsum():
    a, b = Input((4, 3)), Input((6, 3))
    q, k, v = L.Dense(5)(a), L.Dense(5, use_bias=False)(b), L.Dense(5)(b)
    weights = ops.softmax(ops.einsum("bqd,bkd->bqk", q, k) * 5**-0.5)
    model = Model([a, b], L.Dense(2)(ops.einsum("bqk,bkd->bqd", weights, v)))
    model.compile(adam(), "mse")
    return model


@operation_case("fourier_features", numbers(2))
def fourier_features():
    x = Input((2,))
    frequencies = np.random.default_rng(1).standard_normal((2, 8)).astype("float32")
    angles = 2.0 * np.pi * ops.matmul(x, frequencies)
    features = ops.concatenate([ops.sin(angles), ops.cos(angles)], axis=-1)
    model = Model(x, L.Dense(2)(L.Dense(8, activation="relu")(features)))
    model.compile(adam(), "mse")
    return model


@operation_case("positions", integers(9, 6), classes(3))
def positions():
    tokens = Input((6,), dtype="int32")
    places = np.arange(6)[:, None] / 10.0 ** (np.arange(4)[None] / 2)
    table = np.where(np.arange(4) % 2, np.cos(places), np.sin(places)).astype("float32")
    x = L.Embedding(9, 4, embeddings_regularizer="l2")(tokens) * 2.0 + table
    model = Model(tokens, L.Dense(3, activation="softmax")(ops.max(L.Dense(5, activation="tanh")(x), axis=1)))
    model.compile(adam(), "sparse_categorical_crossentropy")
    return model


@operation_case("radial_basis", numbers(3))
def radial_basis():
    x = Input((3,))
    centers = np.random.default_rng(2).standard_normal((6, 3)).astype("float32")
    y = L.Dense(3)(x)
    squares = ops.sum((ops.expand_dims(y, 1) - centers) ** 2, axis=-1)
    model = Model(x, L.Dense(2)(ops.exp(-0.5 * squares)))
    model.compile(adam(), "mse")
    return model


@operation_case("distances_in_a_batch", numbers(3), numbers(2), predicted=8, evaluated=16)
def distances_in_a_batch():
    x = Input((3,))
    y = L.Dense(3, activation="tanh")(x)
    squares = ops.sum(ops.square(y[:, None, :] - y[None, :, :]), axis=-1)
    kernel = ops.exp(-squares)
    model = Model(x, L.Dense(2)(kernel @ y))
    model.compile(adam(), "mse")
    return model


@operation_case("layer_normalization_by_hand", numbers(4, 5))
def layer_normalization_by_hand():
    x = Input((4, 5))
    y = L.Dense(5)(x)
    mean = ops.mean(y, axis=-1, keepdims=True)
    variance = ops.mean(ops.square(y - mean), axis=-1, keepdims=True)
    y = (y - mean) / ops.sqrt(variance + 1e-3)
    model = Model(x, L.Dense(2)(ops.reshape(y, (-1, 20))))
    model.compile(adam(), "mse")
    return model


@operation_case("gated_unit", numbers(6))
def gated_unit():
    x = Input((6,))
    value, gate = ops.split(L.Dense(10)(x), 2, axis=-1)
    model = Model(x, L.Dense(2)(value * ops.sigmoid(gate)))
    model.compile(adam(), "mse")
    return model


@operation_case("softmax_by_hand", numbers(5), one_hot(3))
def softmax_by_hand():
    x = Input((5,))
    y = L.Dense(3)(x)
    y = ops.exp(y - ops.max(y, axis=-1, keepdims=True))
    model = Model(x, y / ops.sum(y, axis=-1, keepdims=True))
    model.compile(adam(), "categorical_crossentropy", metrics=["accuracy"])
    return model


@operation_case("weighted_mean_by_scores", numbers(5, 4))
def weighted_mean_by_scores():
    x = Input((5, 4))
    scores = ops.softmax(ops.squeeze(L.Dense(1, use_bias=False)(ops.tanh(L.Dense(6)(x))), axis=-1))
    model = Model(x, L.Dense(2)(ops.sum(x * scores[..., None], axis=1)))
    model.compile(adam(), "mse")
    return model


@operation_case("mean_without_padding", [integers(9, 5), numbers(3)])
def mean_without_padding():
    tokens, other = Input((5,), dtype="int32"), Input((3,))
    x = L.Embedding(9, 4, embeddings_regularizer="l2")(tokens)
    mask = ops.cast(tokens != 0, "float32")[..., None]
    mean = ops.sum(x * mask, axis=1) / ops.maximum(ops.sum(mask, axis=1), 1.0)
    model = Model([tokens, other], L.Dense(2)(ops.concatenate([mean, other], axis=-1)))
    model.compile(adam(), "mse")
    return model


@operation_case("siamese", [numbers(4), numbers(4)], classes(2, 1, dtype="float32"), covers=("structure: shared layers",))
def siamese():
    a, b = Input((4,)), Input((4,))
    encoder = L.Dense(5, activation="tanh")
    distance = ops.norm(encoder(a) - encoder(b) + 0.01, axis=-1, keepdims=True)
    model = Model([a, b], L.Dense(1, activation="sigmoid")(ops.abs(distance)))
    model.compile(adam(), "binary_crossentropy", metrics=["accuracy"])
    return model


@operation_case("nested_model", numbers(4, 3), covers=("structure: nested models",))
def nested_model():
    start = Input((4, 3))
    y = L.Dense(3, activation="tanh")(start)
    inner = Model(start, [ops.mean(y, axis=1), y[:, -1] - y[:, 0]], name="summary")
    x = Input((4, 3))
    mean, slope = inner(x * 2.0)
    model = Model(x, L.Dense(2)(ops.concatenate([mean, slope], axis=-1)))
    model.compile(adam(), "mse")
    return model


@operation_case("patches_of_images", numbers(8, 8, 2), classes(3))
def patches_of_images():
    x = Input((8, 8, 2))
    y = ops.reshape(x, (-1, 2, 4, 2, 4, 2))
    y = ops.reshape(ops.transpose(y, (0, 1, 3, 2, 4, 5)), (-1, 4, 32))
    y = L.Dense(6, activation="relu")(y)
    model = Model(x, L.Dense(3, activation="softmax")(ops.mean(y, axis=1)))
    model.compile(adam(), "sparse_categorical_crossentropy")
    return model


@operation_case("squeeze_and_excite", numbers(6, 6, 3), classes(3))
def squeeze_and_excite():
    x = Input((6, 6, 3))
    y = L.Conv2D(4, 3, padding="same")(x)
    scale = L.Dense(4, activation="sigmoid")(L.Dense(2, activation="relu")(ops.mean(y, axis=(1, 2))))
    y = y * scale[:, None, None, :]
    model = Model(x, L.Dense(3, activation="softmax")(ops.max(y, axis=[1, 2])))
    model.compile(adam(), "sparse_categorical_crossentropy")
    return model


@operation_case("log_of_positive", positive(4))
def log_of_positive():
    x = Input((4,))
    model = Model(x, L.Dense(2)(L.Dense(4, activation="tanh")(ops.log(x)) * ops.power(x, 0.3)))
    model.compile(adam(), "mse")
    return model


@operation_case("in_float64", numbers(4), covers=("dtype float64",))
def in_float64():
    x = Input((4,))
    y = L.Dense(4, activation="tanh", dtype="float64")(x)
    model = Model(x, L.Dense(2, dtype="float64")(ops.sin(y) * 2.0 + ops.sum(y, axis=-1, keepdims=True)))
    model.compile(adam(), "mse")
    return model
