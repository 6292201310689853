"""Losses and metrics of masked outputs. The names of these models begin with "masks/", like those of mask_cases.py."""

from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from mask_cases import STEPS
from mask_cases import TOKENS
from mask_cases import embedded
from mask_cases import mask_case
from mask_cases import scattered
from mask_cases import sgd
from mask_cases import text
from mask_cases import words
from samples import classes
from samples import numbers
from samples import one_hot
from samples import positive
from samples import probabilities
from samples import signs
from samples import with_masked

# Before, metrics left out masked steps only beside weights of samples.
METRICS_WITH_MASKS = (3, 12)
K = keras.losses
M = keras.metrics


def ragged():
    """Also without any token."""
    return words(lengths=range(STEPS + 1))


def loss_case(name, loss, y, units=3, activation=None, x=None, metrics=None, weighted=None, weight=None, covers=(), steps=STEPS, **arguments):
    """A masked output of vectors; `loss` makes the loss."""

    def make():
        tokens = text(steps)
        model = Model(tokens, L.Dense(units, activation=activation)(embedded(tokens)))
        model.compile(sgd(), loss(), metrics=metrics() if metrics else None, weighted_metrics=weighted() if weighted else None)
        return model

    if metrics or weighted:
        arguments["since"] = METRICS_WITH_MASKS
    covers = (*covers, *(("sample weights",) if weight else ()))
    mask_case(f"loss_{name}", x or (ragged() if steps == STEPS else words(steps)), y, weight=weight, covers=covers, family="of outputs", **arguments)(make)


def named(class_name):
    return (f"loss {class_name}",)


loss_case("mse", lambda: "mse", numbers(STEPS, 3), covers=named("MeanSquaredError"))
loss_case("mse_scattered", lambda: "mse", numbers(STEPS, 3), x=scattered(kept=0), covers=named("MeanSquaredError"))
loss_case("all_masked", lambda: "mse", numbers(STEPS, 3), x=words(lengths=[0]), metrics=lambda: ["mae"])
loss_case("nothing_masked", lambda: "mse", numbers(STEPS, 3), x=words(lengths=[STEPS]), metrics=lambda: ["mae"])
loss_case("one_step", lambda: "mse", numbers(STEPS, 3), x=words(lengths=[0, 0, 0, 0, 0, 0, 1]), metrics=lambda: ["mae"])
for reduction in ("sum", "none", "mean", "mean_with_sample_weight", "sum_over_batch_size"):
    added_in = (3, 7) if reduction.startswith("mean") else (3, 4)
    loss_case(
        f"reduction_{reduction}",
        lambda how=reduction: K.MeanSquaredError(reduction=how),
        numbers(STEPS, 3),
        covers=named("MeanSquaredError"),
        since=added_in,
    )
    loss_case(
        f"weighted_{reduction}",
        lambda how=reduction: K.MeanAbsoluteError(reduction=how),
        numbers(STEPS, 2),
        units=2,
        weight=positive(STEPS),
        metrics=lambda: ["mse"],
        weighted=lambda: ["mse", M.MeanAbsoluteError(name="distance")],
        covers=named("MeanAbsoluteError"),
        since=added_in,
    )
loss_case("mae", lambda: "mae", numbers(STEPS, 3), metrics=lambda: ["mse", "mae"], covers=named("MeanAbsoluteError"))
loss_case("huber", lambda: K.Huber(), numbers(STEPS, 3), covers=named("Huber"))
loss_case("log_cosh", lambda: K.LogCosh(), numbers(STEPS, 3), covers=named("LogCosh"))
loss_case("cosine", lambda: K.CosineSimilarity(), numbers(STEPS, 3), covers=named("CosineSimilarity"))
loss_case("msle", lambda: "msle", positive(STEPS, 3), activation="softplus", covers=named("MeanSquaredLogarithmicError"))
loss_case("mape", lambda: K.MeanAbsolutePercentageError(), positive(STEPS, 3), activation="softplus", covers=named("MeanAbsolutePercentageError"))
loss_case("poisson", lambda: "poisson", positive(STEPS, 3), activation="softplus", covers=named("Poisson"))
loss_case("kl_divergence", lambda: "kl_divergence", probabilities(STEPS, 3), activation="softmax", covers=named("KLDivergence"))
loss_case("hinge", lambda: "hinge", signs(STEPS, 3), activation="tanh", covers=named("Hinge"))
loss_case("squared_hinge", lambda: K.SquaredHinge(), signs(STEPS, 3), covers=named("SquaredHinge"))
loss_case("categorical_hinge", lambda: K.CategoricalHinge(), one_hot(3, STEPS), covers=named("CategoricalHinge"))
loss_case(
    "sparse",
    lambda: "sparse_categorical_crossentropy",
    classes(4, STEPS),
    units=4,
    activation="softmax",
    metrics=lambda: ["accuracy", M.SparseTopKCategoricalAccuracy(k=2, name="top_2")],
    weighted=lambda: ["accuracy"],
    covers=named("SparseCategoricalCrossentropy"),
)
loss_case(
    "sparse_weighted",
    lambda: K.SparseCategoricalCrossentropy(from_logits=True),
    classes(4, STEPS, 1),
    units=4,
    weight=positive(STEPS),
    metrics=lambda: ["accuracy"],
    weighted=lambda: [M.SparseCategoricalAccuracy(name="right"), M.SparseCategoricalCrossentropy(from_logits=True, name="cross")],
    covers=named("SparseCategoricalCrossentropy"),
)
loss_case(
    "sparse_ignoring",
    lambda: K.SparseCategoricalCrossentropy(from_logits=True, ignore_class=1),
    classes(4, STEPS),
    units=4,
    metrics=lambda: ["accuracy"],
    covers=named("SparseCategoricalCrossentropy"),
)
loss_case(
    "categorical",
    lambda: K.CategoricalCrossentropy(label_smoothing=0.1),
    one_hot(4, STEPS),
    units=4,
    activation="softmax",
    metrics=lambda: ["accuracy", M.CategoricalCrossentropy(name="cross")],
    covers=named("CategoricalCrossentropy"),
)
loss_case(
    "binary",
    lambda: "binary_crossentropy",
    classes(2, STEPS, 2, dtype="float32"),
    units=2,
    activation="sigmoid",
    metrics=lambda: ["accuracy", M.BinaryCrossentropy(name="cross")],
    covers=named("BinaryCrossentropy"),
)
loss_case(
    "binary_of_one_unit",
    lambda: K.BinaryCrossentropy(from_logits=True, reduction="sum"),
    classes(2, STEPS, 1),
    units=1,
    weight=positive(STEPS, 1),
    weighted=lambda: [M.BinaryAccuracy(threshold=0.4, name="strict")],
    covers=named("BinaryCrossentropy"),
)
for name, class_name, loss in (
    ("binary_focal", "BinaryFocalCrossentropy", lambda: K.BinaryFocalCrossentropy(gamma=1.0)),
    ("dice", "Dice", lambda: K.Dice(axis=-1)),
    ("tversky_of_all", "Tversky", lambda: K.Tversky(alpha=0.7)),
):
    loss_case(
        name,
        loss,
        classes(2, STEPS, 2, dtype="float32"),
        units=2,
        activation="sigmoid",
        covers=named(class_name),
        since=(3, 15),
    )
loss_case("weights_of_samples", lambda: "mse", numbers(STEPS, 3), weight=positive(1), weighted=lambda: ["mae"])
loss_case("weights_of_a_single_step", lambda: "mse", numbers(1, 3), steps=1, weight=positive(), weighted=lambda: ["mae"])
loss_case(
    "metrics",
    lambda: "mse",
    positive(STEPS, 3),
    activation="softplus",
    metrics=lambda: [M.RootMeanSquaredError(), M.LogCoshError(), M.CosineSimilarity(), "mape"],
    weighted=lambda: [M.MeanSquaredLogarithmicError(), M.RootMeanSquaredError(name="root"), M.CosineSimilarity(name="angle")],
    weight=positive(STEPS),
)


# The mask of vectors is one of samples.
@mask_case("loss_of_masked_samples", with_masked(0.0, 4), numbers(2), weight=positive(), family="of outputs", covers=("sample weights",), since=METRICS_WITH_MASKS)
def loss_of_masked_samples():
    x = Input((4,))
    model = Model(x, L.Dense(2)(L.Masking()(x)))
    model.compile(sgd(), "mse", metrics=["mae"], weighted_metrics=["mse"])
    return model


@mask_case("loss_of_masked_images", with_masked(0.0, 3, 4, 2), numbers(3, 4, 2), weight=positive(3, 4), family="of outputs", covers=("sample weights",))
def loss_of_masked_images():
    x = Input((3, 4, 2))
    model = Model(x, L.Dense(2)(L.Masking()(x)))
    model.compile(keras.optimizers.Adam(0.01), "mae", weighted_metrics=["mse"])
    return model


@mask_case(
    "one_masked_output",
    [words(), numbers(3)],
    [numbers(STEPS, 2), classes(3), numbers(2)],
    family="of outputs",
    covers=("structure: several outputs",),
    since=METRICS_WITH_MASKS,
)
def one_masked_output():
    tokens, other = text(), Input((3,))
    x = embedded(tokens)
    pooled = L.Concatenate()([L.GlobalAveragePooling1D()(x), other])
    outputs = [L.Dense(2, name="steps")(x), L.Dense(3, activation="softmax", name="class")(pooled), L.Dense(2, name="last")(other)]
    model = Model([tokens, other], outputs)
    model.compile(
        sgd(),
        ["mse", "sparse_categorical_crossentropy", "mae"],
        loss_weights=[0.5, 1.0, 2.0],
        metrics=[["mae"], ["accuracy"], ["mse"]],
    )
    return model


@mask_case(
    "masked_outputs_in_dict",
    {"left": words(), "right": scattered(kept=0)},
    {"sum": numbers(STEPS, 2), "left": classes(3, STEPS)},
    weight={"sum": positive(STEPS), "left": positive(STEPS)},
    family="of outputs",
    covers=("structure: dict of outputs", "sample weights"),
    since=(3, 12),
)
def masked_outputs_in_dict():
    left, right = text(), text()
    a, b = embedded(left), embedded(right)
    outputs = {"sum": L.Dense(2, name="s")(L.Add()([a, b])), "left": L.Dense(3, activation="softmax", name="l")(a)}
    model = Model({"left": left, "right": right}, outputs)
    model.compile(
        sgd(),
        {"sum": "mse", "left": "sparse_categorical_crossentropy"},
        metrics={"sum": ["mae"]},
        weighted_metrics={"left": ["accuracy"]},
    )
    return model


@mask_case("loss_of_sequential", words(), classes(3, STEPS), family="of outputs", since=METRICS_WITH_MASKS)
def loss_of_sequential():
    model = Sequential(
        [text(), L.Embedding(TOKENS, 4, mask_zero=True), L.LayerNormalization(), L.Dense(3, activation="softmax")]
    )
    model.compile(sgd(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@mask_case(
    "loss_of_nested_model",
    words(),
    numbers(STEPS, 3),
    family="of outputs",
    covers=("structure: nested models",),
    since=METRICS_WITH_MASKS,
)
def loss_of_nested_model():
    inner = Sequential([text(), L.Embedding(TOKENS, 4, mask_zero=True), L.Dense(3, activation="tanh")], name="inner")
    model = Sequential([text(), inner, L.Dense(3)])
    model.compile(sgd(), "mse", metrics=["mae"])
    return model


# An operation drops the mask: the loss is that of all steps.
@mask_case("loss_behind_operation", words(), numbers(STEPS, 3), covers=("structure: operations",))
def loss_behind_operation():
    tokens = text()
    model = Model(tokens, 2.0 * L.Dense(3)(embedded(tokens)))
    model.compile(sgd(), "mse")
    return model


# So does a layer without masks.
@mask_case("loss_behind_reshape", words(), numbers(STEPS, 3))
def loss_behind_reshape():
    tokens = text()
    model = Model(tokens, L.Reshape((STEPS, 3))(L.Dense(3)(embedded(tokens))))
    model.compile(sgd(), "mse")
    return model


# Before, penalties on outputs were not divided by the number of samples.
@mask_case(
    "loss_and_penalties", words(), numbers(STEPS, 3), family="of outputs", covers=("regularizer L2",), since=(3, 15)
)
def loss_and_penalties():
    tokens = text()
    x = L.Embedding(TOKENS, 4, mask_zero=True, embeddings_regularizer="l2")(tokens)
    model = Model(tokens, L.Dense(3, activity_regularizer=keras.regularizers.L2(0.01))(x))
    model.compile(keras.optimizers.Adam(0.01), "mse")
    return model
