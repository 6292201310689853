"""summary.json: the text of model.summary() on an 80 column terminal."""

import os

os.environ["COLUMNS"] = "80"
os.environ["LINES"] = "24"

from common import Golden  # noqa: E402
from common import json  # noqa: E402
from common import keras  # noqa: E402
from common import np  # noqa: E402

L = keras.layers
golden = Golden("summary")


def case(name, make, **arguments):
    keras.backend.clear_session()
    model = make()
    if isinstance(model, tuple):
        model, note = model
    else:
        note = None
    lines = []
    model.summary(print_fn=lambda text, **_: lines.append(text), **arguments)
    entry = {
        "name": name,
        "arguments": arguments,
        "model": json.loads(model.to_json()) if model.built else None,
        "text": "\n".join(lines),
    }
    if note:
        entry["note"] = note
    golden.add(entry)


def cnn_layers():
    return [
        L.Conv2D(32, 3, activation="relu"),
        L.MaxPooling2D(2),
        L.Conv2D(64, 3, activation="relu"),
        L.MaxPooling2D(2),
        L.Conv2D(64, 3, activation="relu"),
        L.Flatten(),
        L.Dense(64, activation="relu"),
        L.Dense(10),
    ]


def mnist_cnn():
    return keras.Sequential([keras.Input((28, 28, 1)), *cnn_layers()])


def unbuilt():
    return keras.Sequential(cnn_layers()), "no Input, not built"


def built():
    model = keras.Sequential(cnn_layers())
    model.build((None, 28, 28, 1))
    return model, "no Input, build((None, 28, 28, 1))"


def called():
    model = keras.Sequential(cnn_layers())
    model(np.zeros((3, 28, 28, 1), "float32"))
    return model, "no Input, called on a (3, 28, 28, 1) array"


def functional():
    a = keras.Input((16,), name="left")
    b = keras.Input((16,), name="right")
    shared = L.Dense(8, activation="relu", name="shared")
    x = L.Concatenate()([shared(a), shared(b)])
    y = L.Add()([L.Dense(16)(x), x])
    return keras.Model(
        [a, b],
        [L.Dense(1, name="score")(y), L.Dense(3, name="kind")(y)],
        name="two_towers",
    )


def functional_line():
    x = keras.Input((8, 8, 3))
    y = L.Conv2D(4, 3, padding="same")(x)
    y = L.BatchNormalization()(y)
    y = L.Activation("relu")(y)
    y = L.GlobalAveragePooling2D()(y)
    return keras.Model(x, L.Dense(2)(y))


def nested():
    inner = keras.Sequential(
        [keras.Input((8,)), L.Dense(4, activation="relu"), L.Dense(3)], name="inner"
    )
    x = keras.Input((8,), name="x")
    return keras.Model(x, L.Dense(1)(inner(x)), name="outer")


def nested_sequential():
    inner = keras.Sequential([keras.Input((6, 6, 1)), L.Conv2D(2, 3), L.Flatten()])
    return keras.Sequential([keras.Input((6, 6, 1)), inner, L.Dense(5)])


def trained(make, optimizer):
    model = make()
    model.compile(optimizer, loss="mse")
    rng = np.random.default_rng(0)
    x = [rng.random((4, *i.shape[1:])) for i in model.inputs]
    y = [rng.random((4, *o.shape[1:])) for o in model.outputs]
    model.train_on_batch(x if len(x) > 1 else x[0], y if len(y) > 1 else y[0])
    return model, f"compiled with {optimizer} and mse, one train_on_batch"


def compiled_only():
    model = mnist_cnn()
    model.compile("adam", loss="mse")
    return model, "compiled with adam and mse, not trained"


def frozen():
    model = mnist_cnn()
    model.layers[0].trainable = False
    model.layers[2].trainable = False
    return model, "layers 0 and 2 are frozen"


def long_names():
    return keras.Sequential(
        [
            keras.Input((4,)),
            L.Dense(
                1000, name="a_dense_layer_with_a_name_that_is_too_long_for_the_table"
            ),
            L.Dense(1000, name="b"),
        ],
        name="long_names",
    )


def regular_layers():
    return keras.Sequential(
        [
            keras.Input((12,), dtype="int32"),
            L.Embedding(1000, 16),
            L.LayerNormalization(),
            L.Dropout(0.1),
            L.GlobalAveragePooling1D(),
            L.Reshape((4, 4)),
            L.Rescaling(2.0),
            L.Flatten(),
            L.Dense(1),
        ]
    )


def empty():
    return keras.Sequential(name="empty"), "no layers"


def large():
    return keras.Sequential(
        [keras.Input((10000,)), L.Dense(12345), L.Dense(10)], name="large"
    )


case("mnist_cnn", mnist_cnn)
case("unbuilt", unbuilt)
case("built", built)
case("called", called)
case("functional", functional)
case("functional_line", functional_line)
case("nested", nested)
case("nested_expanded", nested, expand_nested=True)
case("nested_sequential", nested_sequential)
case("nested_sequential_expanded", nested_sequential, expand_nested=True)
case("compiled_only", compiled_only)
case("trained_adam", lambda: trained(mnist_cnn, "adam"))
case("trained_sgd", lambda: trained(functional_line, "sgd"))
case("trained_rmsprop_functional", lambda: trained(functional, "rmsprop"))
case("frozen", frozen)
case("frozen_show_trainable", frozen, show_trainable=True)
case("functional_show_trainable", functional, show_trainable=True)
case("long_names", long_names)
case("layers", regular_layers)
case("empty", empty)
case("large", large)
case("line_length_100", mnist_cnn, line_length=100)
case("line_length_60", mnist_cnn, line_length=60)

golden.save()
