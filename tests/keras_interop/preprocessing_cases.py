"""Normalization, with mean and variance given or computed from data; CategoryEncoding; Discretization."""

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
normalization_case("given_numbers", (5,), lambda: L.Normalization(mean=1.5, variance=4), since=(3, 8))
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


# CategoryEncoding. Before the current version, or in tf.keras, not all ranks can be encoded.
NEWEST = {"since": (3, 15), "in_tf_keras": False}


def category_case(name, x, make_layer, **arguments):
    shape = x(np.random.default_rng(0), 1).shape[1:]
    dtype = arguments.pop("dtype", "int32")

    def make():
        inputs = Input(shape, dtype=dtype)
        y = make_layer()(inputs)
        y = L.Flatten()(y) if len(y.shape) > 2 else y
        return compiled(Model(inputs, dense(2)(dense(4, activation="tanh")(y))))

    preprocessing_case(f"category_encoding/{name}", x, numbers(2), **NEWEST, **arguments)(make)


category_case("multi_hot", integers(6, 4), lambda: L.CategoryEncoding(6), formats=("keras", "h5", "weights.h5"))
category_case("count", integers(6, 4), lambda: L.CategoryEncoding(6, output_mode="count"))
category_case("one_hot", integers(6, 4), lambda: L.CategoryEncoding(6, output_mode="one_hot"))
category_case("one_hot_of_a_column", integers(6, 1), lambda: L.CategoryEncoding(6, output_mode="one_hot"))
category_case("one_hot_of_scalars", integers(6), lambda: L.CategoryEncoding(6, output_mode="one_hot"))
category_case("one_hot_of_images", integers(6, 2, 3), lambda: L.CategoryEncoding(6, output_mode="one_hot"))
category_case("too_large_tokens", integers(12, 4), lambda: L.CategoryEncoding(6, output_mode="count"))
# The shape that Keras infers is the right one where both lengths are equal.
category_case("multi_hot_of_images", integers(6, 3, 3), lambda: L.CategoryEncoding(6))
category_case("count_of_images", integers(6, 3, 3), lambda: L.CategoryEncoding(6, output_mode="count"))
category_case("of_numbers", integers(6, 4, dtype="float32"), lambda: L.CategoryEncoding(6), dtype="float32")
category_case("in_int32", integers(6, 4), lambda: L.CategoryEncoding(6, output_mode="count", dtype="int32"))
category_case("in_float64", integers(6, 4), lambda: L.CategoryEncoding(6, output_mode="count", dtype="float64"))
category_case("mixed", integers(6, 4), lambda: L.CategoryEncoding(6, dtype="mixed_float16"))


@preprocessing_case("category_encoding/weighted", [integers(6, 4), numbers(4)], numbers(2), **NEWEST)
def weighted_counts():
    tokens, weights = Input((4,), dtype="int32"), Input((4,))
    y = L.CategoryEncoding(6, output_mode="count")(tokens, count_weights=weights)
    return compiled(Model([tokens, weights], dense(2)(y)))


@preprocessing_case("category_encoding/sequential", integers(6, 4), numbers(2), **NEWEST)
def encoded_sequence():
    return compiled(Sequential([Input((4,), dtype="int64"), L.CategoryEncoding(6), dense(2)]))


# Discretization.


def discretized(output_mode="int", num_bins=5, **arguments):
    layer = L.Discretization(num_bins=num_bins, output_mode=output_mode, **arguments)
    layer.adapt(np.random.default_rng(7).normal(0.2, 1.5, (50, 3)).astype("float32"))
    return layer


def discretization_case(name, shape, make_layer, x=None, dtype="float32", **arguments):
    def make():
        inputs = Input(shape, dtype=dtype)
        layer = make_layer()
        y = layer(inputs)
        y = L.Embedding(8, 3)(y) if layer.output_mode == "int" else y
        y = L.Flatten()(y) if len(y.shape) > 2 else y
        return compiled(Model(inputs, dense(2)(dense(4, activation="tanh")(y))))

    preprocessing_case(f"discretization/{name}", x or numbers(*shape), numbers(2), **NEWEST, **arguments)(make)


GIVEN = [-0.5, 0.0, 0.75]
discretization_case("adapted", (4,), discretized, formats=("keras", "h5", "weights.h5"))
for mode in ("one_hot", "multi_hot", "count"):
    discretization_case(f"adapted_{mode}", (4,), lambda mode=mode: discretized(mode))
    discretization_case(f"given_{mode}", (4,), lambda mode=mode: L.Discretization(GIVEN, output_mode=mode))
    discretization_case(f"{mode}_of_images", (3, 2), lambda mode=mode: discretized(mode))
discretization_case("given", (4,), lambda: L.Discretization(GIVEN))
discretization_case("one_hot_of_a_column", (1,), lambda: discretized("one_hot"))
discretization_case("rough", (4,), lambda: discretized("one_hot", 7, epsilon=0.2))
discretization_case("fewer_bins", (4,), lambda: discretized("count", 200))
discretization_case("of_integers", (4,), lambda: discretized("count"), integers(4, 4), dtype="int32")
discretization_case("in_float64", (4,), lambda: discretized("count", dtype="float64"))
