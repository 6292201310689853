"""keras_files/: three .keras files saved by Keras itself, each with an .npz of
inputs, predictions, weights and optimizer variables, and keras_files/index.json.

The archives carry the date of saving, so another run gives other bytes with the
same contents.
"""

import os

from common import FOLDER
from common import array
from common import describe
from common import json
from common import keras
from common import normal
from common import np
from common import one_hot
from common import rng_for
from common import write_json

L = keras.layers
TARGET = os.path.join(FOLDER, "keras_files")
index = []


def save(name, make, data, predict_inputs, next_step=True, steps=3):
    keras.backend.clear_session()
    keras.utils.set_random_seed(11)
    model = make()
    rng = rng_for("keras_files/" + name)
    for _ in range(steps):
        x, y = data(rng)
        model.train_on_batch(x, y)
    inputs = predict_inputs(rng)
    outputs = model.predict(inputs if len(inputs) > 1 else inputs[0], verbose=0)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    path = os.path.join(TARGET, name + ".keras")
    model.save(path)

    again = keras.models.load_model(path)
    same = again.predict(inputs if len(inputs) > 1 else inputs[0], verbose=0)
    same = same if isinstance(same, list) else [same]
    for a, b in zip(outputs, same):
        np.testing.assert_array_equal(a, b)

    arrays = {f"input{i}": v for i, v in enumerate(inputs)}
    arrays.update({f"output{i}": v for i, v in enumerate(outputs)})
    arrays.update({f"weight{i}": v for i, v in enumerate(model.get_weights())})
    for i, v in enumerate(model.optimizer.variables):
        arrays[f"optimizer_variable{i}"] = array(v)
    next_logs = None
    if next_step:
        # One more training step: the loaded optimizer must continue from its state.
        x, y = data(rng)
        xs, ys = [v if isinstance(v, list) else [v] for v in (x, y)]
        arrays.update({f"next_x{i}": v for i, v in enumerate(xs)})
        arrays.update({f"next_y{i}": v for i, v in enumerate(ys)})
        logs = model.train_on_batch(x, y, return_dict=True)
        next_logs = {k: float(v) for k, v in logs.items()}
        for i, v in enumerate(model.get_weights()):
            arrays[f"next_weight{i}"] = v
    np.savez_compressed(os.path.join(TARGET, name + ".npz"), **arrays)
    index.append(
        {
            "name": name,
            "file": name + ".keras",
            "inputs": [describe(v) for v in inputs],
            "outputs": [describe(v) for v in outputs],
            "model": json.loads(model.to_json()),
            "compile_config": model.get_compile_config(),
            "weights": [
                {"name": w.name, "path": w.path, "shape": list(w.shape)}
                for w in model.weights
            ],
            "optimizer_variables": [
                {"name": v.name, "path": v.path, **describe(array(v))}
                for v in model.optimizer.variables
            ],
            "next_logs": next_logs,
        }
    )
    print(f"{name}.keras: {os.path.getsize(path)} bytes")


def dense():
    model = keras.Sequential(
        [
            keras.Input((6,)),
            L.Dense(8, activation="relu", kernel_regularizer="l2"),
            L.Dense(5, activation="tanh", name="middle"),
            L.Dense(3, activation="softmax"),
        ],
        name="dense_net",
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def cnn():
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            L.Rescaling(1 / 255.0),
            L.Conv2D(4, 3, padding="same", use_bias=False),
            L.BatchNormalization(),
            L.Activation("relu"),
            L.MaxPooling2D(2),
            L.Conv2D(6, 3, activation="gelu"),
            L.GlobalAveragePooling2D(),
            L.Dropout(0.25, seed=5),
            L.Dense(4),
        ],
        name="small_cnn",
    )
    model.compile(
        keras.optimizers.RMSprop(0.01, momentum=0.5),
        keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1),
        metrics=[keras.metrics.CategoricalAccuracy(name="right")],
    )
    return model


def two_inputs():
    numbers = keras.Input((5,), name="numbers")
    words = keras.Input((4,), dtype="int32", name="words")
    a = L.Dense(6, activation="silu", name="numbers_dense")(numbers)
    b = L.Embedding(12, 3, name="vectors")(words)
    b = L.GlobalAveragePooling1D(name="mean_vector")(b)
    b = L.Dense(6, name="words_dense")(b)
    shared = L.Dense(6, activation="tanh", name="shared")
    x = L.Add(name="sum")([shared(a), shared(b)])
    x = L.LayerNormalization(name="norm")(x)
    x = L.Concatenate(name="joined")([x, a])
    model = keras.Model(
        [numbers, words],
        [L.Dense(1, name="value")(x), L.Dense(3, activation="softmax", name="kind")(x)],
        name="two_inputs",
    )
    model.compile(
        keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True, clipnorm=1.0),
        loss=["mse", "sparse_categorical_crossentropy"],
        loss_weights=[1.0, 0.5],
        metrics=[["mae"], ["accuracy"]],
    )
    return model


def words_and_numbers(rng, rows):
    return [normal(rng, (rows, 5)), rng.integers(0, 12, (rows, 4)).astype("int32")]


os.makedirs(TARGET, exist_ok=True)
save(
    "dense",
    dense,
    lambda rng: (normal(rng, (8, 6)), rng.integers(0, 3, (8,)).astype("int32")),
    lambda rng: [normal(rng, (5, 6))],
)
save(
    "cnn",
    cnn,
    lambda rng: (
        rng.integers(0, 256, (8, 8, 8, 1)).astype("float32"),
        one_hot(rng.integers(0, 4, (8,)), 4),
    ),
    lambda rng: [rng.integers(0, 256, (3, 8, 8, 1)).astype("float32")],
    next_step=False,  # its Dropout is random
)
save(
    "two_inputs",
    two_inputs,
    lambda rng: (
        words_and_numbers(rng, 8),
        [normal(rng, (8, 1)), rng.integers(0, 3, (8,)).astype("int32")],
    ),
    lambda rng: words_and_numbers(rng, 4),
)
write_json(os.path.join("keras_files", "index.json"), index)
