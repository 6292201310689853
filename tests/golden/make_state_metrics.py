"""state_metrics.json, state_metrics.npz: three successive updates of the metrics
that are not means of values: confusion counts and what is computed from them,
F scores, intersections over unions, R2, and the correlations."""

import warnings

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
from common import uniform

M = keras.metrics
golden = Golden("state_metrics")
UPDATES = 3


def case(name, cls, data, weight_shapes=None, **arguments):
    """data: function of a generator: (y_true, y_pred) of one update.
    weight_shapes: the shapes of sample weights, a case for each; by default those
    of the batch."""
    shapes = [None, *(weight_shapes if weight_shapes is not None else ["batch"])]
    for number, weight_shape in enumerate(shapes):
        keras.backend.clear_session()
        rng = rng_for("state_metrics/" + name)
        metric = cls(**arguments)
        config = serialized(metric)
        updates = {"y_true": [], "y_pred": [], "sample_weight": [], "result": []}
        for _ in range(UPDATES):
            y_true, y_pred = data(rng)
            weight = None
            if weight_shape is not None:
                shape = y_true.shape[:1] if weight_shape == "batch" else weight_shape
                # Eighths, of which all sums are exact: 0 is 0 in any order.
                weight = np.ceil(8 * uniform(rng, shape, 0.0, 2.0)) / np.float32(8)
                if "IoU" in cls.__name__ and arguments.get("dtype") is None:
                    weight = np.ceil(weight).astype("int32")
                if weight.size > 1:
                    weight.flat[0] = 0
                updates["sample_weight"].append(weight)
            updates["y_true"].append(y_true)
            updates["y_pred"].append(y_pred)
            metric.update_state(y_true, y_pred, sample_weight=weight)
            updates["result"].append(array(metric.result()))
        arrays = {role: np.stack(values) for role, values in updates.items() if values}
        for i, v in enumerate(metric.variables):
            arrays[f"variable{i}"] = array(v)
        variables = [{"name": v.name, **describe(array(v))} for v in metric.variables]
        metric.reset_state()
        after_reset = array(metric.result())
        if np.isfinite(after_reset).all():  # 0 / 0 of R2Score
            arrays["result_after_reset"] = after_reset
        golden.add(
            {
                "name": name + (f"_weighted{number}" if number else ""),
                "class_name": config["class_name"],
                "config": config["config"],
                "updates": UPDATES,
                "variables": variables,
                "metric_name": metric.name,
                "direction": getattr(metric, "_direction", None),
            },
            arrays,
        )


def binary(*shape, dtype="float32"):
    """With predictions at the bounds and at the default threshold."""

    def data(rng):
        y_pred = uniform(rng, shape)
        y_pred.flat[:4] = [0.0, 1.0, 0.5, 0.25]
        return rng.integers(0, 2, shape).astype(dtype), y_pred

    return data


def labels_rank1(rng):
    return rng.integers(0, 2, (12,)).astype("int32"), uniform(rng, (12, 1))


def labels_column(rng):
    return rng.integers(0, 2, (12, 1)).astype("int32"), uniform(rng, (12,))


def logits(*shape):
    return lambda rng: (rng.integers(0, 2, shape).astype("float32"), normal(rng, shape, 2.0))


def categorical(*shape):
    return lambda rng: (
        one_hot(rng.integers(0, shape[-1], shape[:-1]), shape[-1]),
        probabilities(rng, shape),
    )


def several_labels(*shape):
    """With a row of zeros and one of equal predictions."""

    def data(rng):
        y_pred = uniform(rng, shape)
        y_pred[0] = 0.0
        y_pred[1] = 0.5
        return rng.integers(0, 2, shape).astype("float32"), y_pred

    return data


def beyond(*shape):
    """Predictions outside of [0, 1]."""
    return lambda rng: (rng.integers(0, 3, shape).astype("float32"), normal(rng, shape))


COUNTS = (M.TruePositives, M.TrueNegatives, M.FalsePositives, M.FalseNegatives)
WEIGHTS_OF_COLUMNS = [(12,), (12, 1)]
for cls in COUNTS:
    name = keras.src.utils.naming.to_snake_case(cls.__name__)
    case(name, cls, binary(12, 1), WEIGHTS_OF_COLUMNS)
    case(name + "_threshold", cls, binary(12), thresholds=0.25)
    case(name + "_uneven", cls, binary(8, 3), [(8,), (8, 1), (8, 3), ()], thresholds=[0.7, 0.2, 0.5, 1.0])
    case(name + "_even", cls, binary(8, 3), [(8,), (8, 1), (8, 3), ()], thresholds=[0.0, 0.25, 0.5, 0.75, 1.0])
    case(name + "_labels_rank1", cls, labels_rank1)
    case(name + "_labels_column", cls, labels_column)
    case(name + "_beyond_even", cls, beyond(9), thresholds=[0.0, 0.5, 1.0])
    case(name + "_beyond", cls, beyond(9, 2), thresholds=[0.0, 0.4, 1.0])
case("true_positives_float64", M.TruePositives, binary(12, 1), dtype="float64")
case("true_positives_rank3", M.TruePositives, binary(4, 3, 2), [(4, 3, 2), (4, 3)])

for cls in (M.Precision, M.Recall):
    name = keras.src.utils.naming.to_snake_case(cls.__name__)
    case(name, cls, binary(12, 1), WEIGHTS_OF_COLUMNS)
    case(name + "_int", cls, binary(12, dtype="int32"))
    case(name + "_threshold", cls, binary(12), thresholds=0.4)
    case(name + "_thresholds", cls, binary(12, 1), thresholds=[0.2, 0.9])
    case(name + "_even", cls, binary(12, 1), thresholds=[0.0, 0.5, 1.0])
    case(name + "_top_k", cls, categorical(8, 5), top_k=2)
    case(name + "_top_k_of_ties", cls, several_labels(8, 5), top_k=3)
    case(name + "_top_k_threshold", cls, categorical(8, 5), top_k=2, thresholds=0.3)
    case(name + "_top_k_thresholds", cls, categorical(8, 5), [(8,), (8, 5)], top_k=3, thresholds=[0.1, 0.3])
    case(name + "_class_id", cls, categorical(8, 3), [(8,), (8, 1)], class_id=1, thresholds=0.3)
    case(name + "_class_id_even", cls, categorical(8, 3), class_id=2, thresholds=[0.0, 0.5, 1.0])
    case(name + "_top_k_class_id", cls, categorical(8, 4), top_k=2, class_id=3)
    case(name + "_rank3", cls, categorical(4, 3, 5), [(4, 3, 1)], top_k=2)
    case(name + "_rank1_top_k", cls, lambda rng: (rng.integers(0, 2, 6), uniform(rng, (6,))), [(6,)], top_k=2)

AT = {
    M.SensitivityAtSpecificity: {"specificity": 0.5},
    M.SpecificityAtSensitivity: {"sensitivity": 0.6},
    M.PrecisionAtRecall: {"recall": 0.5},
    M.RecallAtPrecision: {"precision": 0.55},
}
for cls, value in AT.items():
    name = keras.src.utils.naming.to_snake_case(cls.__name__)
    case(name, cls, binary(20, 1), **value)
    case(name + "_few", cls, binary(20), num_thresholds=5, **value)
    case(name + "_two", cls, binary(20), num_thresholds=2, **value)
    case(name + "_one", cls, binary(20), num_thresholds=1, **value)
    case(name + "_class_id", cls, categorical(12, 3), class_id=1, num_thresholds=21, **value)
    case(name + "_unreachable", cls, binary(20), **{key: 1.0 for key in value})

for curve in ("ROC", "PR", "PRGAIN"):
    for method in ("interpolation", "minoring", "majoring"):
        how = {"curve": curve, "summation_method": method}
        name = f"auc_{curve.lower()}_{method}"
        case(name, M.AUC, binary(20, 1), [(20,), (20, 1)], **how)
        case(name + "_few", M.AUC, binary(20), num_thresholds=7, **how)
        case(name + "_uneven", M.AUC, binary(20), thresholds=[0.9, 0.1, 0.35], **how)
        case(name + "_multi_label", M.AUC, binary(16, 3), [(16,), (16, 3)], multi_label=True, num_thresholds=20, **how)
        case(
            name + "_multi_label_weighted",
            M.AUC,
            binary(16, 3),
            multi_label=True,
            label_weights=[0.2, 0.5, 1.5],
            thresholds=[0.1, 0.6],
            **how,
        )
case("auc_two", M.AUC, binary(20), num_thresholds=2)
case("auc_no_thresholds", M.AUC, binary(20), thresholds=[])
case("auc_even_thresholds", M.AUC, binary(20), thresholds=[0.25, 0.5, 0.75])
case("auc_flat", M.AUC, binary(10, 3), [(10,), (10, 3)])
case("auc_flat_uneven", M.AUC, binary(10, 3), [(10,), (10, 3)], thresholds=[0.3, 0.4])
case("auc_flat_label_weights", M.AUC, binary(10, 3), [(10,), (10, 3)], label_weights=[0.5, 1.0, 2.0])
case("auc_flat_label_weights_uneven", M.AUC, binary(10, 3), [(10,)], label_weights=[0.5, 1.0, 2.0], thresholds=[0.3, 0.4])
case("auc_num_labels", M.AUC, binary(10, 3), multi_label=True, num_labels=3, label_weights=[1.0, 0.0, 2.0])
case("auc_logits", M.AUC, logits(20, 1), from_logits=True)
case("auc_multi_label_logits", M.AUC, logits(10, 2), from_logits=True, multi_label=True)
case("auc_beyond", M.AUC, beyond(20))
case("auc_float64", M.AUC, binary(20), dtype="float64")

for average in (None, "micro", "macro", "weighted"):
    name = f"f1_score_{average}".lower()
    case(name, M.F1Score, categorical(8, 3), average=average)
    case(name + "_threshold", M.F1Score, several_labels(8, 3), average=average, threshold=0.5)
    name = f"fbeta_score_{average}".lower()
    case(name, M.FBetaScore, several_labels(8, 3), average=average, beta=2.0)
    case(name + "_threshold", M.FBetaScore, several_labels(8, 3), average=average, beta=0.5, threshold=0.3)
case("f1_score_one_label", M.F1Score, binary(8, 1), threshold=0.5)
case("f1_score_float64", M.F1Score, categorical(8, 3), dtype="float64")


def segments(*shape, classes=4, lowest=0, dtype="int32"):
    return lambda rng: (
        rng.integers(lowest, classes, shape).astype(dtype),
        rng.integers(lowest, classes, shape).astype(dtype),
    )


def scores(*shape, axis=-1):
    """One-hot labels and predictions with the classes along `axis`."""
    return lambda rng: (
        np.moveaxis(one_hot(rng.integers(0, shape[-1], shape[:-1]), shape[-1]), -1, axis),
        np.moveaxis(probabilities(rng, shape), -1, axis),
    )


def sparse_scores(*shape):
    return lambda rng: (
        rng.integers(0, shape[-1], shape[:-1]).astype("int32"),
        probabilities(rng, shape),
    )


def one_hot_and_classes(*shape):
    return lambda rng: (
        one_hot(rng.integers(0, shape[-1], shape[:-1]), shape[-1]),
        rng.integers(0, shape[-1], shape[:-1]).astype("int32"),
    )


case("iou", M.IoU, segments(12), num_classes=4, target_class_ids=[0, 2])
case("iou_one_class", M.IoU, segments(12), num_classes=4, target_class_ids=[1])
case("iou_images", M.IoU, segments(3, 4, 4), [(3, 4, 4), ()], num_classes=4, target_class_ids=[1, 3])
case("iou_floats", M.IoU, segments(12, dtype="float32"), num_classes=4, target_class_ids=[0, 1])
case("iou_ignored", M.IoU, segments(12), num_classes=4, target_class_ids=[0, 1], ignore_class=1)
case("iou_void", M.IoU, segments(12, lowest=-1, classes=5), num_classes=4, target_class_ids=[0, 3], ignore_class=-1)
case("iou_absent", M.IoU, segments(12, classes=3), num_classes=5, target_class_ids=[0, 4])
case("iou_dense", M.IoU, scores(6, 4), [(6,)], num_classes=4, target_class_ids=[0, 2], sparse_y_true=False, sparse_y_pred=False)
case("iou_dense_pred", M.IoU, sparse_scores(6, 4), [(6,)], num_classes=4, target_class_ids=[0, 2], sparse_y_pred=False)
case("iou_dense_axis", M.IoU, scores(3, 5, 4, axis=0), [(15,)], num_classes=4, target_class_ids=[0, 2], sparse_y_true=False, sparse_y_pred=False, axis=0)
case("iou_float_weights", M.IoU, segments(12), num_classes=4, target_class_ids=[0, 2], dtype="float32")
case("binary_iou", M.BinaryIoU, binary(12))
case("binary_iou_column", M.BinaryIoU, binary(12, 1), [(12,), (12, 1)])
case("binary_iou_one", M.BinaryIoU, binary(12, 1), target_class_ids=[1], threshold=0.25)
case("binary_iou_float_weights", M.BinaryIoU, binary(12), target_class_ids=[0], threshold=0.3, dtype="float32")
case("mean_iou", M.MeanIoU, segments(12), num_classes=4)
case("mean_iou_images", M.MeanIoU, segments(3, 4, 4), [(3, 4, 4)], num_classes=4)
case("mean_iou_ignored", M.MeanIoU, segments(12), num_classes=5, ignore_class=0)
case("mean_iou_dense_pred", M.MeanIoU, sparse_scores(6, 4), num_classes=4, sparse_y_pred=False)
case("one_hot_iou", M.OneHotIoU, scores(8, 3), num_classes=3, target_class_ids=[0, 2])
case("one_hot_iou_sparse_pred", M.OneHotIoU, one_hot_and_classes(8, 3), num_classes=3, target_class_ids=[0, 2], sparse_y_pred=True)
case("one_hot_iou_float_weights", M.OneHotIoU, scores(8, 3), num_classes=3, target_class_ids=[0, 2], dtype="float32", ignore_class=1)
case("one_hot_mean_iou", M.OneHotMeanIoU, scores(8, 3), num_classes=3)
case("one_hot_mean_iou_images", M.OneHotMeanIoU, scores(2, 3, 3, 4), [(2, 3, 3)], num_classes=4, ignore_class=2)
case("one_hot_mean_iou_sparse_pred", M.OneHotMeanIoU, one_hot_and_classes(8, 3), num_classes=3, sparse_y_pred=True)


def regression(*shape):
    def data(rng):
        y_true = normal(rng, shape)
        return y_true, y_true + normal(rng, shape, 0.5)

    return data


def constant_labels(rng):
    y_true = normal(rng, (6, 2))
    y_true[:, 1] = 0.0
    return y_true, y_true + 1.0


for aggregation in (None, "uniform_average", "variance_weighted_average"):
    for regressors in (0, 2):
        case(
            f"r2_score_{aggregation}_{regressors}".lower(),
            M.R2Score,
            regression(6, 3),
            [(6,), (6, 1), (6, 3), ()],
            class_aggregation=aggregation,
            num_regressors=regressors,
        )
case("r2_score", M.R2Score, regression(6, 1))
case("r2_score_labels_rank1", M.R2Score, lambda rng: (normal(rng, (6,)), normal(rng, (6, 1))))
case("r2_score_constant", M.R2Score, constant_labels, class_aggregation=None)
case("r2_score_float64", M.R2Score, regression(6, 2), dtype="float64")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    case("r2_score_too_many", M.R2Score, regression(4, 1), num_regressors=20)
    case("r2_score_as_many", M.R2Score, regression(4, 1), num_regressors=11)

for cls in (M.PearsonCorrelation, M.ConcordanceCorrelation):
    name = keras.src.utils.naming.to_snake_case(cls.__name__)
    case(name, cls, regression(6, 4))
    case(name + "_axis", cls, regression(5, 4), [(4,)], axis=0)
    case(name + "_axes", cls, regression(5, 4, 3), axis=[1, 2])
    case(name + "_rank3", cls, regression(4, 3, 5), [(4,), (4, 3)])
    case(name + "_int_labels", cls, lambda rng: (rng.integers(0, 9, (6, 5)), normal(rng, (6, 5))))
golden.save()
