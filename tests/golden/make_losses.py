"""losses.json, losses.npz: every loss, every reduction, with and without
sample weights: value and gradient with respect to y_pred.

The values come from `loss(y_true, y_pred, sample_weight)` on plain constants,
so the hidden logits of a softmax or sigmoid layer play no part. "arguments" are
the constructor's besides the reduction: Keras 3.15 leaves some out of the config
(Huber's delta).
"""

from functools import partial

from common import Golden
from common import array
from common import describe
from common import keras
from common import normal
from common import np
from common import one_hot
from common import probabilities
from common import rng_for
from common import serialized
from common import tf
from common import uniform

S = keras.losses
golden = Golden("losses")
REDUCTIONS = ["sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none"]


def one(name, loss, arguments, y_true, y_pred, weight, rng, mask=None):
    p = tf.constant(y_pred)
    with tf.GradientTape() as tape:
        tape.watch(p)
        if mask is not None:
            keras.src.backend.set_keras_mask(p, tf.constant(mask))
        value = loss(tf.constant(y_true), p, sample_weight=weight)
        arrays = {"y_true": y_true, "y_pred": y_pred}
        if weight is not None:
            arrays["sample_weight"] = weight
        if mask is not None:
            arrays["mask"] = mask
        target = value
        if value.shape.rank:
            arrays["cotangent"] = normal(rng, value.shape)
            target = tf.reduce_sum(value * arrays["cotangent"])
    arrays["value"] = array(value)
    arrays["gradient"] = array(tape.gradient(target, p))
    data = serialized(loss)
    golden.add(
        {
            "name": name,
            "class_name": data["class_name"],
            "config": data["config"],
            "arguments": arguments,
            "y_true": describe(y_true),
            "y_pred": describe(y_pred),
            "sample_weight": None if weight is None else describe(weight),
            "mask": None if mask is None else describe(mask),
            "value": describe(arrays["value"]),
        },
        arrays,
    )


def cases(name, make, data, full=True, weight_shape=None, weightings=(False, True)):
    """data: function of a generator that gives y_true, y_pred."""
    for reduction in REDUCTIONS if full else ["sum_over_batch_size", "none"]:
        for weighted in weightings:
            rng = rng_for("losses/" + name)
            y_true, y_pred = data(rng)
            weight = uniform(rng, weight_shape or y_pred.shape[:1], 0.0, 2.0)
            weight.flat[1] = 0.0
            one(
                f"{name}_{reduction}" + ("_weighted" if weighted else ""),
                make(reduction=reduction),
                getattr(make, "keywords", {}),
                y_true,
                y_pred,
                weight if weighted else None,
                rng,
            )


def regression(*shape):
    return lambda rng: (normal(rng, shape), normal(rng, shape, 2.0))


def binary(logits, *shape):
    def data(rng):
        y = rng.integers(0, 2, shape).astype("float32")
        p = normal(rng, shape, 3.0) if logits else uniform(rng, shape, 0.02, 0.98)
        return y, p

    return data


def categorical(logits, *shape):
    def data(rng):
        y = one_hot(rng.integers(0, shape[-1], shape[:-1]), shape[-1])
        p = normal(rng, shape, 3.0) if logits else probabilities(rng, shape)
        return y, p

    return data


def sparse(logits, shape, label_shape=None, ignore=None, dtype="int32"):
    def data(rng):
        y = rng.integers(0, shape[-1], label_shape or shape[:-1]).astype(dtype)
        if ignore is not None:
            y.flat[::3] = ignore
        p = normal(rng, shape, 3.0) if logits else probabilities(rng, shape)
        return y, p

    return data


cases("mse", S.MeanSquaredError, regression(5, 3))
cases("mae", S.MeanAbsoluteError, regression(5, 3))
cases("huber", S.Huber, regression(5, 3))
cases("huber_delta_0.3", partial(S.Huber, delta=0.3), regression(5, 3))
cases(
    "mse_rank3",
    S.MeanSquaredError,
    regression(4, 3, 2),
    full=False,
    weight_shape=(4, 1),
)
cases(
    "mse_rank3_weights_rank2",
    S.MeanSquaredError,
    regression(4, 3, 2),
    full=False,
    weight_shape=(4, 3),
)
cases(
    "mse_weights_column",
    S.MeanSquaredError,
    regression(5, 3),
    full=False,
    weight_shape=(5, 1),
)
cases(
    "mse_labels_rank1",
    S.MeanSquaredError,
    lambda rng: (normal(rng, (5,)), normal(rng, (5, 1))),
    full=False,
)
cases("mae_rank1", S.MeanAbsoluteError, regression(6), full=False)

cases("bce", S.BinaryCrossentropy, binary(False, 6, 1))
cases("bce_logits", partial(S.BinaryCrossentropy, from_logits=True), binary(True, 6, 1))
cases("bce_4", S.BinaryCrossentropy, binary(False, 3, 4), full=False)
cases(
    "bce_label_smoothing",
    partial(S.BinaryCrossentropy, label_smoothing=0.1),
    binary(False, 6, 1),
)
cases(
    "bce_logits_label_smoothing",
    partial(S.BinaryCrossentropy, from_logits=True, label_smoothing=0.2),
    binary(True, 3, 4),
    full=False,
)
cases(
    "bce_logits_large",
    partial(S.BinaryCrossentropy, from_logits=True),
    lambda rng: (
        np.array([[0], [1], [0], [1], [1]], "float32"),
        np.array([[-100], [100], [80], [-80], [0]], "float32"),
    ),
    full=False,
)
cases(
    "bce_clipped",
    S.BinaryCrossentropy,
    lambda rng: (
        np.array([[0], [1], [0], [1], [1]], "float32"),
        np.array([[0], [1], [1], [0], [0.5]], "float32"),
    ),
    full=False,
)

cases("cce", S.CategoricalCrossentropy, categorical(False, 5, 4))
cases(
    "cce_logits",
    partial(S.CategoricalCrossentropy, from_logits=True),
    categorical(True, 5, 4),
)
cases(
    "cce_label_smoothing",
    partial(S.CategoricalCrossentropy, label_smoothing=0.1),
    categorical(False, 5, 4),
)
cases(
    "cce_logits_label_smoothing",
    partial(S.CategoricalCrossentropy, from_logits=True, label_smoothing=0.1),
    categorical(True, 5, 4),
    full=False,
)
cases(
    "cce_not_normalized",
    S.CategoricalCrossentropy,
    lambda rng: (one_hot(rng.integers(0, 4, (5,)), 4), uniform(rng, (5, 4), 0.1, 2.0)),
    full=False,
)
cases(
    "cce_logits_rank3",
    partial(S.CategoricalCrossentropy, from_logits=True),
    categorical(True, 3, 4, 5),
    full=False,
    weight_shape=(3, 4),
)
cases(
    "cce_logits_axis_1",
    partial(S.CategoricalCrossentropy, from_logits=True, axis=1),
    lambda rng: (
        np.moveaxis(one_hot(rng.integers(0, 4, (3, 5)), 4), -1, 1).copy(),
        normal(rng, (3, 4, 5), 3.0),
    ),
    full=False,
    weight_shape=(3, 5),
)

SCE = S.SparseCategoricalCrossentropy
cases("scce", SCE, sparse(False, (5, 4)))
cases("scce_logits", partial(SCE, from_logits=True), sparse(True, (5, 4)))
cases(
    "scce_labels_column",
    SCE,
    sparse(False, (5, 4), (5, 1)),
    full=False,
)
cases(
    "scce_logits_labels_float",
    partial(SCE, from_logits=True),
    sparse(True, (5, 4), dtype="float32"),
    full=False,
)
cases("scce_rank3", SCE, sparse(False, (3, 4, 5)), weight_shape=(3, 4))
cases(
    "scce_logits_rank3",
    partial(SCE, from_logits=True),
    sparse(True, (3, 4, 5)),
    full=False,
    weight_shape=(3, 1),
)
cases(
    "scce_ignore_class",
    partial(SCE, ignore_class=1),
    sparse(False, (6, 4), ignore=1),
)
cases(
    "scce_logits_ignore_class_-1",
    partial(SCE, from_logits=True, ignore_class=-1),
    sparse(True, (3, 4, 5), ignore=-1),
    weight_shape=(3, 4),
)
cases(
    "scce_logits_large",
    partial(SCE, from_logits=True),
    lambda rng: (
        np.array([0, 1, 2], "int32"),
        np.array([[100, -100, 0], [100, -100, 50], [-20, 20, 80]], "float32"),
    ),
    full=False,
)
cases(
    "scce_clipped",
    SCE,
    lambda rng: (
        np.array([0, 1, 2], "int32"),
        np.array([[1, 0, 0], [1, 0, 0], [0.25, 0.25, 0.5]], "float32"),
    ),
    full=False,
)

# A mask of the predictions (Embedding(mask_zero=True), Masking).
for reduction in REDUCTIONS:
    for weighted in (False, True):
        rng = rng_for("losses/masked")
        y_true, y_pred = regression(4, 3, 2)(rng)
        mask = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0]], bool)
        weight = uniform(rng, (4, 3), 0.1, 2.0)
        one(
            f"mse_masked_{reduction}" + ("_weighted" if weighted else ""),
            S.MeanSquaredError(reduction=reduction),
            {},
            y_true,
            y_pred,
            weight if weighted else None,
            rng,
            mask,
        )

# Focal crossentropies.
BFCE = S.BinaryFocalCrossentropy
cases("bfce", BFCE, binary(False, 6, 1))
cases("bfce_logits", partial(BFCE, from_logits=True), binary(True, 6, 1))
cases("bfce_balanced", partial(BFCE, apply_class_balancing=True, alpha=0.7, gamma=1.5), binary(False, 3, 4), full=False)
cases(
    "bfce_logits_balanced",
    partial(BFCE, apply_class_balancing=True, from_logits=True, gamma=3.5, label_smoothing=0.2),
    binary(True, 3, 4),
    full=False,
)
cases("bfce_gamma_0", partial(BFCE, gamma=0.0, label_smoothing=0.1), binary(False, 6, 1), full=False)
cases("bfce_axis_1", partial(BFCE, axis=1, gamma=1.0), binary(False, 3, 4, 2), full=False, weight_shape=(3, 2))
cases(
    "bfce_logits_large",
    partial(BFCE, from_logits=True, gamma=1.0),
    lambda rng: (
        np.array([[0], [1], [0], [1], [1]], "float32"),
        np.array([[-100], [100], [80], [-80], [0]], "float32"),
    ),
    full=False,
)
cases(
    "bfce_clipped",
    BFCE,
    lambda rng: (
        np.array([[0], [1], [0], [1], [1]], "float32"),
        np.array([[0], [1], [1], [0], [0.5]], "float32"),
    ),
    full=False,
)
CFCE = S.CategoricalFocalCrossentropy
cases("cfce", CFCE, categorical(False, 5, 4))
cases("cfce_logits", partial(CFCE, from_logits=True), categorical(True, 5, 4))
cases(
    "cfce_alphas",
    partial(CFCE, alpha=[0.1, 0.5, 0.25, 1.0], gamma=0.5, label_smoothing=0.1),
    categorical(False, 5, 4),
    full=False,
)
cases(
    "cfce_not_normalized",
    partial(CFCE, alpha=0.6),
    lambda rng: (one_hot(rng.integers(0, 4, (5,)), 4), uniform(rng, (5, 4), 0.1, 2.0)),
    full=False,
)
cases(
    "cfce_logits_axis_1",
    partial(CFCE, from_logits=True, axis=1, gamma=3.0, label_smoothing=0.3),
    lambda rng: (
        np.moveaxis(one_hot(rng.integers(0, 4, (3, 5)), 4), -1, 1).copy(),
        normal(rng, (3, 4, 5), 3.0),
    ),
    full=False,
    weight_shape=(3, 5),
)

GCE = S.CategoricalGeneralizedCrossEntropy
cases("gce", GCE, sparse(False, (5, 4)))
cases("gce_q_0.1", partial(GCE, q=0.1), sparse(False, (5, 4), dtype="float32"), full=False)
cases("gce_q_0.9", partial(GCE, q=0.9), sparse(False, (3, 2, 4)), full=False, weight_shape=(3, 2))
# Keras gives a matrix here, whose columns it would weight.
cases("gce_labels_column", partial(GCE, q=0.7), sparse(False, (5, 4), (5, 1)), full=False, weightings=(False,))


def regions(*shape):
    return lambda rng: (rng.integers(0, 2, shape).astype("float32"), uniform(rng, shape, 0.05, 0.95))


cases("dice", S.Dice, regions(3, 4, 2))
cases("dice_images", partial(S.Dice, axis=[1, 2, 3]), regions(3, 4, 2, 2))
cases("dice_axis_-1", partial(S.Dice, axis=-1), regions(3, 4, 2), full=False, weight_shape=(3, 4))
cases("dice_axis_list", partial(S.Dice, axis=[0]), regions(3, 4), full=False, weight_shape=(4,))
cases("dice_labels_rank1", S.Dice, lambda rng: (normal(rng, (5,)), normal(rng, (5, 1))), full=False)
cases("tversky", S.Tversky, regions(3, 4, 2))
cases("tversky_images", partial(S.Tversky, alpha=0.3, beta=0.7, axis=[1, 2, 3]), regions(3, 4, 2, 2))
cases("tversky_axis_1", partial(S.Tversky, alpha=2.0, beta=0.0, axis=1), regions(3, 4), full=False)


def embeddings(classes, count, size, column=False):
    def data(rng):
        y = rng.integers(0, classes, (count, 1) if column else (count,)).astype("int32")
        x = rng.standard_normal((count, size))
        return y, (x / np.linalg.norm(x, axis=-1, keepdims=True)).astype("float32")

    return data


cases("circle", S.Circle, embeddings(3, 9, 4))
cases("circle_column", partial(S.Circle, gamma=5.0, margin=0.25), embeddings(3, 9, 4, True), full=False)
cases("circle_diagonal", partial(S.Circle, gamma=4.0, remove_diagonal=False), embeddings(4, 8, 3), full=False)
# Some without another one of their class, all without any other class.
cases("circle_alone", partial(S.Circle, gamma=10.0), embeddings(5, 6, 4))
cases("circle_one_class", S.Circle, embeddings(1, 4, 4), full=False)


def sequences(labels, length, classes, lengths):
    """Labels of these lengths and zeros behind them; logits."""

    def data(rng):
        y = rng.integers(1, classes, (len(lengths), labels)).astype("int32")
        y[np.arange(labels) >= np.array(lengths)[:, None]] = 0
        return y, normal(rng, (len(lengths), length, classes), 2.0)

    return data


cases("ctc", S.CTC, sequences(4, 9, 5, [4, 1, 0, 3]))
cases("ctc_two_classes", S.CTC, sequences(3, 8, 2, [3, 2, 1]), full=False)
# Longer than the output.
cases("ctc_infeasible", S.CTC, sequences(6, 4, 3, [6, 4, 2]), full=False)

# A mask of the predictions (Embedding(mask_zero=True), Masking).
MASKED = {
    "bfce": (BFCE, binary(False, 4, 3, 2)),
    "cfce": (CFCE, categorical(False, 4, 3, 3)),
    "gce": (GCE, sparse(False, (4, 3, 5))),
    "dice": (S.Dice, regions(4, 3, 2)),
    "dice_axis_-1": (partial(S.Dice, axis=-1), regions(4, 3, 2)),
    "tversky_axis_2": (partial(S.Tversky, axis=[2], alpha=0.2), regions(4, 3, 2)),
}
for name, (make, data) in MASKED.items():
    for reduction in REDUCTIONS:
        for weighted in (False, True):
            rng = rng_for(f"losses/masked_{name}")
            y_true, y_pred = data(rng)
            mask = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0]], bool)
            weight = uniform(rng, (4, 3), 0.1, 2.0)
            one(
                f"{name}_masked_{reduction}" + ("_weighted" if weighted else ""),
                make(reduction=reduction),
                getattr(make, "keywords", {}),
                y_true,
                y_pred,
                weight if weighted else None,
                rng,
                mask,
            )
for name, make, data in [
    ("circle", partial(S.Circle, gamma=6.0), embeddings(3, 7, 4)),
    ("circle_alone", partial(S.Circle, gamma=6.0), embeddings(5, 7, 4)),
    ("ctc", S.CTC, sequences(3, 6, 4, [3, 2, 1, 0, 1, 2, 3])),
    ("dice_images", partial(S.Dice, axis=[1, 2]), regions(7, 3, 2)),
]:
    for weighted in (False, True):
        rng = rng_for(f"losses/masked_samples_{name}")
        y_true, y_pred = data(rng)
        weight = uniform(rng, (7,), 0.1, 2.0)
        one(
            f"{name}_masked_samples" + ("_weighted" if weighted else ""),
            make(),
            getattr(make, "keywords", {}),
            y_true,
            y_pred,
            weight if weighted else None,
            rng,
            np.array([1, 0, 1, 1, 0, 1, 1], bool),
        )

golden.save()
