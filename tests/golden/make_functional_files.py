"""functional_files/: functional models saved by Keras 3: dictionaries of outputs, one output twice, nested inputs,
operations, calls with `training`, and names beyond ASCII. Each with an .npz of inputs, targets and predictions, and
in index.json the results of `fit` (one epoch, batches of 4, in order) and `evaluate`.

    pip install keras tensorflow-cpu h5py && python make_functional_files.py
"""

import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras  # noqa: E402
import numpy as np  # noqa: E402

L = keras.layers
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "functional_files")
index = []


def flat(value):
    """In Keras's order: the values of a dictionary by their keys."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in flat(value[key])]
    if isinstance(value, (list, tuple)):
        return [leaf for entry in value for leaf in flat(entry)]
    return [value]


def save(name, make, x, y=None, extension=".keras", predict=None):
    keras.backend.clear_session()
    keras.utils.set_random_seed(11)
    model = make()
    entry = {"file": name + extension}
    outputs = model.predict(x, verbose=0) if predict is None else predict(model, x)
    arrays = {f"input{i}": v for i, v in enumerate(flat(x))}
    arrays.update({f"output{i}": v for i, v in enumerate(flat(outputs))})
    model.save(os.path.join(FOLDER, name + extension))
    if y is not None:
        arrays.update({f"target{i}": v for i, v in enumerate(flat(y))})
        entry["evaluate"] = model.evaluate(x, y, batch_size=4, verbose=0, return_dict=True)
        history = model.fit(x, y, batch_size=4, shuffle=False, verbose=0)
        entry["fit"] = {key: values[0] for key, values in history.history.items()}
        arrays.update({f"trained{i}": v for i, v in enumerate(model.get_weights())})
    np.savez_compressed(os.path.join(FOLDER, name + ".npz"), **arrays)
    index.append(entry)


rng = np.random.default_rng(5)


def normal(*shape):
    return rng.normal(size=shape).astype("float32")


def outputs_by_key():
    i = keras.Input((4,), name="i")
    model = keras.Model(i, {"k9": L.Dense(2, name="a")(i), "k1": L.Dense(3, name="b")(i)})
    model.compile(
        keras.optimizers.SGD(0.05),
        loss={"k9": "mse", "k1": "mae"},
        loss_weights={"k9": 0.5, "k1": 2.0},
        metrics={"k9": ["mae"], "k1": ["mse", "mae"]},
        weighted_metrics={"k1": ["mae"]},
    )
    return model


def one_output_by_key():
    i = keras.Input((4,), name="i")
    model = keras.Model(i, {"k9": L.Dense(2, name="a")(i)})
    model.compile(keras.optimizers.SGD(0.05), loss={"k9": "mse"}, metrics={"k9": ["mae"]})
    return model


def keys_of_other_layers():
    i = keras.Input((4,), name="i")
    model = keras.Model(i, {"a": L.Dense(2, name="b")(i), "b": L.Dense(3, name="a")(i)})
    model.compile(keras.optimizers.SGD(0.05), loss={"a": "mse", "b": "mae"}, metrics={"a": ["mae"], "b": ["mse"]})
    return model


def output_twice():
    i = keras.Input((4,), name="i")
    d = L.Dense(2, name="d")(i)
    model = keras.Model(i, [d, d])
    model.compile(keras.optimizers.SGD(0.05), loss="mse", metrics=[["mae"], ["mae", "mse"]])
    return model


def output_twice_by_name():
    i = keras.Input((4,), name="i")
    d = L.Dense(2, name="d")(i)
    model = keras.Model(i, [d, d])
    model.compile(keras.optimizers.SGD(0.05), loss={"d": "mse"}, metrics={"d": ["mae"]})
    return model


def normalized_axes():
    i = keras.Input((5, 3), name="i")
    layer = L.LayerNormalization(axis=[1, -1], gamma_initializer="random_normal", beta_initializer="random_normal")
    model = keras.Model(i, layer(i))
    model.compile(keras.optimizers.SGD(0.05), loss="mse")
    return model


def normalized_inner_axes():
    i = keras.Input((5, 2, 3), name="i")
    layer = L.LayerNormalization(axis=[1, -1], gamma_initializer="random_normal", beta_initializer="random_normal")
    model = keras.Model(i, layer(i))
    model.compile(keras.optimizers.SGD(0.05), loss="mse")
    return model


def nested_inputs():
    a, b, c = (keras.Input((4,), name=name) for name in "abc")
    inner_a, inner_b, inner_c = (keras.Input((4,), name=name) for name in ("ia", "ib", "ic"))
    inner = keras.Model(
        {"p": [inner_a, inner_b], "q": inner_c}, L.Concatenate()([inner_a, inner_b, inner_c]), name="inner"
    )
    by_key = keras.Model({"ia": inner_a, "ib": inner_b}, L.Subtract()([inner_a, inner_b]), name="by_key")
    joined = L.Concatenate()([inner({"p": [a, b], "q": c}), by_key({"ib": a, "ia": b})])
    model = keras.Model([a, {"u": b, "v": c}], L.Dense(2)(joined))
    model.compile(keras.optimizers.SGD(0.05), loss="mse")
    return model


def inner_dictionary_first():
    """The first member of each structure is a dictionary, whose keys stand in another order than they are sorted."""
    a, b, c = (keras.Input((4,), name=name) for name in "abc")
    ia, ib, ic = (keras.Input((4,), name=name) for name in ("ia", "ib", "ic"))
    joined = L.Concatenate()([ia, ib, ic])
    in_list = keras.Model([{"q": ia, "p": ib}, ic], joined, name="in_list")
    in_dictionary = keras.Model({"f": {"n": ia, "m": ib}, "g": ic}, joined, name="in_dictionary")
    x = L.Concatenate()([in_list([{"q": a, "p": b}, c]), in_dictionary({"f": {"n": c, "m": a}, "g": b})])
    model = keras.Model([{"z": a, "y": b}, c], L.Dense(2)(x))
    model.compile(keras.optimizers.SGD(0.05), loss="mse")
    return model


def lists_of_one():
    i = keras.Input((4,), name="i")
    classes = [L.Add, L.Multiply, L.Average, L.Maximum, L.Minimum, L.Concatenate]
    model = keras.Model(i, L.Dense(2)(L.Concatenate(name="all")([make()([i]) for make in classes])))
    model.compile(keras.optimizers.SGD(0.05), loss="mse")
    return model


def operations():
    i = keras.Input((5, 4), name="i")
    picked = [i[:, -1], i[:, 0:4:2, 1], i[..., None, 2][:, 1:, 0], i[:, 2, :]]
    squares = [picked[0] ** 2, 2.0 ** picked[3], keras.ops.power(picked[3] * picked[3], 0.5)]
    powers = (1.0 + L.Activation("sigmoid")(picked[0])) ** picked[3]
    model = keras.Model(i, L.Dense(2)(L.Concatenate()(picked + squares + [powers])))
    model.compile(keras.optimizers.SGD(0.01), loss="mse")
    return model


def without_reduction():
    i = keras.Input((4,), name="i")
    model = keras.Model(i, L.Dense(2)(i))
    model.compile(keras.optimizers.SGD(0.01), loss=keras.losses.MeanSquaredError(reduction=None), metrics=["mae"])
    return model


def stochastic():
    i = keras.Input((50,), name="i")
    x = L.Dropout(0.95, seed=3, name="drop")(i)
    model = keras.Model(i, L.Dense(1, name="dense")(x))
    model.compile(keras.optimizers.SGD(0.01), loss="mse")
    return model


def said():
    i = keras.Input((4,), name="i")
    x = L.BatchNormalization(name="frozen")(i, training=False)
    x = L.BatchNormalization(name="learns")(x)
    always = L.Dropout(0.5, name="always")(x, training=True)
    return keras.Model(i, [always, L.Dropout(0.5, name="silent")(x)])


def beyond_ascii():
    i = keras.Input((4,), name="i")
    x = L.Dense(4, name="größe")(i)
    for number in range(10):
        x = L.Dense(4, name=f"層{number}")(x)
    model = keras.Model(i, x)
    model.compile(keras.optimizers.SGD(0.05), loss="mse")
    return model


def through_dense_layers(model, x):
    """TensorFlow rejects such names for its scopes; Keras on JAX accepts them, as do building and saving alone."""
    for layer in model.layers[1:]:
        kernel, bias = layer.get_weights()
        x = x @ kernel + bias
    return x


def small_integers():
    i = keras.Input((3,), dtype="int16", name="words")
    return keras.Model(i, L.Embedding(5, 2)(i))


os.makedirs(FOLDER, exist_ok=True)
x, wide = normal(8, 4), normal(8, 5, 4)
y2, y3 = normal(8, 2), normal(8, 3)
save("outputs_by_key", outputs_by_key, x, {"k9": y2, "k1": y3})
save("one_output_by_key", one_output_by_key, x, {"k9": y2})
save("keys_of_other_layers", keys_of_other_layers, x, {"a": y2, "b": y3})
save("output_twice", output_twice, x, [y2, y2 + 1])
save("output_twice_by_name", output_twice_by_name, x, [y2, y2 + 1])
save("normalized_axes", normalized_axes, normal(8, 5, 3), normal(8, 5, 3))
save("normalized_inner_axes", normalized_inner_axes, normal(8, 5, 2, 3), normal(8, 5, 2, 3))
save("nested_inputs", nested_inputs, [x, {"u": normal(8, 4), "v": normal(8, 4)}], y2)
save("operations", operations, wide, y2)
save("operations_legacy", operations, wide, y2, ".h5")
save("without_reduction", without_reduction, x, y2)
save("stochastic", stochastic, normal(8, 50))
save("stochastic_legacy", stochastic, normal(8, 50), extension=".h5")
save("said", said, x)
save("beyond_ascii", beyond_ascii, x, extension=".h5", predict=through_dense_layers)
save("small_integers", small_integers, rng.integers(0, 5, size=(8, 3)).astype("int16"))
save("inner_dictionary_first", inner_dictionary_first, [{"z": normal(8, 4), "y": normal(8, 4)}, normal(8, 4)], y2)
save("lists_of_one", lists_of_one, normal(8, 4), y2)
with open(os.path.join(FOLDER, "index.json"), "w") as file:
    json.dump({"keras": keras.__version__, "files": index}, file, indent=1)
    file.write("\n")
