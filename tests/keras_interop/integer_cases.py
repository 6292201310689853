"""Integer inputs and labels, and arithmetic with them."""

import numpy as np
from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import integers
from samples import numbers
from samples import pixels


def sgd(rate=0.02):
    return keras.optimizers.SGD(rate, momentum=0.5)


def integer_case(name, x, y, **arguments):
    arguments = {"in_tf_keras": False, "since": (3, 4), "covers": ("integers",), **arguments}
    arguments |= {"formats": ("keras",), "steps": 10}
    return case(f"integer/{name}", x, y, **arguments)


def compiled(inputs, outputs, loss="mse", **arguments):
    model = Model(inputs, outputs)
    model.compile(arguments.pop("optimizer", None) or sgd(0.005), loss, **arguments)
    return model


def small(*shape, dtype="int32"):
    """Integers from -5 to 5."""
    return lambda rng, count: rng.integers(-5, 6, (count, *shape)).astype(dtype)


@integer_case("images_of_bytes", pixels(6, 6, 2, dtype="uint8"), classes(3, dtype="uint8"))
def images_of_bytes():
    inputs = Input((6, 6, 2), dtype="uint8")
    x = L.Conv2D(4, 3, activation="relu")(L.Rescaling(1.0 / 255)(inputs))
    return compiled(inputs, L.Dense(3, activation="softmax")(L.Flatten()(x)), "sparse_categorical_crossentropy", metrics=["accuracy"])


@integer_case("rescaling_with_offset", pixels(5, dtype="uint8"), numbers(2))
def rescaling_with_offset():
    inputs = Input((5,), dtype="uint8")
    return compiled(inputs, L.Dense(2)(L.Rescaling(1.0 / 127.5, offset=-1)(inputs)))


# Factors that Python writes without a decimal point.
@integer_case("rescaling_by_integers", small(5), numbers(2))
def rescaling_by_integers():
    inputs = Input((5,), dtype="int32")
    return compiled(inputs, L.Dense(2)(L.Rescaling(2, offset=1)(inputs)))


# Bytes for an input of dtype float32.
@integer_case("bytes_for_floats", pixels(5, dtype="uint8"), numbers(2))
def bytes_for_floats():
    inputs = Input((5,))
    return compiled(inputs, L.Dense(2)(L.Rescaling(1.0 / 255)(inputs)))


def dense_case(dtype):
    @integer_case(f"dense_of_{dtype}", small(6, dtype=dtype) if dtype != "uint8" else integers(6, 6, dtype=dtype), numbers(2))
    def make():
        inputs = Input((6,), dtype=dtype)
        return compiled(inputs, L.Dense(2)(L.Dense(4, activation="tanh")(inputs)))

    return make


for name_of_dtype in ("int32", "int64", "uint8"):
    dense_case(name_of_dtype)


def embedding_case(dtype, sampled):
    @integer_case(f"embedding_of_{dtype}", integers(12, 4, dtype=sampled), numbers(2))
    def make():
        inputs = Input((4,), dtype=dtype)
        return compiled(inputs, L.Dense(2)(L.Flatten()(L.Embedding(12, 3)(inputs))))

    return make


embedding_case("uint8", "uint8")
embedding_case("int64", "int64")
# Fractions are truncated.
embedding_case("float32", "float32")


@integer_case("merging", [small(4), small(4)], numbers(2))
def merging():
    a, b = Input((4,), dtype="int32", name="a"), Input((4,), dtype="int32", name="b")
    merged = [layer([a, b]) for layer in (L.Add(), L.Subtract(), L.Multiply(), L.Maximum(), L.Minimum())]
    return compiled([a, b], L.Dense(2)(L.Rescaling(0.1)(L.Concatenate()(merged))))


@integer_case("mean_of_integers", [small(4), small(4)], numbers(2))
def mean_of_integers():
    a, b = Input((4,), dtype="int32", name="a"), Input((4,), dtype="int32", name="b")
    return compiled([a, b], L.Dense(2)(L.Average()([a, b])))


@integer_case("merging_with_floats", [small(4), numbers(4)], numbers(2))
def merging_with_floats():
    a, b = Input((4,), dtype="int32", name="a"), Input((4,), name="b")
    merged = [layer([a, b]) for layer in (L.Add(), L.Subtract(), L.Multiply(), L.Maximum(), L.Minimum(), L.Average())]
    return compiled([a, b], L.Dense(2)(L.Concatenate()([*merged, L.Concatenate()([a, b])])))


@integer_case("merging_of_widths", [small(4, dtype="int64"), small(4), integers(5, 4, dtype="uint8")], numbers(2))
def merging_of_widths():
    a, b, c = (Input((4,), dtype=dtype, name=dtype) for dtype in ("int64", "int32", "uint8"))
    merged = [layer([a, b, c]) for layer in (L.Add(), L.Multiply(), L.Maximum())]
    return compiled([a, b, c], L.Dense(2)(L.Rescaling(0.05)(L.Concatenate()(merged))))


@integer_case("shapes", small(2, 6), numbers(2))
def shapes():
    inputs = Input((2, 6), dtype="int32")
    x = L.Reshape((3, 4))(inputs)
    return compiled(inputs, L.Dense(2)(L.Flatten()(x)))


@integer_case("global_pooling", small(5, 3), numbers(2))
def global_pooling():
    inputs = Input((5, 3), dtype="int32")
    return compiled(inputs, L.Dense(2)(L.GlobalAveragePooling1D()(inputs)))


# Not LayerNormalization, of which Keras rounds the result to integers.
@integer_case("normalization", small(5), numbers(2))
def normalization():
    inputs = Input((5,), dtype="int32")
    return compiled(inputs, L.Dense(2)(L.BatchNormalization()(inputs)))


@integer_case("activations", small(5), numbers(2))
def activations():
    inputs = Input((5,), dtype="int32")
    x = L.Concatenate()([L.ReLU()(inputs), L.Activation("relu")(inputs)])
    return compiled(inputs, L.Dense(2)(x))


# An output of integers that depends on no weights, and one that is trained.
@integer_case("output_of_integers", small(4), [numbers(1), small(4)])
def output_of_integers():
    inputs = Input((4,), dtype="int32")
    doubled = L.Add(name="doubled")([inputs, inputs])
    return compiled(inputs, [L.Dense(1, name="trained")(inputs), doubled], ["mse", None])


def symbolic_case(name, x, apply, dtypes=("int32",)):
    @integer_case(f"symbolic_{name}", x, numbers(2), covers=("integers", "structure: operations"))
    def make():
        inputs = [Input((4,), dtype=dtype, name=f"x{i}") for i, dtype in enumerate(dtypes)]
        outputs = L.Dense(2, dtype="float32")(L.Rescaling(0.1)(apply(*inputs)))
        return compiled(inputs if len(inputs) > 1 else inputs[0], outputs)

    return make


symbolic_case("times_float", small(4), lambda x: x * 0.5)
symbolic_case("times_integer", small(4), lambda x: 3 * x)
symbolic_case("plus_integer", small(4), lambda x: x + 7)
symbolic_case("plus_float", small(4), lambda x: 0.25 + x)
symbolic_case("minus", small(4), lambda x: 2 - x - 1)
symbolic_case("divided", small(4), lambda x: x / 4)
symbolic_case("bytes_divided", pixels(4, dtype="uint8"), lambda x: x / 255.0, ("uint8",))
symbolic_case("bytes_times_float", pixels(4, dtype="uint8"), lambda x: x * (1.0 / 255), ("uint8",))
symbolic_case("sum_of_two", [small(4), small(4)], lambda a, b: a + b * a - b, ("int32", "int32"))
symbolic_case("sum_with_floats", [small(4), numbers(4)], lambda a, b: a * b + a, ("int32", "float32"))
symbolic_case("sum_of_widths", [small(4), small(4, dtype="int64")], lambda a, b: a + b, ("int32", "int64"))


def labels_case(dtype):
    @integer_case(f"labels_of_{dtype}", numbers(5), classes(4, dtype=dtype))
    def make():
        inputs = Input((5,))
        outputs = L.Dense(4, activation="softmax")(inputs)
        metrics = ["accuracy", keras.metrics.SparseTopKCategoricalAccuracy(k=2)]
        return compiled(inputs, outputs, "sparse_categorical_crossentropy", metrics=metrics)

    return make


for name_of_dtype in ("uint8", "int64", "float32"):
    labels_case(name_of_dtype)


@integer_case("targets_of_numbers", numbers(5), small(2))
def targets_of_numbers():
    inputs = Input((5,))
    return compiled(inputs, L.Dense(2)(inputs), "mse", metrics=["mae", "mape"])


@integer_case("truth_values", numbers(5), lambda rng, count: rng.integers(0, 2, (count, 1)).astype(np.bool_))
def truth_values():
    model = Sequential([Input((5,)), L.Dense(1, activation="sigmoid")])
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model


@integer_case("weights_of_samples", numbers(5), classes(3), weight=integers(4))
def weights_of_samples():
    inputs = Input((5,))
    outputs = L.Dense(3, activation="softmax")(inputs)
    return compiled(inputs, outputs, "sparse_categorical_crossentropy", weighted_metrics=["accuracy"])
