"""Arguments of calls: keywords, `training`, structures of inputs of nested models and of outputs."""

from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import integers
from samples import numbers

# The first version of nested structures of inputs and outputs.
SINCE = (3, 4)


def sgd(rate=0.02):
    return keras.optimizers.SGD(rate, momentum=0.5)


def call_case(name, x, y, covers=(), **arguments):
    covers = ("structure: arguments of calls", *covers)
    return case(f"calls/{name}", x, y, covers=covers, since=SINCE, in_tf_keras=False, **arguments)


@call_case("inputs_as_keyword", numbers(4), numbers(2))
def inputs_as_keyword():
    x = Input((4,))
    y = L.Dense(5, activation="tanh")(inputs=x)
    y = L.LayerNormalization()(inputs=y)
    model = Model(x, L.Dense(2)(y))
    model.compile(sgd(), "mse")
    return model


@call_case("inputs_of_merging_as_keyword", [numbers(4), numbers(4)], numbers(2))
def inputs_of_merging_as_keyword():
    a, b = Input((4,)), Input((4,))
    y = L.Concatenate()(inputs=[L.Add()(inputs=[a, b]), L.Dense(3)(inputs=a)])
    model = Model([a, b], L.Dense(2)(y))
    model.compile(sgd(), "mse")
    return model


@call_case("all_as_keywords", numbers(4), numbers(2), covers=("structure: training=True",))
def all_as_keywords():
    x = Input((4,))
    y = L.Dense(4, activation="tanh", use_bias=False)(x)
    y = L.BatchNormalization()(inputs=y, training=None, mask=None)
    model = Model(x, L.Dense(2)(L.Dropout(0.0)(inputs=y, training=True)))
    model.compile(sgd(), "mse")
    return model


@call_case("shared_dense", [numbers(4), numbers(4)], numbers(2), covers=("structure: shared layers",))
def shared_dense():
    a, b = Input((4,)), Input((4,))
    shared = L.Dense(4, activation="tanh")
    model = Model([a, b], L.Dense(2)(L.Add()([shared(a), shared(inputs=b), shared(inputs=shared(a))])))
    model.compile(sgd(), "mse")
    return model


# Keras 3 overrides the `False` of the first call in training; a rate of 0 shows only that the calls are distinct.
@call_case("shared_dropout", numbers(4), numbers(2), covers=("structure: shared layers", "structure: training=False"))
def shared_dropout():
    x = Input((4,))
    shared = L.Dropout(0.0)
    y = L.Dense(4, activation="tanh")(shared(x, training=True))
    model = Model(x, L.Dense(2)(L.Add()([shared(y), shared(y, training=False), shared(inputs=y)])))
    model.compile(sgd(), "mse")
    return model


@call_case(
    "dropout_said_twice",
    numbers(20, scale=0.0, offset=1.0),
    [numbers(20, scale=0.0), numbers(1)],
    is_random=True,
    is_random_in_inference=True,
    steps=10,
    covers=("structure: shared layers", "structure: training=True"),
)
def dropout_said_twice():
    x = Input((20,))
    shared = L.Dropout(0.4, name="shared")
    dropped = L.Average()([shared(x, training=True), shared(inputs=x, training=True)])
    model = Model(x, [dropped, L.Dense(1, name="head")(dropped)])
    model.compile(keras.optimizers.SGD(0.02), loss=["mse", "mse"], metrics=[["mae", "mse"], []])
    return model


@call_case("dropout_by_keyword", numbers(20), numbers(2), is_random=True, steps=10)
def dropout_by_keyword():
    x = Input((20,))
    y = L.Dropout(0.3)(inputs=L.Dense(12, activation="tanh")(x))
    model = Model(x, L.Dense(2)(y))
    model.compile(sgd(), "mse")
    return model


@call_case(
    "normalization_of_the_input_by_keyword", numbers(4), numbers(2), covers=("structure: shared layers",), unsettled=("first/bias",)
)
def normalization_of_the_input_by_keyword():
    x = Input((4,))
    shared = L.BatchNormalization(momentum=0.8)
    y = shared(inputs=L.Dense(4, name="first")(shared(x)))
    model = Model(x, L.Dense(2)(y))
    model.compile(sgd(), "mse")
    return model


def two_inputs(name="inner", keys=("b", "a")):
    first, second = Input((4,), name=f"{name}_first"), Input((3,), name=f"{name}_second")
    y = L.Concatenate()([L.Dense(3, activation="tanh")(first), second])
    return Model(dict(zip(keys, (first, second))), L.Dense(3)(y), name=name)


@call_case("dict_of_nested_model", {"q": numbers(4), "p": numbers(3)}, numbers(2), covers=("structure: nested models", "structure: dict of inputs"))
def dict_of_nested_model():
    p, q = Input((3,)), Input((4,))
    y = two_inputs()({"a": p, "b": q})
    model = Model({"q": q, "p": p}, L.Dense(2)(y))
    model.compile(sgd(), "mse")
    return model


@call_case("dict_of_nested_model_by_keyword", [numbers(4), numbers(3)], numbers(2), covers=("structure: nested models",))
def dict_of_nested_model_by_keyword():
    p, q = Input((4,)), Input((3,))
    inner = two_inputs()
    y = inner(inputs={"b": p, "a": q})
    model = Model([p, q], L.Dense(2)(L.Add()([y, inner({"a": y, "b": p})])))
    model.compile(sgd(), "mse")
    return model


@call_case("nested_structure_of_nested_model", [numbers(4), [numbers(3), integers(6, 2)]], numbers(2), covers=("structure: nested models", "structure: nested inputs"))
def nested_structure_of_nested_model():
    a, b, c = Input((4,)), Input((3,)), Input((2,), dtype="int32")
    embedded = L.Flatten()(L.Embedding(6, 3, embeddings_regularizer="l2")(c))
    inner = Model([a, {"x": b, "y": [c]}], L.Dense(3, activation="tanh")(L.Concatenate()([a, b, embedded])), name="inner")
    p, q, r = Input((4,)), Input((3,)), Input((2,), dtype="int32")
    model = Model([p, [q, r]], L.Dense(2)(inner([p, {"x": q, "y": [r]}])))
    model.compile(sgd(), "mse")
    return model


@call_case("deep_structure_of_inputs", {"z": [numbers(2), {"b": numbers(3), "a": [numbers(2)]}], "k": numbers(3)}, numbers(2), covers=("structure: nested inputs",))
def deep_structure_of_inputs():
    a, b, c, d = Input((2,), name="z"), Input((3,), name="y"), Input((2,), name="x"), Input((3,), name="w")
    y = L.Concatenate()([L.Subtract()([a, c]), L.Multiply()([b, d])])
    model = Model({"z": [a, {"b": b, "a": [c]}], "k": d}, L.Dense(2)(y))
    model.compile(sgd(), "mse")
    return model


@call_case("training_of_nested_model", numbers(4), numbers(2), covers=("structure: nested models", "structure: training=True"))
def training_of_nested_model():
    inner = Sequential([Input((4,)), L.Dense(4, activation="tanh"), L.Dropout(0.0), L.LayerNormalization()], name="inner")
    x = Input((4,))
    model = Model(x, L.Dense(2)(L.Add()([inner(x, training=True), inner(x)])))
    model.compile(sgd(), "mse")
    return model


@call_case("sequential_by_keyword", numbers(4), classes(3), covers=("structure: nested models",))
def sequential_by_keyword():
    inner = Sequential([Input((4,)), L.Dense(4, activation="tanh")], name="inner")
    x = Input((4,))
    model = Model(x, L.Dense(3, activation="softmax")(inner(inputs=x)))
    model.compile(sgd(), "sparse_categorical_crossentropy")
    return model


OUTPUTS = ("structure: nested outputs",)


@call_case("nested_outputs", numbers(4), [numbers(2), {"b": numbers(1), "a": numbers(3)}], covers=OUTPUTS)
def nested_outputs():
    x = Input((4,))
    y = L.Dense(4, activation="tanh")(x)
    outputs = [L.Dense(2, name="o")(y), {"b": L.Dense(1, name="p")(y), "a": L.Dense(3, name="q")(y)}]
    model = Model(x, outputs)
    model.compile(sgd(), ["mse", {"b": "mse", "a": "mae"}])
    return model


@call_case("nested_outputs_with_one_loss", numbers(4), {"z": [numbers(2), numbers(3)], "k": numbers(1)}, covers=OUTPUTS)
def nested_outputs_with_one_loss():
    x = Input((4,))
    y = L.Dense(4, activation="tanh")(x)
    outputs = {"z": [L.Dense(2, name="o")(y), L.Dense(3, name="p")(y)], "k": L.Dense(1, name="q")(y)}
    model = Model(x, outputs)
    model.compile(sgd(), "mse")
    return model


@call_case("nested_outputs_of_inner_model", numbers(4), numbers(2), covers=(*OUTPUTS, "structure: nested models"))
def nested_outputs_of_inner_model():
    start = Input((4,))
    y = L.Dense(4, activation="tanh")(start)
    inner = Model(start, {"low": [y, L.Dense(3)(y)], "high": L.Dense(2)(start)}, name="inner")
    x = Input((4,))
    found = inner(x)
    model = Model(x, L.Dense(2)(L.Concatenate()([*found["low"], found["high"]])))
    model.compile(sgd(), "mse")
    return model
