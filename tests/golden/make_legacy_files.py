"""legacy_files/: files saved by Keras 3 and tf.keras 2.15: whole models as legacy `.h5`, weights alone, and
`.keras` archives of 2.15; each model with an .npz of inputs, predictions and weights, and of five further training
steps with their losses.

Run it twice, once with each of the two: names of files begin with keras3 and keras2.

    pip install keras tensorflow-cpu h5py && python make_legacy_files.py
    pip install tensorflow-cpu==2.15.1 h5py && python make_legacy_files.py
"""

import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

L = keras.layers
MAJOR = int(keras.__version__.split(".")[0])
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "legacy_files")
STEPS = 5


def as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def one_or_all(values):
    return values[0] if len(values) == 1 else values


def save(name, make, data, extensions):
    """Trains three steps, saves, and records the following results."""
    name = f"keras{MAJOR}_{name}"
    keras.backend.clear_session()
    keras.utils.set_random_seed(11)
    model = make()
    rng = np.random.default_rng(7)
    for _ in range(3):
        x, y = data(rng)
        model.train_on_batch(one_or_all(x), one_or_all(y))
    inputs, _ = data(rng)
    arrays = {f"input{i}": v for i, v in enumerate(inputs)}
    for i, v in enumerate(as_list(model.predict(one_or_all(inputs), verbose=0))):
        arrays[f"output{i}"] = v
    for i, v in enumerate(model.get_weights()):
        arrays[f"weight{i}"] = v
    for extension in extensions:
        path = os.path.join(FOLDER, name + extension)
        if extension == ".weights.h5" or extension == "_weights.h5":
            model.save_weights(path)
        else:
            model.save(path)
    losses = []
    for step in range(STEPS):
        x, y = data(rng)
        arrays.update({f"x{step}_{i}": v for i, v in enumerate(x)})
        arrays.update({f"y{step}_{i}": v for i, v in enumerate(y)})
        losses.append(model.train_on_batch(one_or_all(x), one_or_all(y), return_dict=True))
    for i, v in enumerate(model.get_weights()):
        arrays[f"last_weight{i}"] = v
    np.savez_compressed(os.path.join(FOLDER, name + ".npz"), **arrays)
    index = {
        "keras_version": keras.__version__,
        "files": [name + extension for extension in extensions],
        "inputs": len(inputs),
        "outputs": len(as_list(y)),
        "weights": len(model.get_weights()),
        "losses": [float(logs["loss"]) for logs in losses],
        "metrics": sorted(losses[0]),
    }
    with open(os.path.join(FOLDER, name + ".json"), "w", encoding="utf-8") as file:
        json.dump(index, file, indent=1)
        file.write("\n")
    print(name, {extension: os.path.getsize(os.path.join(FOLDER, name + extension)) for extension in extensions})


def normal(rng, shape):
    return rng.standard_normal(shape).astype("float32")


def dense():
    model = keras.Sequential(
        [
            keras.Input((6,)),
            L.Dense(8, activation="relu", kernel_regularizer="l2"),
            L.LayerNormalization(),
            L.Dense(3, activation="softmax"),
        ],
        name="dense_net",
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def cnn(optimizer):
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            L.Rescaling(1 / 255.0),
            L.Conv2D(4, 3, padding="same", use_bias=False),
            L.BatchNormalization(),
            L.ReLU(),
            L.MaxPooling2D(2),
            L.Conv2D(6, 3, activation="tanh", groups=2),
            L.GlobalAveragePooling2D(),
            L.Dropout(0.0),
            L.Dense(4),
        ],
        name="small_cnn",
    )
    model.compile(
        optimizer,
        keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1),
        metrics=[keras.metrics.CategoricalAccuracy(name="right")],
    )
    return model


def nested():
    """A nested model with a frozen layer, a shared layer, two inputs and outputs."""
    block = keras.Sequential(
        [keras.Input((5,)), L.Dense(6, activation="tanh"), L.BatchNormalization(), L.Dense(5)], name="block"
    )
    block.layers[0].trainable = False
    inner_input = keras.Input((5,))
    inner = keras.Model(inner_input, L.Dense(5, activation="sigmoid")(inner_input), name="inner")
    a = keras.Input((5,), name="a")
    words = keras.Input((4,), dtype="int32", name="words")
    b = L.Embedding(12, 5, name="vectors")(words)
    b = L.GlobalAveragePooling1D(name="mean_vector")(b)
    shared = L.Dense(5, activation="tanh", name="shared")
    frozen = L.Dense(5, name="frozen", trainable=False)
    x = L.Add(name="sum")([shared(block(a)), shared(b), frozen(inner(a))])
    x = L.Concatenate(name="joined")([x, inner(x)])
    model = keras.Model(
        [a, words], [L.Dense(1, name="value")(x), L.Dense(3, activation="softmax", name="kind")(x)], name="two_inputs"
    )
    model.compile(
        keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True, clipnorm=1.0),
        loss=["mse", keras.losses.SparseCategoricalCrossentropy()],
        loss_weights=[1.0, 0.5],
        metrics=[["mae"], ["accuracy"]],
    )
    return model


def functions():
    """Functions of TensorFlow between layers, a nested model with such."""
    x = keras.Input((5, 4), name="x")
    tokens = keras.Input((3,), dtype="int32", name="tokens")
    start = keras.Input((4,))
    inner = keras.Model(start, tf.nn.silu(L.Dense(4)(start)) * 0.5 + start, name="inner")
    y = L.Dense(4, activation="tanh")(x)
    y = 1.5 * y - y**2 / 3.0 + np.linspace(0.0, 1.0, 4, dtype="float32")
    ends = [y[:, 0], y[..., -1, :], tf.reduce_mean(y[:, ::2], axis=1)]
    words = tf.reshape(tf.one_hot(tokens % 7, 7), [-1, 21])
    weights = tf.nn.softmax(tf.matmul(y, y, transpose_b=True))
    pooled = inner(tf.squeeze(tf.reduce_max(weights @ y, 1, keepdims=True), [1]))
    z = L.Concatenate()([*ends, words, tf.where(pooled > 0.0, pooled, -pooled)])
    model = keras.Model([x, tokens], L.Dense(1)(z), name="functions")
    model.compile(keras.optimizers.SGD(0.02, momentum=0.5), "mse")
    return model


def functions_data(rng):
    x = [normal(rng, (8, 5, 4)), rng.integers(0, 12, (8, 3)).astype("int32")]
    return x, [normal(rng, (8, 1))]


def dense_data(rng):
    return [normal(rng, (8, 6))], [rng.integers(0, 3, (8,)).astype("int32")]


def cnn_data(rng):
    images = rng.integers(0, 256, (8, 8, 8, 1)).astype("float32")
    return [images], [np.eye(4, dtype="float32")[rng.integers(0, 4, (8,))]]


def nested_data(rng):
    x = [normal(rng, (8, 5)), rng.integers(0, 12, (8, 4)).astype("int32")]
    return x, [normal(rng, (8, 1)), rng.integers(0, 3, (8,)).astype("int32")]


os.makedirs(FOLDER, exist_ok=True)
own = [".h5", ".weights.h5"] if MAJOR == 3 else [".h5", ".keras", ".weights.h5", "_weights.h5"]
save("dense", dense, dense_data, own)
save("nested", nested, nested_data, own)
save("cnn", lambda: cnn(keras.optimizers.RMSprop(0.01, momentum=0.5, centered=True)), cnn_data, own[:1])
schedule = keras.optimizers.schedules.ExponentialDecay(0.01, 4, 0.5)
save("schedule", lambda: cnn(keras.optimizers.Adam(schedule, amsgrad=True)), cnn_data, own[:2] if MAJOR == 2 else own[:1])
save("sgd", lambda: cnn(keras.optimizers.SGD(0.02)), cnn_data, own[:2] if MAJOR == 2 else own[:1])
if MAJOR == 2:
    save("functions", functions, functions_data, [".h5"])  # 2.15 cannot write `...` to `.keras` files
    old = keras.optimizers.legacy
    save("legacy_adam", lambda: cnn(old.Adam(0.01, decay=0.1)), cnn_data, [".h5"])
    save("legacy_amsgrad", lambda: cnn(old.Adam(0.01, amsgrad=True)), cnn_data, [".h5"])
    save("legacy_sgd", lambda: cnn(old.SGD(0.02, momentum=0.8)), cnn_data, [".h5"])
