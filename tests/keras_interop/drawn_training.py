"""Draws the training of a model at random: losses, targets, metrics, optimizers. Used by drawn_cases.py."""

import dataclasses
import typing

import samples
from library import VERSION_NUMBERS
from library import keras

K = keras.losses
M = keras.metrics
O = keras.optimizers
S = keras.optimizers.schedules
# Older versions lack some losses, and some of their arguments.
HAS_NEW_LOSSES = VERSION_NUMBERS >= (3, 12)


@dataclasses.dataclass
class Head:
    """An output, and how it is trained."""

    units: int
    activation: typing.Optional[str]
    y: typing.Callable
    loss: object
    metrics: list
    weighted_metrics: list
    covers: str
    # The number of steps if targets are sequences; None: vectors.
    steps: typing.Optional[int] = None
    # Targets are classes, one for each sample.
    has_classes: bool = False


def reduction(layers):
    return layers.pick(["sum_over_batch_size", "sum_over_batch_size", "sum", "mean", "mean_with_sample_weight"])


def regression(layers, units, steps):
    """(loss, activation, y) of numbers."""
    how = {"reduction": reduction(layers)}
    # Huber's delta and CosineSimilarity's axis are not in Keras's files.
    plain = [
        ("mse", "MeanSquaredError"),
        ("mean_absolute_error", "MeanAbsoluteError"),
        ("huber", "Huber"),
        ("log_cosh", "LogCosh"),
        (K.MeanSquaredError(**how), "MeanSquaredError"),
        (K.MeanAbsoluteError(**how), "MeanAbsoluteError"),
        (K.LogCosh(**how, name="cosh"), "LogCosh"),
        (K.Huber(**how), "Huber"),
        (K.CosineSimilarity(**how), "CosineSimilarity"),
    ]
    of_positive = [
        ("msle", "MeanSquaredLogarithmicError"),
        (K.MeanSquaredLogarithmicError(**how), "MeanSquaredLogarithmicError"),
        (K.Poisson(**how), "Poisson"),
        ("poisson", "Poisson"),
        (K.MeanAbsolutePercentageError(**how), "MeanAbsolutePercentageError"),
    ]
    if layers.chance(0.7):
        return *layers.pick(plain), layers.pick([None, "linear", "tanh"]), samples.numbers(*steps, units)
    return *layers.pick(of_positive), "softplus", samples.positive(*steps, units, low=0.3)


REGRESSION_METRICS = [
    lambda: "mse",
    lambda: "mae",
    lambda: "mape",
    lambda: M.MeanSquaredLogarithmicError(),
    lambda: M.RootMeanSquaredError(name="root"),
    lambda: M.LogCoshError(),
    lambda: M.CosineSimilarity(),
    lambda: M.MeanAbsoluteError(name="distance"),
]


def sparse(layers, units, steps):
    how = {"reduction": reduction(layers)}
    y = layers.pick(
        [
            samples.classes(units, *steps),
            samples.classes(units, *steps, 1),
            samples.classes(units, *steps, dtype="uint8"),
        ]
    )
    if layers.chance(0.4):
        ignored = layers.pick([None, 0])
        loss = K.SparseCategoricalCrossentropy(from_logits=True, ignore_class=ignored, **how)
        return loss, "SparseCategoricalCrossentropy", None, y
    loss = layers.pick(["sparse_categorical_crossentropy", "crossentropy", K.SparseCategoricalCrossentropy(**how)])
    return loss, "SparseCategoricalCrossentropy", "softmax", y


def categorical(layers, units, steps):
    how = {"reduction": reduction(layers)}
    made = [
        ("categorical_crossentropy", "CategoricalCrossentropy", "softmax"),
        (K.CategoricalCrossentropy(label_smoothing=0.1, **how), "CategoricalCrossentropy", "softmax"),
        (K.CategoricalCrossentropy(from_logits=True, label_smoothing=0.2, **how), "CategoricalCrossentropy", None),
        ("kl_divergence", "KLDivergence", "softmax"),
        (K.CategoricalHinge(**how), "CategoricalHinge", layers.pick([None, "softmax"])),
    ]
    if HAS_NEW_LOSSES:
        made += [
            (K.CategoricalFocalCrossentropy(alpha=0.4, gamma=1.0, **how), "CategoricalFocalCrossentropy", "softmax"),
            (K.CategoricalFocalCrossentropy(from_logits=True, **how), "CategoricalFocalCrossentropy", None),
        ]
    loss, name, activation = layers.pick(made)
    return loss, name, activation, layers.pick([samples.one_hot(units, *steps), samples.probabilities(*steps, units)])


def binary(layers, units, steps):
    how = {"reduction": reduction(layers)}
    made = [
        ("binary_crossentropy", "BinaryCrossentropy", "sigmoid"),
        (K.BinaryCrossentropy(label_smoothing=0.1, **how), "BinaryCrossentropy", "sigmoid"),
        (K.BinaryCrossentropy(from_logits=True, **how), "BinaryCrossentropy", None),
    ]
    if HAS_NEW_LOSSES:
        made += [
            (K.BinaryFocalCrossentropy(gamma=1.5, apply_class_balancing=True, **how), "BinaryFocalCrossentropy", "sigmoid"),
            (K.Dice(axis=layers.pick([None, -1]), **how), "Dice", "sigmoid"),
            (K.Tversky(alpha=0.3, beta=0.6, **how), "Tversky", "sigmoid"),
        ]
    return *layers.pick(made), samples.classes(2, *steps, units, dtype=layers.pick(["float32", "int32"]))


def margin(layers, units, steps):
    how = {"reduction": reduction(layers)}
    made = [("hinge", "Hinge"), ("squared_hinge", "SquaredHinge"), (K.Hinge(**how), "Hinge"), (K.SquaredHinge(**how), "SquaredHinge")]
    return *layers.pick(made), layers.pick([None, "tanh"]), samples.signs(*steps, units)


SPARSE_METRICS = [
    lambda: "accuracy",
    lambda: M.SparseCategoricalAccuracy(name="right"),
    lambda: M.SparseTopKCategoricalAccuracy(k=2, name="top_2"),
    lambda: M.SparseCategoricalCrossentropy(name="cross"),
    lambda: M.MeanIoU(num_classes=5, sparse_y_pred=False),
    lambda: M.SparseCategoricalCrossentropy(name="logits", from_logits=True, ignore_class=1),
    lambda: "sparse_categorical_crossentropy",
    lambda: "acc",
]
CATEGORICAL_METRICS = [
    lambda: "accuracy",
    lambda: M.CategoricalAccuracy(name="right"),
    lambda: M.TopKCategoricalAccuracy(k=2, name="top_2"),
    lambda: M.CategoricalCrossentropy(label_smoothing=0.1, name="cross"),
    lambda: M.CategoricalHinge(),
    lambda: M.KLDivergence(),
    lambda: M.OneHotMeanIoU(num_classes=5),
    lambda: "mae",
    lambda: "categorical_crossentropy",
]
BINARY_METRICS = [
    lambda: M.AUC(),
    lambda: M.AUC(curve="PR", num_thresholds=20, name="area"),
    lambda: M.Precision(thresholds=[0.3, 0.6], name="exact"),
    lambda: M.Recall(thresholds=0.4, name="complete"),
    lambda: M.SensitivityAtSpecificity(0.5, num_thresholds=30),
    lambda: M.BinaryIoU(threshold=0.45),
    lambda: M.BinaryAccuracy(threshold=0.4, name="strict"),
    lambda: M.BinaryCrossentropy(name="cross"),
    lambda: M.Accuracy(name="equal"),
    lambda: "accuracy",
    lambda: M.BinaryCrossentropy(name="logits", from_logits=True, label_smoothing=0.2),
    lambda: "mse",
]
MARGIN_METRICS = [lambda: M.Hinge(name="margin"), lambda: M.SquaredHinge(), lambda: "mae"]
# Of weights they take no [batch] for sequences, or no fractions.
COUNTS = (M.AUC, M.Precision, M.Recall, M.SensitivityAtSpecificity, M.BinaryIoU, M.MeanIoU, M.OneHotMeanIoU)
KINDS = [
    (4, regression, REGRESSION_METRICS),
    (3, sparse, SPARSE_METRICS),
    (2, categorical, CATEGORICAL_METRICS),
    (1.5, binary, BINARY_METRICS),
    (1, margin, MARGIN_METRICS),
]


def head(layers, steps=None):
    """`steps`: the number of those of a sequence that is the output; None: drawn, or vectors."""
    if layers.is_tame:
        # Rounding of dtypes of few bits would change counts of hits and losses with kinks abruptly.
        units = layers.number(2, 3)
        y = samples.numbers(*(() if steps is None else (steps,)), units)
        return Head(units, None, y, "mse", ["mae"] if layers.chance(0.5) else [], [], "MeanSquaredError", steps)
    kind = layers.rng.choice(len(KINDS), p=[weight / sum(each[0] for each in KINDS) for weight, _, _ in KINDS])
    _, draw, metrics = KINDS[kind]
    units = layers.number(1, 4) if draw in (regression, binary) else layers.number(3, 5)
    if steps is None and layers.chance(0.15):
        steps = layers.number(2, 4)
    loss, name, activation, y = draw(layers, units, () if steps is None else (steps,))
    order = layers.rng.permutation(len(metrics))
    chosen = [metrics[i]() for i in order[: layers.number(0, 3)]]
    weighted = [metrics[order[-1]]()] if layers.chance(0.2) and len(chosen) < len(metrics) else []
    weighted = [metric for metric in weighted if not isinstance(metric, COUNTS)]
    if activation in ("softmax", "sigmoid"):
        # For probabilities, Keras on TensorFlow uses their logits where the loss expects logits.
        chosen = [metric for metric in chosen if getattr(metric, "name", "") != "logits"]
        weighted = [metric for metric in weighted if getattr(metric, "name", "") != "logits"]
    if layers.policy == "float64":
        # TensorFlow cannot compute these in float64.
        chosen = [metric for metric in chosen if "top_" not in getattr(metric, "name", "")]
        weighted = [metric for metric in weighted if "top_" not in getattr(metric, "name", "")]
    has_classes = draw in (sparse, categorical) and steps is None
    return Head(units, activation, y, loss, chosen, weighted, name, steps, has_classes)


def schedule(layers, rate):
    return layers.pick(
        [
            lambda: S.ExponentialDecay(rate, 3, 0.7, staircase=layers.chance(0.5)),
            lambda: S.PiecewiseConstantDecay([2, 5], [rate, rate / 2, rate / 4]),
            lambda: S.PolynomialDecay(rate, 5, rate / 10, power=2.0, cycle=layers.chance(0.5)),
            lambda: S.InverseTimeDecay(rate, 2, 0.5, staircase=layers.chance(0.5)),
            lambda: S.CosineDecayRestarts(rate, 3, t_mul=layers.pick([1.0, 1.5]), m_mul=0.8, alpha=0.1),
            lambda: S.CosineDecay(rate, 6, alpha=0.1, warmup_target=2 * rate, warmup_steps=2),
        ]
    )()


def optimizer(layers):
    """An optimizer, and whether it gets the same gradient of a repeated token as on Keras's other backends."""
    # Small rates: with large ones the result of a training depends on rounding.
    rate = float(layers.rng.uniform(0.002, 0.02))
    if not layers.can_drop and layers.chance(0.25):
        rate = schedule(layers, rate)
    if layers.is_tame:
        inner = O.SGD(rate)
        return (O.LossScaleOptimizer(inner, initial_scale=64.0) if layers.chance(0.4) else inner), True
    if layers.chance(0.2):
        return O.SGD(rate, momentum=layers.pick([0.0, 0.5, 0.9]), nesterov=layers.chance(0.3)), True
    extras = {}
    if layers.chance(0.2):
        extras |= layers.pick([{"clipnorm": 0.3}, {"clipvalue": 0.05}, {"global_clipnorm": 0.5}])
        if layers.is_mixed:
            # Keras on TensorFlow cannot scale gradients of several dtypes by one norm.
            extras.pop("global_clipnorm", None)
    if layers.chance(0.2):
        extras |= {"weight_decay": 0.02}
    if layers.chance(0.2):
        extras |= {"use_ema": True, "ema_momentum": 0.9, "ema_overwrite_frequency": layers.pick([None, 2, 3])}
    if layers.chance(0.15):
        extras |= {"gradient_accumulation_steps": 2}
    if layers.chance(0.1):
        extras |= {"loss_scale_factor": 16.0}
    # A gradient near 0 is divided by epsilon; with the default, rounding decides its sign.
    made = [
        lambda: O.SGD(rate, momentum=0.7, nesterov=layers.chance(0.5), **extras),
        lambda: O.Adam(rate, beta_1=0.8, epsilon=1e-4, amsgrad=layers.chance(0.4), **extras),
        lambda: O.Adam(rate, **extras),
        lambda: O.AdamW(rate, **({"weight_decay": 0.01} | extras), epsilon=1e-5),
        lambda: O.RMSprop(rate, rho=0.8, momentum=layers.pick([0.0, 0.5]), epsilon=1e-3, centered=layers.chance(0.4), **extras),
        lambda: O.Adadelta(20 * rate if isinstance(rate, float) else rate, epsilon=1e-3, **extras),
        lambda: O.Adagrad(rate, initial_accumulator_value=layers.pick([0.1, 0.5]), **extras),
        lambda: O.Adamax(rate, beta_1=0.8, epsilon=1e-3, **extras),
        lambda: O.Ftrl(rate, l2_regularization_strength=0.01, beta=layers.pick([0.0, 0.1]), **extras),
        lambda: O.Nadam(rate, beta_1=0.8, epsilon=1e-3, **extras),
    ]
    if VERSION_NUMBERS >= (3, 15):
        made.append(lambda: O.Lamb(rate, epsilon=1e-3, **extras))
    if VERSION_NUMBERS >= (3, 15) and not layers.has_float64:
        # Keras on TensorFlow cannot multiply its update of a kernel in float64 by a factor in `floatx`.
        muon_rate = rate / 4 if isinstance(rate, float) else rate
        made.append(lambda: O.Muon(muon_rate, epsilon=1e-3, **({"weight_decay": 0.01} | extras)))
    found = layers.pick(made)()
    return (O.LossScaleOptimizer(found, initial_scale=32.0, dynamic_growth_steps=3) if layers.chance(0.1) else found), False
