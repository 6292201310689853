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


@case(
    "metric/confusion",
    numbers(5),
    classes(2, 1),
    covers=named("TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives", "Precision", "Recall"),
)
def confusion():
    return network(
        1,
        "sigmoid",
        "binary_crossentropy",
        [
            M.TruePositives(),
            M.TrueNegatives(thresholds=0.3),
            M.FalsePositives(thresholds=[0.2, 0.9]),
            M.FalseNegatives(thresholds=[0.0, 0.25, 0.5, 0.75, 1.0]),
            M.Precision(),
            M.Recall(thresholds=[0.35, 0.45]),
        ],
        ["TruePositives", M.Precision(name="exact"), M.Recall(name="complete")],
    )


@case("metric/top_k_of_classes", numbers(5), one_hot(5), covers=named("Precision", "Recall"))
def top_k_of_classes():
    return network(
        5,
        "softmax",
        "categorical_crossentropy",
        [M.Precision(top_k=2), M.Recall(top_k=3, thresholds=0.1), M.Recall(class_id=1, thresholds=0.2, name="second")],
    )


@case(
    "metric/at_shares",
    numbers(5),
    classes(2, 1),
    covers=named("SensitivityAtSpecificity", "SpecificityAtSensitivity", "PrecisionAtRecall", "RecallAtPrecision"),
)
def at_shares():
    return network(
        1,
        "sigmoid",
        "binary_crossentropy",
        [
            M.SensitivityAtSpecificity(0.5),
            M.SpecificityAtSensitivity(0.6, num_thresholds=30),
            M.PrecisionAtRecall(0.4, num_thresholds=1),
            M.RecallAtPrecision(0.3, class_id=0),
        ],
    )


@case("metric/areas", numbers(5), classes(2, 1), covers=named("AUC"))
def areas():
    return network(
        1,
        "sigmoid",
        "binary_crossentropy",
        [
            "AUC",
            M.AUC(curve="PR", num_thresholds=50),
            M.AUC(summation_method="majoring", name="above"),
            M.AUC(thresholds=[0.3, 0.5, 0.45], curve="PR", summation_method="minoring", name="below"),
        ],
        [M.AUC(name="weighted_area")],
    )


@case("metric/areas_of_labels", numbers(5), one_hot(3), covers=named("AUC"))
def areas_of_labels():
    return network(
        3,
        "sigmoid",
        "binary_crossentropy",
        [
            M.AUC(multi_label=True),
            M.AUC(multi_label=True, num_labels=3, label_weights=[0.25, 1.0, 0.5], curve="PR", name="weighted"),
            M.AUC(label_weights=[0.25, 1.0, 0.5], name="flat"),
        ],
    )


@case("metric/f_scores", numbers(5), one_hot(4), weight=positive(), covers=named("F1Score", "FBetaScore"))
def f_scores():
    return network(
        4,
        "softmax",
        "categorical_crossentropy",
        [
            M.F1Score(average="macro", name="macro"),
            M.F1Score(threshold=0.3),
            M.FBetaScore(average="micro", beta=2.0, threshold=0.25, name="micro"),
            M.FBetaScore(average="weighted", beta=0.5),
        ],
        [M.F1Score(average="weighted", name="of_weights")],
    )


@case("metric/iou_of_classes", numbers(5), classes(4), covers=named("IoU", "MeanIoU"))
def iou_of_classes():
    return network(
        4,
        "softmax",
        "sparse_categorical_crossentropy",
        [
            M.MeanIoU(num_classes=4, sparse_y_pred=False),
            M.IoU(num_classes=4, target_class_ids=[0, 2], sparse_y_pred=False, ignore_class=1),
        ],
    )


@case("metric/iou_of_one_hot", numbers(5), one_hot(4), covers=named("OneHotIoU", "OneHotMeanIoU"))
def iou_of_one_hot():
    return network(
        4,
        "softmax",
        "categorical_crossentropy",
        [M.OneHotMeanIoU(num_classes=4), M.OneHotIoU(num_classes=4, target_class_ids=[1, 3])],
    )


@case("metric/binary_iou", numbers(5), classes(2, 1), covers=named("BinaryIoU"))
def binary_iou():
    return network(
        1,
        "sigmoid",
        "binary_crossentropy",
        [M.BinaryIoU(threshold=0.45), M.BinaryIoU(target_class_ids=[1], name="of_ones")],
    )


@case("metric/r2_score", numbers(5), numbers(3), weight=positive(), covers=named("R2Score"))
def r2_score():
    return network(
        3,
        None,
        "mse",
        [
            M.R2Score(),
            M.R2Score(class_aggregation="variance_weighted_average", name="by_variance"),
            M.R2Score(class_aggregation=None, name="each"),
        ],
        [M.R2Score(name="of_weights")],
    )


@case(
    "metric/correlations",
    numbers(5),
    numbers(4),
    covers=named("PearsonCorrelation", "ConcordanceCorrelation"),
    since=(3, 9),
    in_tf_keras=False,
)
def correlations():
    return network(4, None, "mse", ["pearson_correlation", M.ConcordanceCorrelation(), M.PearsonCorrelation(axis=-1)])
