"""Normalization, with mean and variance given or computed from data."""

import numpy as np
from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import integers
from samples import numbers
from samples import pixels


def preprocessing_case(name, x, y, **arguments):
    # Not disturbed: Keras would not use the new weights before they are read from a file.
    arguments.setdefault("formats", formats_in_turn())
    return case(f"preprocessing/{name}", x, y, steps=8, is_disturbed=False, **arguments)


def compiled(model, loss="mse", **arguments):
    model.compile(keras.optimizers.SGD(0.02, momentum=0.5), loss, **arguments)
    return model


def adapted(shape, **arguments):
    layer = L.Normalization(**arguments)
    layer.adapt(np.random.default_rng(5).normal(2.0, 3.0, (20, *shape)).astype("float32"))
    return layer


def dense(units, **arguments):
    return L.Dense(units, bias_initializer=keras.initializers.RandomUniform(-0.5, 0.5, seed=3), **arguments)


def normalization_case(name, shape, make_layer, x=None, **arguments):
    def make():
        inputs = Input(shape)
        y = make_layer()(inputs)
        return compiled(Model(inputs, dense(2)(L.Flatten()(dense(4, activation="tanh")(y)))))

    preprocessing_case(f"normalization/{name}", x or numbers(*shape), numbers(2), **arguments)(make)


normalization_case("adapted", (5,), lambda: adapted((5,)), formats=("keras", "h5", "weights.h5"))
normalization_case("never_adapted", (5,), lambda: L.Normalization())
normalization_case("all_values", (4, 3), lambda: adapted((4, 3), axis=None))
normalization_case("first_axis", (4, 3), lambda: adapted((4, 3), axis=1))
normalization_case("two_axes", (4, 3), lambda: adapted((4, 3), axis=(-1, 1)))
normalization_case("inverted", (5,), lambda: adapted((5,), invert=True))
normalization_case("given_numbers", (5,), lambda: L.Normalization(mean=1.5, variance=4))
normalization_case("given_channels", (4, 3), lambda: L.Normalization(mean=[0.1, 0.2, 0.3], variance=[1.0, 0.5, 2.0]))
normalization_case(
    "given_two_axes",
    (2, 3),
    lambda: L.Normalization(axis=(1, 2), mean=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], variance=[[1.0] * 3, [4.0] * 3]),
)


@preprocessing_case("normalization/integers", integers(50, 4), numbers(2))
def integer_features():
    inputs = Input((4,), dtype="int32")
    layer = L.Normalization()
    layer.adapt(np.array([[1, 10, 30, 5], [3, 30, 10, 5], [8, 20, 20, 9]], "int32"))
    return compiled(Model(inputs, dense(2)(dense(6, activation="tanh")(layer(inputs)))))


@preprocessing_case("normalization/images", pixels(9, 9, 3, dtype="uint8"), classes(4))
def images():
    """The first layers of an EfficientNet."""
    model = Sequential(
        [
            Input((9, 9, 3), dtype="uint8"),
            L.Rescaling(1 / 255),
            L.Normalization(mean=[0.485, 0.456, 0.406], variance=[0.229**2, 0.224**2, 0.225**2]),
            L.Rescaling([1 / 0.229, 1 / 0.224, 1 / 0.225]),
            L.Conv2D(5, 3, strides=2, activation="relu"),
            L.GlobalAveragePooling2D(),
            L.Dense(4),
        ]
    )
    return compiled(model, keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])


@preprocessing_case("normalization/of_outputs", numbers(6), numbers(2, scale=10.0, offset=5.0))
def of_outputs():
    """Targets of a regression in their own units."""
    scale = L.Normalization(invert=True)
    scale.adapt(np.array([[1.0, 5.0], [3.0, 15.0], [8.0, 2.0]], "float32"))
    inputs = Input((6,))
    return compiled(Model(inputs, scale(dense(2)(dense(8, activation="tanh")(inputs)))), loss="mae")
