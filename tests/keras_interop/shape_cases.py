"""Reshape, Flatten, merging layers, pooling of sequences, Input."""

from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import integers
from samples import numbers


def sgd(rate=0.02):
    return keras.optimizers.SGD(rate, momentum=0.5)


@case("shape/reshape", numbers(12), numbers(6, 2))
def reshape():
    model = Sequential(
        [
            Input((12,)),
            L.Reshape((3, 4)),
            L.Dense(4, activation="tanh"),
            L.Reshape(target_shape=(-1, 2)),
            L.Dense(2),
            L.Reshape((2, -1, 2)),
            L.Reshape((6, 2), name="back"),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("shape/reshape_to_image", numbers(18), numbers(4))
def reshape_to_image():
    model = Sequential([Input((18,)), L.Reshape((3, 3, 2)), L.Conv2D(1, 2), L.Flatten(data_format="channels_last")])
    model.compile(sgd(), "mse")
    return model


@case("shape/flatten_vectors", numbers(5), numbers(2))
def flatten_vectors():
    model = Sequential([Input((5,)), L.Flatten(), L.Dense(2), L.Flatten()])
    model.compile(sgd(), "mse")
    return model


@case("shape/sequence_pooling", integers(15, 7), classes(2))
def sequence_pooling():
    model = Sequential(
        [
            Input((7,), dtype="int32"),
            L.Embedding(15, 4),
            L.GlobalAveragePooling1D(keepdims=True),
            L.Dense(3, activation="relu"),
            L.Flatten(),
            L.Dense(2),
        ]
    )
    # Not Adam: for a token that a batch has twice, Keras 3 on TensorFlow squares the two gradients separately.
    model.compile(sgd(), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


@case("shape/sequence_pooling_channels_first", numbers(4, 6), numbers(2))
def sequence_pooling_channels_first():
    model = Sequential(
        [Input((4, 6)), L.Dense(5, activation="tanh"), L.GlobalAveragePooling1D(data_format="channels_first"), L.Dense(2)]
    )
    model.compile(sgd(), "mse")
    return model


@case("shape/arithmetic", [numbers(4), numbers(4), numbers(4)], numbers(2))
def arithmetic():
    a, b, c = (Input((4,), name=name) for name in "abc")
    x = L.Dense(4, activation="tanh", name="left")(a)
    y = L.Dense(4, activation="tanh", name="right")(b)
    merged = [
        L.Add()([x, y, c]),
        L.Average()([x, y, c]),
        L.Maximum()([x, y, c]),
        L.Minimum()([x, c]),
        L.Multiply()([x, y, c]),
        L.Subtract()([y, x]),
    ]
    model = Model([a, b, c], L.Dense(2)(L.Concatenate()(merged)))
    model.compile(sgd(), "mse")
    return model


@case("shape/broadcast_arithmetic", [numbers(3, 4), numbers(1, 4), numbers(3, 1)], numbers(3, 2))
def broadcast_arithmetic():
    a, b, c = Input((3, 4), name="a"), Input((1, 4), name="b"), Input((3, 1), name="c")
    x = L.Dense(4, activation="tanh")(a)
    merged = [
        L.Add(name="sum")([x, b, c]),
        L.Average(name="mean")([c, x]),
        L.Maximum(name="largest")([x, b]),
        L.Minimum(name="smallest")([b, x, c]),
        L.Multiply(name="product")([x, c]),
        L.Subtract(name="difference")([b, x]),
    ]
    model = Model([a, b, c], L.Dense(2)(L.Concatenate(axis=-1)(merged)))
    model.compile(sgd(), "mse")
    return model


@case("shape/arithmetic_of_ranks", [numbers(3, 4), numbers(4)], numbers(3, 2), in_tf_keras=False)
def arithmetic_of_ranks():
    a, b = Input((3, 4), name="a"), Input((4,), name="b")
    x = L.Dense(4, activation="tanh")(b)
    model = Model([a, b], L.Dense(2)(L.Multiply()([L.Add()([a, x]), x])))
    model.compile(sgd(), "mse")
    return model


@case("shape/concatenate", [numbers(2, 3, 4), numbers(2, 3, 2), numbers(2, 3, 1)], numbers(4, 3, 2))
def concatenate():
    a, b, c = Input((2, 3, 4), name="a"), Input((2, 3, 2), name="b"), Input((2, 3, 1), name="c")
    wide = L.Concatenate(axis=3)([c, a, b])
    x = L.Dense(2, activation="tanh")(wide)
    model = Model([a, b, c], L.Dense(2)(L.Concatenate(axis=1, name="tall")([x, b])))
    model.compile(sgd(), "mse")
    return model


@case("shape/concatenate_one_with_itself", numbers(5), numbers(2))
def concatenate_one_with_itself():
    inputs = Input((5,))
    x = L.Dense(3, activation="silu")(inputs)
    model = Model(inputs, L.Dense(2)(L.Concatenate(axis=1)([x, x, inputs])))
    model.compile(sgd(), "mse")
    return model


@case("shape/fixed_batch", numbers(5), numbers(2), predicted=8, covers=("structure: fixed batch size",))
def fixed_batch():
    model = Sequential([Input((5,), batch_size=8, name="eight"), L.Dense(4, activation="tanh"), L.Dense(2)])
    model.compile(sgd(), "mse")
    return model
