"""Metrics as strings and objects, weighted ones, and sample weights."""

from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import numbers
from samples import one_hot
from samples import positive
from samples import probabilities
from samples import signs

M = keras.metrics


def named(*names):
    return tuple(f"metric {name}" for name in names)


def network(units, activation, loss, metrics, weighted_metrics=None):
    model = Sequential([Input((5,)), L.Dense(6, activation="tanh"), L.Dense(units, activation=activation)])
    model.compile(keras.optimizers.SGD(0.05), loss, metrics=metrics, weighted_metrics=weighted_metrics)
    return model


@case(
    "metric/classes",
    numbers(5),
    classes(7),
    covers=named(
        "SparseCategoricalAccuracy", "SparseTopKCategoricalAccuracy", "SparseCategoricalCrossentropy"
    ),
)
def sparse_classes():
    return network(
        7,
        "softmax",
        "sparse_categorical_crossentropy",
        [
            "accuracy",
            M.SparseCategoricalAccuracy(name="right"),
            M.SparseTopKCategoricalAccuracy(k=2),
            M.SparseCategoricalCrossentropy(),
        ],
    )


@case(
    "metric/one_hot",
    numbers(5),
    one_hot(7),
    covers=named("CategoricalAccuracy", "TopKCategoricalAccuracy", "CategoricalCrossentropy", "CategoricalHinge"),
)
def one_hot_classes():
    return network(
        7,
        "softmax",
        "categorical_crossentropy",
        [
            "acc",
            M.CategoricalAccuracy(),
            M.TopKCategoricalAccuracy(k=3, name="top_3"),
            M.CategoricalCrossentropy(label_smoothing=0.1),
            M.CategoricalHinge(),
        ],
    )


@case("metric/binary", numbers(5), classes(2, 1), covers=named("BinaryAccuracy", "BinaryCrossentropy", "Accuracy"))
def binary():
    return network(
        1,
        "sigmoid",
        "binary_crossentropy",
        ["accuracy", M.BinaryAccuracy(threshold=0.4, name="strict"), M.BinaryCrossentropy(), M.Accuracy(name="equal")],
    )


@case(
    "metric/regression",
    numbers(5),
    positive(3),
    covers=named(
        "MeanSquaredError",
        "MeanAbsoluteError",
        "MeanAbsolutePercentageError",
        "MeanSquaredLogarithmicError",
        "RootMeanSquaredError",
        "LogCoshError",
        "CosineSimilarity",
        "Poisson",
    ),
)
def regression():
    return network(
        3,
        "softplus",
        "mse",
        [
            "mse",
            "mae",
            "mape",
            M.MeanSquaredLogarithmicError(),
            M.RootMeanSquaredError(name="root"),
            M.LogCoshError(),
            M.CosineSimilarity(axis=-1),
            M.Poisson(),
        ],
    )


@case("metric/distributions", numbers(5), probabilities(3), covers=named("KLDivergence"))
def distributions():
    return network(3, "softmax", "kl_divergence", [M.KLDivergence(), "mean_absolute_error"])


@case("metric/margins", numbers(5), signs(3), covers=named("Hinge", "SquaredHinge"))
def margins():
    return network(3, "tanh", "hinge", [M.Hinge(), M.SquaredHinge()])


@case(
    "metric/sample_weights",
    numbers(5),
    classes(4),
    weight=positive(),
    covers=("sample weights", *named("weighted metrics")),
)
def sample_weights():
    return network(
        4,
        "softmax",
        "sparse_categorical_crossentropy",
        ["accuracy"],
        ["accuracy", M.SparseCategoricalCrossentropy(name="weighted_loss")],
    )


@case(
    "metric/of_two_outputs",
    numbers(5),
    [numbers(2), classes(3)],
    covers=("structure: several outputs", *named("by output")),
)
def of_two_outputs():
    inputs = Input((5,))
    x = L.Dense(4, activation="tanh")(inputs)
    model = Model(inputs, [L.Dense(2, name="place")(x), L.Dense(3, activation="softmax", name="kind")(x)])
    model.compile(
        "adam",
        loss={"place": "mse", "kind": "sparse_categorical_crossentropy"},
        metrics={"kind": [M.SparseCategoricalAccuracy(name="right"), "accuracy"], "place": "mae"},
    )
    return model
