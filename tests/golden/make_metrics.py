"""metrics.json, metrics.npz: three successive updates of every metric;
metric_names.json, metric_names.npz: what compile(metrics=...) resolves to, the
log keys and the values."""

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
golden = Golden("metrics")
UPDATES = 3


def case(name, cls, data, weight_shape=None, **arguments):
    """data: function of a generator: the arguments of one update."""
    for weighted in (False, True):
        keras.backend.clear_session()
        rng = rng_for("metrics/" + name)
        metric = cls(**arguments)
        config = serialized(metric)
        arrays = {}
        shapes = {}
        for i in range(UPDATES):
            values = data(rng)
            roles = ("y_true", "y_pred") if len(values) == 2 else ("values",)
            weight = uniform(rng, weight_shape or values[0].shape[:1], 0.0, 2.0)
            weight.flat[0] = 0.0
            for role, value in zip(roles, values):
                arrays[f"{role}{i}"] = value
                shapes[role] = describe(value)
            if weighted:
                arrays[f"sample_weight{i}"] = weight
                shapes["sample_weight"] = describe(weight)
            metric.update_state(*values, sample_weight=weight if weighted else None)
            arrays[f"result{i}"] = array(metric.result())
        for i, v in enumerate(metric.variables):
            arrays[f"variable{i}"] = array(v)
        variables = [{"name": v.name, **describe(array(v))} for v in metric.variables]
        metric.reset_state()
        arrays["result_after_reset"] = array(metric.result())
        golden.add(
            {
                "name": name + ("_weighted" if weighted else ""),
                "class_name": config["class_name"],
                "config": config["config"],
                "arguments": arguments,
                "updates": UPDATES,
                "arrays": shapes,
                "variables": variables,
                "metric_name": metric.name,
            },
            arrays,
        )


def binary(*shape):
    return lambda rng: (
        rng.integers(0, 2, shape).astype("float32"),
        uniform(rng, shape, 0.02, 0.98),
    )


def binary_logits(*shape):
    return lambda rng: (
        rng.integers(0, 2, shape).astype("float32"),
        normal(rng, shape, 2.0),
    )


def categorical(*shape, logits=False):
    return lambda rng: (
        one_hot(rng.integers(0, shape[-1], shape[:-1]), shape[-1]),
        normal(rng, shape, 2.0) if logits else probabilities(rng, shape),
    )


def sparse(*shape, label_shape=None, logits=False, dtype="int32"):
    return lambda rng: (
        rng.integers(0, shape[-1], label_shape or shape[:-1]).astype(dtype),
        normal(rng, shape, 2.0) if logits else probabilities(rng, shape),
    )


def regression(*shape):
    return lambda rng: (normal(rng, shape), normal(rng, shape))


def equal_or_not(*shape):
    return lambda rng: (
        rng.integers(0, 3, shape).astype("float32"),
        rng.integers(0, 3, shape).astype("float32"),
    )


case("accuracy", M.Accuracy, equal_or_not(8))
case("accuracy_rank2", M.Accuracy, equal_or_not(6, 3))
case("binary_accuracy", M.BinaryAccuracy, binary(8, 1))
case("binary_accuracy_rank1", M.BinaryAccuracy, binary(8))
case("binary_accuracy_multi", M.BinaryAccuracy, binary(6, 4))
case("binary_accuracy_threshold", M.BinaryAccuracy, binary(8, 1), threshold=0.3)
case("categorical_accuracy", M.CategoricalAccuracy, categorical(8, 4))
case(
    "categorical_accuracy_rank3",
    M.CategoricalAccuracy,
    categorical(4, 3, 5),
    weight_shape=(4, 3),
)
case("sparse_categorical_accuracy", M.SparseCategoricalAccuracy, sparse(8, 4))
case(
    "sparse_categorical_accuracy_column",
    M.SparseCategoricalAccuracy,
    sparse(8, 4, label_shape=(8, 1)),
)
case(
    "sparse_categorical_accuracy_rank3",
    M.SparseCategoricalAccuracy,
    sparse(4, 3, 5),
    weight_shape=(4, 3),
)
case(
    "sparse_categorical_accuracy_logits",
    M.SparseCategoricalAccuracy,
    sparse(8, 4, logits=True, dtype="uint8"),
)
case("top_k", M.TopKCategoricalAccuracy, categorical(8, 9))
case("top_2", M.TopKCategoricalAccuracy, categorical(8, 6), k=2)
case("sparse_top_k", M.SparseTopKCategoricalAccuracy, sparse(8, 9))
case("sparse_top_3", M.SparseTopKCategoricalAccuracy, sparse(8, 7), k=3)
case(
    "sparse_top_2_rank3",
    M.SparseTopKCategoricalAccuracy,
    sparse(4, 3, 6),
    k=2,
    weight_shape=(4, 3),
)
for cls in (M.MeanSquaredError, M.MeanAbsoluteError, M.RootMeanSquaredError):
    name = keras.src.utils.naming.to_snake_case(cls.__name__)
    case(name, cls, regression(6, 3))
    case(name + "_column", cls, regression(6, 1))
case(
    "mean_squared_error_labels_rank1",
    M.MeanSquaredError,
    lambda rng: (normal(rng, (6,)), normal(rng, (6, 1))),
)
case("binary_crossentropy", M.BinaryCrossentropy, binary(8, 1))
case("binary_crossentropy_multi", M.BinaryCrossentropy, binary(5, 3))
case(
    "binary_crossentropy_logits",
    M.BinaryCrossentropy,
    binary_logits(8, 1),
    from_logits=True,
    label_smoothing=0.1,
)
case("categorical_crossentropy", M.CategoricalCrossentropy, categorical(6, 4))
case(
    "categorical_crossentropy_logits",
    M.CategoricalCrossentropy,
    categorical(6, 4, logits=True),
    from_logits=True,
    label_smoothing=0.2,
)
case("sparse_categorical_crossentropy", M.SparseCategoricalCrossentropy, sparse(6, 4))
case(
    "sparse_categorical_crossentropy_logits",
    M.SparseCategoricalCrossentropy,
    sparse(6, 4, logits=True),
    from_logits=True,
)
case(
    "sparse_categorical_crossentropy_rank3",
    M.SparseCategoricalCrossentropy,
    sparse(4, 3, 5),
    weight_shape=(4, 3),
)
for name, data, weight_shape in (
    ("", sparse(6, 4), (6,)),
    ("_column", sparse(6, 4, label_shape=(6, 1)), (6, 1)),
    ("_rank3", sparse(4, 3, 4), (4, 3)),
    ("_rank3_weight_per_row", sparse(4, 3, 4), (4, 1)),
    ("_everywhere", lambda rng: (np.full(6, 2), probabilities(rng, (6, 4))), (6,)),
):
    case(
        "sparse_categorical_crossentropy_ignore_class" + name,
        M.SparseCategoricalCrossentropy,
        data,
        weight_shape=weight_shape,
        ignore_class=2,
    )
case("mean", M.Mean, lambda rng: (normal(rng, (6,)),))
case("mean_rank2", M.Mean, lambda rng: (normal(rng, (5, 3)),))
case("mean_scalar", M.Mean, lambda rng: (normal(rng, ()),), weight_shape=())
case("sum", M.Sum, lambda rng: (normal(rng, (6,)),))
case("sum_rank2", M.Sum, lambda rng: (normal(rng, (5, 3)),))
golden.save()

# The metrics that compile(metrics=...) makes of the names. The models have no
# weights: every output is a linear Activation of an input, so x is y_pred.
golden = Golden("metric_names")
ROWS = 10


def evaluate(name, outputs, **compile_arguments):
    """outputs: {output name: (y_true, y_pred)}."""
    keras.backend.clear_session()
    inputs = [keras.Input(p.shape[1:], name=f"{n}_in") for n, (_, p) in outputs.items()]
    results = [
        keras.layers.Activation("linear", name=n)(x) for n, x in zip(outputs, inputs)
    ]
    single = len(outputs) == 1
    model = keras.Model(
        inputs[0] if single else inputs, results[0] if single else results
    )
    weight = compile_arguments.pop("sample_weight", None)
    model.compile(**compile_arguments)
    x = [p for _, p in outputs.values()]
    y = [t for t, _ in outputs.values()]
    arrays = {f"y_true{i}": v for i, v in enumerate(y)}
    arrays.update({f"y_pred{i}": v for i, v in enumerate(x)})
    if weight is not None:
        arrays["sample_weight"] = weight
    logs = model.evaluate(
        x[0] if single else x,
        y[0] if single else y,
        batch_size=4,  # 4, 4, 2: the last batch is weighted by its size
        sample_weight=weight,
        verbose=0,
        return_dict=True,
    )
    resolved = []
    for m in model.metrics:
        if hasattr(m, "metrics"):
            for inner in m.metrics:
                fn = getattr(inner, "_fn", None)
                resolved.append(
                    {
                        "class_name": type(inner).__name__,
                        "name": inner.name,
                        "function": getattr(fn, "__name__", None),
                    }
                )
    golden.add(
        {
            "name": name,
            "outputs": [
                {"name": n, "y_true": describe(t), "y_pred": describe(p)}
                for n, (t, p) in outputs.items()
            ],
            "compile": {k: readable(v) for k, v in compile_arguments.items()},
            "sample_weight": None if weight is None else describe(weight),
            "batch_size": 4,
            "resolved": resolved,
            "logs": {k: float(v) for k, v in logs.items()},
            "log_order": list(logs),
        },
        arrays,
    )


def readable(value):
    if isinstance(value, (str, int, float, type(None))):
        return value
    if isinstance(value, (list, tuple)):
        return [readable(v) for v in value]
    if isinstance(value, dict):
        return {k: readable(v) for k, v in value.items()}
    return serialized(value)


rng = rng_for("metric_names")
KINDS = {
    "binary": (
        rng.integers(0, 2, (ROWS, 1)).astype("float32"),
        uniform(rng, (ROWS, 1), 0.02, 0.98),
        "binary_crossentropy",
    ),
    "binary_rank1_labels": (
        rng.integers(0, 2, (ROWS,)).astype("float32"),
        uniform(rng, (ROWS, 1), 0.02, 0.98),
        "binary_crossentropy",
    ),
    "one_hot": (
        one_hot(rng.integers(0, 5, (ROWS,)), 5),
        probabilities(rng, (ROWS, 5)),
        "categorical_crossentropy",
    ),
    "sparse": (
        rng.integers(0, 5, (ROWS,)).astype("int32"),
        probabilities(rng, (ROWS, 5)),
        "sparse_categorical_crossentropy",
    ),
    "sparse_column": (
        rng.integers(0, 5, (ROWS, 1)).astype("int32"),
        probabilities(rng, (ROWS, 5)),
        "sparse_categorical_crossentropy",
    ),
    "sparse_rank3": (
        rng.integers(0, 5, (ROWS, 3)).astype("int32"),
        probabilities(rng, (ROWS, 3, 5)),
        "sparse_categorical_crossentropy",
    ),
    "one_hot_rank3": (
        one_hot(rng.integers(0, 5, (ROWS, 3)), 5),
        probabilities(rng, (ROWS, 3, 5)),
        "categorical_crossentropy",
    ),
    "regression": (normal(rng, (ROWS, 3)), normal(rng, (ROWS, 3)), "mse"),
}
for kind, (y_true, y_pred, loss) in KINDS.items():
    names = ["accuracy", "acc"]
    if kind in ("binary", "one_hot", "regression"):
        names += ["mse", "mae", "MSE", "mean_squared_error", "MeanAbsoluteError"]
        names += ["RootMeanSquaredError", "root_mean_squared_error"]
    if kind == "binary":
        names += ["bce", "binary_crossentropy", "binary_accuracy", "BinaryAccuracy"]
    if kind == "one_hot":
        names += ["categorical_crossentropy", "categorical_accuracy"]
        names += ["top_k_categorical_accuracy", "TopKCategoricalAccuracy"]
    if kind == "sparse":
        names += ["sparse_categorical_crossentropy", "sparse_categorical_accuracy"]
        names += ["sparse_top_k_categorical_accuracy"]
    for metric in names:
        try:
            evaluate(
                f"{kind}_{metric}",
                {"out": (y_true, y_pred)},
                loss=loss,
                metrics=[metric],
            )
        except Exception as error:  # an unknown name
            golden.add(
                {
                    "name": f"{kind}_{metric}",
                    "outputs": [
                        {
                            "name": "out",
                            "y_true": describe(y_true),
                            "y_pred": describe(y_pred),
                        }
                    ],
                    "compile": {"loss": loss, "metrics": [metric]},
                    "exception": type(error).__name__,
                    "message": str(error),
                }
            )
for kind in ("binary", "one_hot", "sparse"):
    y_true, y_pred, _ = KINDS[kind]
    for loss in ("crossentropy", "ce"):
        evaluate(f"{kind}_loss_{loss}", {"out": (y_true, y_pred)}, loss=loss)

one_output = {"out": KINDS["sparse"][:2]}
SCCE = "sparse_categorical_crossentropy"
weights = uniform(rng, (ROWS,), 0.1, 2.0)
evaluate("loss_only", one_output, loss=SCCE)
evaluate("two_metrics", one_output, loss=SCCE, metrics=["accuracy", SCCE])
evaluate("same_metric_twice", one_output, loss=SCCE, metrics=["accuracy", "acc"])
evaluate(
    "metric_objects",
    one_output,
    loss=keras.losses.SparseCategoricalCrossentropy(),
    metrics=[M.SparseCategoricalAccuracy(name="right"), M.SparseCategoricalAccuracy()],
)
evaluate(
    "weighted_metrics",
    one_output,
    loss=SCCE,
    metrics=["accuracy"],
    weighted_metrics=[SCCE, "accuracy"],
    sample_weight=weights,
)
evaluate(
    "sample_weight_unweighted_metrics",
    one_output,
    loss=SCCE,
    metrics=["accuracy"],
    sample_weight=weights,
)
evaluate("metrics_by_dict", one_output, loss=SCCE, metrics={"out": ["accuracy"]})

two = {"kind": KINDS["sparse"][:2], "value": KINDS["regression"][:2]}
evaluate("two_outputs_losses", two, loss=[SCCE, "mse"])
evaluate(
    "two_outputs_metrics_list",
    two,
    loss=[SCCE, "mse"],
    metrics=[["accuracy"], ["mae", "mse"]],
)
evaluate(
    "two_outputs_dicts",
    two,
    loss={"value": "mae", "kind": SCCE},
    metrics={"value": ["mse"], "kind": ["accuracy"]},
)
evaluate(
    "two_outputs_loss_weights",
    two,
    loss=[SCCE, keras.losses.Huber()],
    loss_weights=[0.25, 2.0],
    metrics=[None, ["mae"]],
)
evaluate(
    "two_outputs_loss_weights_dict",
    two,
    loss={"kind": SCCE, "value": "mse"},
    loss_weights={"kind": 0.5, "value": 3.0},
    metrics={"kind": ["acc"]},
)
evaluate(
    "two_outputs_one_loss",
    two,
    loss=[SCCE, None],
    metrics=[["accuracy"], ["mae"]],
)
evaluate(
    "two_outputs_same_metric",
    {
        "a": KINDS["regression"][:2],
        "b": (normal(rng, (ROWS, 2)), normal(rng, (ROWS, 2))),
    },
    loss="mse",
    metrics=[["mae"], ["mae"]],
)
evaluate(
    "two_outputs_weighted_metrics",
    two,
    loss=[SCCE, "mse"],
    weighted_metrics=[["accuracy"], ["mae"]],
)
golden.save()
