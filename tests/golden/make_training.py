"""training_*.json, training_*.npz: whole training runs of 20 steps.

    python make_training.py [--mnist FOLDER]

FOLDER holds the MNIST IDX files (default: datasets/data/mnist of this
repository); only the indices of the images are stored.
"""

import argparse
import gzip
import json
import os

from common import FOLDER
from common import Golden
from common import array
from common import describe
from common import keras
from common import normal
from common import np
from common import one_hot
from common import rng_for
from common import serialized

L = keras.layers
STEPS = 20


def read_idx(folder, name):
    for path in (os.path.join(folder, name + ".gz"), os.path.join(folder, name)):
        if os.path.exists(path):
            opened = gzip.open if path.endswith(".gz") else open
            with opened(path, "rb") as f:
                data = f.read()
            rank = data[3]
            shape = np.frombuffer(data, ">u4", rank, 4)
            return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)
    raise FileNotFoundError(f"no {name}(.gz) in {folder}")


def variable_list(variables):
    return [{"name": v.name, "path": v.path, **describe(array(v))} for v in variables]


def train(make, batch, initial=None):
    """A model, its initial weights and its logs of every step."""
    keras.backend.clear_session()
    keras.utils.set_random_seed(7)
    model = make()
    if initial is not None:
        model.set_weights(initial)
    initial = model.get_weights()
    logs = []
    for step in range(STEPS):
        x, y, weight = batch(step)
        values = model.train_on_batch(x, y, sample_weight=weight, return_dict=True)
        logs.append({k: float(v) for k, v in values.items()})
    return model, initial, logs


def conditioning(make, batch, initial, model, logs):
    """The distance of the same run in float64 from this one: the effect of rounding
    alone, which no implementation can be required to undercut."""
    keras.config.set_floatx("float64")
    other, _, other_logs = train(make, batch, initial)
    keras.config.set_floatx("float32")
    losses = [abs(a["loss"] / b["loss"] - 1) for a, b in zip(logs, other_logs)]
    weights = [
        float(np.linalg.norm(a - b) / np.linalg.norm(b))
        for a, b in zip(model.get_weights(), other.get_weights())
    ]
    # Two digits: more would be rounding noise.
    return {
        "loss_difference": [float(f"{v:.1e}") for v in losses],
        "weight_difference": [float(f"{v:.1e}") for v in weights],
    }


def is_decided_by_rounding(make, batch, initial):
    """Whether some pooling window or some ReLU of the run is so close to a tie
    that the last few bits of the weights decide the result. Such a run cannot
    verify an implementation that rounds differently."""

    def state(model):
        variables = model.get_weights() + model.optimizer.variables
        return [np.asarray(v, "float64") for v in variables]

    model, _, logs = train(make, batch, initial)
    variables = state(model)
    for seed in range(6):
        rng = rng_for(f"training/rounding{seed}")
        noise = [rng.uniform(-2e-6, 2e-6, w.shape) for w in initial]
        moved = [(w * (1 + n)).astype(w.dtype) for w, n in zip(initial, noise)]
        other, _, other_logs = train(make, batch, moved)
        losses = [abs(a["loss"] / b["loss"] - 1) for a, b in zip(logs, other_logs)]
        distances = [
            np.linalg.norm(a - b) / max(np.linalg.norm(a), 1e-30)
            for a, b in zip(variables, state(other))
        ]
        if max(losses) > 2e-5 or max(distances) > 5e-5:
            return True
    return False


def entry(name, model, logs, float64, extra):
    variables = list(model.weights)
    return {
        "name": name,
        "steps": STEPS,
        **extra,
        "model": json.loads(model.to_json()),
        "compile_config": model.get_compile_config(),
        "optimizer": serialized(model.optimizer),
        "weights": [
            {**w, "trainable": bool(v.trainable)}
            for w, v in zip(variable_list(variables), variables)
        ],
        "optimizer_variables": variable_list(model.optimizer.variables),
        "logs": logs,
        "float64": float64,
    }


def run(
    golden,
    name,
    make,
    batch,
    step_arrays,
    predict_inputs,
    stored,
    extra,
    initial=None,
):
    """make: compiled model; batch(step): x, y, sample_weight; step_arrays(step)
    and stored: the data as it goes to the file."""
    model, initial, logs = train(make, batch, initial)
    arrays = {f"initial_weight{i}": w for i, w in enumerate(initial)}
    arrays.update({f"final_weight{i}": w for i, w in enumerate(model.get_weights())})
    for i, v in enumerate(model.optimizer.variables):
        arrays[f"optimizer_variable{i}"] = array(v)
    for step in range(STEPS):
        arrays.update({f"step{step}/{k}": v for k, v in step_arrays(step).items()})
    arrays.update(stored)
    float64 = conditioning(make, batch, initial, model, logs)
    case = entry(name, model, logs, float64, extra)
    after = model.predict_on_batch(predict_inputs)
    model.set_weights(initial)
    before = model.predict_on_batch(predict_inputs)
    for when, result in (("before", before), ("after", after)):
        for i, p in enumerate(result if isinstance(result, list) else [result]):
            arrays[f"prediction_{when}{i}"] = np.asarray(p)
    golden.add(case, arrays)


def mnist_cnn(folder):
    images = read_idx(folder, "train-images-idx3-ubyte")[:512]
    labels = read_idx(folder, "train-labels-idx1-ubyte")[:512]
    images = (images[..., None] / np.float32(255)).astype("float32")
    order = rng_for("training/mnist").permutation(512).astype("int32")

    def make():
        model = keras.Sequential(
            [
                keras.Input((28, 28, 1)),
                L.Conv2D(32, 3, activation="relu"),
                L.MaxPooling2D(2),
                L.Conv2D(64, 3, activation="relu"),
                L.MaxPooling2D(2),
                L.Conv2D(64, 3, activation="relu"),
                L.Flatten(),
                L.Dense(64, activation="relu"),
                L.Dense(10),
            ],
            name="mnist_cnn",
        )
        model.compile(
            optimizer="adam",
            loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            metrics=["accuracy"],
        )
        return model

    def indices(step):
        # Few images; otherwise in some window of some step the two largest values would be
        # closer than rounding.
        start = 16 * (step % 32)
        return order[start : start + 16]

    def batch(step):
        i = indices(step)
        return images[i], labels[i], None

    rng = rng_for("training/mnist_biases")
    for seed in range(7, 107):
        keras.utils.set_random_seed(seed)
        kernels_only = make().get_weights()
        with_biases = [
            w if w.ndim > 1 else normal(rng, w.shape, 0.05) for w in kernels_only
        ]
        if not is_decided_by_rounding(make, batch, with_biases):
            print(f"mnist_cnn: seed {seed}")
            break
    else:
        raise SystemExit("mnist_cnn: rounding decides every run")
    data = {
        "data": "indices into the MNIST training set; x = image / 255 in"
        " float32, shape (16, 28, 28, 1); y = label, uint8, shape (16,)",
        "inputs": ["x"],
        "targets": ["y"],
        "sample_weights": [],
    }
    golden = Golden("training_mnist_cnn")
    # Blank image regions times zero biases put activations exactly on the
    # relu's kink and pooling windows into ties, where rounding decides. With
    # random biases the run can be compared tightly.
    run(
        golden,
        "mnist_cnn",
        make,
        batch,
        lambda step: {"indices": indices(step)},
        images[:8],
        {"predict_indices": np.arange(8, dtype="int32")},
        {**data, "initial": "initial_weight<i>"},
        with_biases,
    )
    # Zero biases, as in Keras, for the losses only; "float64" gives their
    # reliability.
    model, _, logs = train(make, batch, kernels_only)
    float64 = conditioning(make, batch, kernels_only, model, logs)
    more = {
        **data,
        "initial": "mnist_cnn/initial_weight<i>, zeros for the rank 1 ones",
        "batches": "those of mnist_cnn",
    }
    golden.add(entry("mnist_cnn_zero_biases", model, logs, float64, more))
    golden.save()


def two_inputs():
    rng = rng_for("training/two_inputs")
    size = 16
    batches = []
    for _ in range(STEPS):
        numbers = normal(rng, (size, 6))
        words = rng.integers(0, 20, (size, 5)).astype("int32")
        value = (numbers[:, :1] - 0.5 * numbers[:, 1:2] ** 2).astype("float32")
        kind = one_hot((words[:, 0] + words[:, 1]) % 3, 3)
        batches.append((numbers, words, value, kind))

    def make():
        numbers = keras.Input((6,), name="numbers")
        words = keras.Input((5,), dtype="int32", name="words")
        a = L.Dense(8, activation="tanh", name="number_features")(numbers)
        b = L.Embedding(20, 4, name="word_vectors")(words)
        b = L.Flatten(name="flat_words")(b)
        b = L.Dense(8, activation="relu", name="word_features")(b)
        shared = L.Dense(8, activation="gelu", name="shared")
        total = L.Add(name="sum")([shared(a), shared(b)])
        joined = L.Concatenate(name="joined")([total, a, b])
        hidden = L.Dense(12, activation="silu", name="hidden")(joined)
        value = L.Dense(1, name="value")(hidden)
        kind = L.Dense(3, activation="softmax", name="kind")(joined)
        model = keras.Model([numbers, words], [value, kind], name="two_inputs")
        model.compile(
            optimizer=keras.optimizers.SGD(0.02, momentum=0.9, nesterov=True),
            loss=[
                keras.losses.Huber(),
                keras.losses.CategoricalCrossentropy(label_smoothing=0.1),
            ],
            loss_weights=[0.7, 1.3],
            metrics=[["mae"], ["accuracy"]],
        )
        return model

    def batch(step):
        numbers, words, value, kind = batches[step]
        return [numbers, words], [value, kind], None

    def store(step):
        return dict(zip(("x0", "x1", "y0", "y1"), batches[step]))

    x = [normal(rng, (5, 6)), rng.integers(0, 20, (5, 5)).astype("int32")]
    golden = Golden("training_two_inputs")
    run(
        golden,
        "two_inputs",
        make,
        batch,
        store,
        x,
        {"predict_x0": x[0], "predict_x1": x[1]},
        {
            "data": "x0, x1, y0, y1 of every step",
            "initial": "initial_weight<i>",
            "inputs": ["x0", "x1"],
            "targets": ["y0", "y1"],
            "sample_weights": [],
        },
    )
    golden.save()


def normalized():
    rng = rng_for("training/normalized")
    size = 12
    batches = []
    for _ in range(STEPS):
        y = rng.integers(0, 4, (size,)).astype("int32")
        x = normal(rng, (size, 8, 8, 2))
        for i, label in enumerate(y):
            x[i, 2 * label : 2 * label + 2, :, label % 2] += 1.5
        weight = rng.uniform(0.2, 1.5, (size,)).astype("float32")
        batches.append((x, y, weight))

    def make():
        model = keras.Sequential(
            [
                keras.Input((8, 8, 2)),
                # No bias in front of the BatchNormalization: its gradient
                # would be rounding noise.
                L.Conv2D(
                    6,
                    3,
                    padding="same",
                    use_bias=False,
                    kernel_regularizer=keras.regularizers.L2(0.01),
                ),
                L.BatchNormalization(momentum=0.8),
                L.Activation("relu"),
                L.AveragePooling2D(2),
                L.Conv2D(
                    8,
                    2,
                    activation="tanh",
                    kernel_regularizer=keras.regularizers.L1L2(0.001, 0.002),
                ),
                L.LayerNormalization(),
                L.AveragePooling2D(3, strides=1, padding="same"),
                L.Flatten(),
                L.Dropout(0.0, seed=3),
                L.Dense(
                    10,
                    activation="elu",
                    kernel_regularizer=keras.regularizers.L1(0.001),
                    bias_regularizer=keras.regularizers.L2(0.01),
                ),
                L.Dense(4, activation="softmax"),
            ],
            name="normalized",
        )
        model.compile(
            optimizer=keras.optimizers.RMSprop(0.002),
            loss="sparse_categorical_crossentropy",
            metrics=["accuracy"],
            weighted_metrics=["sparse_categorical_crossentropy"],
        )
        return model

    def store(step):
        return dict(zip(("x0", "y0", "sample_weight0"), batches[step]))

    x = normal(rng, (4, 8, 8, 2))
    golden = Golden("training_normalized")
    run(
        golden,
        "normalized",
        make,
        lambda step: batches[step],
        store,
        x,
        {"predict_x0": x},
        {
            "data": "x0, y0, sample_weight0 of every step",
            "initial": "initial_weight<i>",
            "inputs": ["x0"],
            "targets": ["y0"],
            "sample_weights": ["sample_weight0"],
        },
    )
    golden.save()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.path.join(FOLDER, "..", "..", "datasets", "data", "mnist")
    parser.add_argument("--mnist", default=default, metavar="FOLDER")
    mnist_cnn(parser.parse_args().mnist)
    two_inputs()
    normalized()
