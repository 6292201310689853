"""Dictionaries of outputs whose keys are not the layers' names, nested structures, outputs that occur twice."""

from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import integers
from samples import numbers
from samples import positive

M = keras.metrics
# The names that Keras 3 gives to losses and metrics of such outputs have changed since its first versions, and
# Keras 3.11 and older refuse the keys of outputs in `metrics` where they are not names of layers.
SINCE = (3, 12)
# The first version that these cases were compared with, which need neither.
SINCE_3_4 = (3, 4)


def sgd(rate=0.02):
    return keras.optimizers.SGD(rate, momentum=0.5)


def dictionary_case(name, x, y, **arguments):
    arguments = {"since": SINCE, **arguments}
    return case(f"dictionary/{name}", x, y, in_tf_keras=False, steps=10, **arguments)


OUTPUTS = ("structure: dict of outputs", "structure: several outputs")


@dictionary_case("other_keys", numbers(4), {"k9": numbers(2), "k1": classes(3)}, covers=OUTPUTS)
def other_keys():
    inputs = Input((4,))
    x = L.Dense(5, activation="tanh")(inputs)
    model = Model(inputs, {"k9": L.Dense(2, name="a")(x), "k1": L.Dense(3, activation="softmax", name="b")(x)})
    model.compile(
        sgd(),
        loss={"k9": "mse", "k1": "sparse_categorical_crossentropy"},
        loss_weights={"k9": 0.5, "k1": 2.0},
        metrics={"k9": ["mae", M.RootMeanSquaredError()], "k1": ["accuracy"]},
    )
    return model


# "b" is the key of one output and the layer of the other.
@dictionary_case("crossed_keys", numbers(4), {"b": numbers(2), "a": numbers(3)}, covers=OUTPUTS, since=SINCE_3_4)
def crossed_keys():
    inputs = Input((4,))
    model = Model(inputs, {"b": L.Dense(2, name="a")(inputs), "a": L.Dense(3, name="b")(inputs)})
    model.compile(sgd(), loss={"a": "mae", "b": "mse"}, metrics={"b": "mae"})
    return model


@dictionary_case("single_output", numbers(4), {"only": numbers(2)}, covers=OUTPUTS[:1])
def single_output():
    inputs = Input((4,))
    model = Model(inputs, {"only": L.Dense(2, name="dense")(inputs)})
    model.compile("adam", loss={"only": "mse"}, metrics={"only": ["mae"]})
    return model


@dictionary_case("awkward_keys", numbers(4), {"a/b": numbers(2), "ü ß": numbers(1), "": numbers(3)}, covers=OUTPUTS)
def awkward_keys():
    inputs = Input((4,))
    outputs = {"a/b": L.Dense(2)(inputs), "ü ß": L.Dense(1)(inputs), "": L.Dense(3)(inputs)}
    model = Model(inputs, outputs)
    model.compile(sgd(), loss={"a/b": "mse", "ü ß": "mae", "": "mse"})
    return model


@dictionary_case(
    "weighted",
    numbers(4),
    {"far": numbers(2), "near": classes(3)},
    weight={"far": positive(), "near": positive()},
    covers=(*OUTPUTS, "sample weights"),
)
def weighted():
    inputs = Input((4,))
    x = L.Dense(5, activation="tanh")(inputs)
    model = Model(inputs, {"near": L.Dense(3, activation="softmax", name="n")(x), "far": L.Dense(2, name="f")(x)})
    model.compile(
        sgd(),
        loss={"far": "mse", "near": "sparse_categorical_crossentropy"},
        metrics={"far": ["mae"]},
        weighted_metrics={"far": [M.MeanSquaredError(name="squares")], "near": ["accuracy"]},
    )
    return model


# Both outputs are of one layer: their names are the keys alone.
@dictionary_case("one_layer_for_both", [numbers(4), numbers(4)], {"x": numbers(2), "y": numbers(2)}, covers=OUTPUTS)
def one_layer_for_both():
    a, b = Input((4,), name="a"), Input((4,), name="b")
    shared = L.Dense(2, name="shared")
    model = Model([a, b], {"x": shared(a), "y": shared(b)})
    model.compile(sgd(), loss={"x": "mse", "y": "mae"}, metrics={"y": "mse"})
    return model


@dictionary_case("inputs_and_outputs", {"q": numbers(4), "p": numbers(3)}, {"v": numbers(2), "u": numbers(1)}, covers=OUTPUTS)
def inputs_and_outputs():
    p, q = Input((3,), name="p"), Input((4,), name="q")
    x = L.Concatenate()([q, p])
    model = Model({"q": q, "p": p}, {"v": L.Dense(2, name="first")(x), "u": L.Dense(1, name="second")(x)})
    model.compile("adam", loss={"u": "mse", "v": "mae"})
    return model


# Keys of the inputs that are not the names of their layers.
@dictionary_case("other_keys_of_inputs", {"k2": numbers(4), "k1": numbers(3)}, numbers(2), covers=("structure: dict of inputs",), since=SINCE_3_4)
def other_keys_of_inputs():
    a, b = Input((4,), name="a"), Input((3,), name="b")
    model = Model({"k2": a, "k1": b}, L.Dense(2)(L.Concatenate()([L.Dense(3, activation="tanh")(a), b])))
    model.compile(sgd(), "mse")
    return model


# The results of a nested model with a dict of outputs.
@dictionary_case("nested_model", numbers(4), {"far": numbers(2), "near": numbers(1)}, covers=(*OUTPUTS, "structure: nested models"))
def nested_model():
    inner_input = Input((4,))
    x = L.Dense(4, activation="tanh")(inner_input)
    inner = Model(inner_input, {"s": L.Dense(3, name="t")(x), "r": L.Dense(5, name="u")(x)}, name="inner")
    inputs = Input((4,))
    found = inner(inputs)
    model = Model(inputs, {"far": L.Dense(2)(found["s"]), "near": L.Dense(1)(found["r"])})
    model.compile(sgd(), loss={"far": "mse", "near": "mse"})
    return model


@dictionary_case("nested_inputs", [numbers(3), {"p": numbers(4), "q": [integers(9, 5), numbers(2)]}], numbers(2), covers=("structure: nested inputs",), since=SINCE_3_4)
def nested_inputs():
    a, p, q0, q1 = Input((3,), name="a"), Input((4,), name="z"), Input((5,), dtype="int32", name="w"), Input((2,), name="m")
    x = L.GlobalAveragePooling1D()(L.Embedding(9, 4)(q0))
    x = L.Concatenate()([L.Add()([x, p]), a, q1])
    model = Model([a, {"p": p, "q": [q0, q1]}], L.Dense(2)(L.Dense(4, activation="tanh")(x)))
    model.compile(sgd(), "mse")
    return model


@dictionary_case("dict_of_lists_of_inputs", {"right": [numbers(3), numbers(3)], "left": numbers(3)}, numbers(2), covers=("structure: nested inputs",), since=SINCE_3_4)
def dict_of_lists_of_inputs():
    a, b, c = (Input((3,), name=name) for name in ("b", "c", "a"))
    x = L.Subtract()([L.Multiply()([a, b]), L.Dense(3)(c)])
    model = Model({"right": [a, b], "left": c}, L.Dense(2)(x))
    model.compile(sgd(), "mse")
    return model


@dictionary_case("output_twice", numbers(4), [numbers(2), numbers(2)], covers=("structure: several outputs",), since=SINCE_3_4)
def output_twice():
    inputs = Input((4,))
    x = L.Dense(2, name="d")(inputs)
    model = Model(inputs, [x, x])
    model.compile(sgd(), ["mse", "mae"], metrics=[["mae"], ["mse"]])
    return model


@dictionary_case("output_under_two_keys", numbers(4), {"one": numbers(2), "two": numbers(2)}, covers=OUTPUTS)
def output_under_two_keys():
    inputs = Input((4,))
    x = L.Dense(2, name="d")(inputs)
    model = Model(inputs, {"one": x, "two": x})
    model.compile(sgd(), {"one": "mse", "two": "mae"}, metrics={"two": ["mse"]})
    return model


# Keras 3.11 and older do not sort the axes: their gamma and beta have other shapes, and no newer Keras reads them.
@dictionary_case("layer_normalization_of_crossed_axes", numbers(3, 4, 5), numbers(2))
def layer_normalization_of_crossed_axes():
    model = Sequential(
        [
            Input((3, 4, 5)),
            L.LayerNormalization(axis=[1, -1]),
            L.LayerNormalization(axis=[-1, 2]),
            L.LayerNormalization(axis=[3, 1]),
            L.Flatten(),
            L.Dense(2),
        ]
    )
    model.compile(sgd(), "mse")
    return model
