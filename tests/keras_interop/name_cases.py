"""Unusual names of layers, models, inputs, losses and metrics."""

from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import numbers

LONG = "a_rather_long_name_" * 12


def sgd(rate=0.02):
    return keras.optimizers.SGD(rate, momentum=0.5)


def name_case(name, x, y, **arguments):
    return case(f"name/{name}", x, y, steps=10, **arguments)


def functional(names, **arguments):
    inputs = Input((5,), name=arguments.get("input_name"))
    x = inputs
    for name in names:
        x = L.Dense(5, activation="tanh", name=name)(x)
    model = Model(inputs, L.Dense(2)(x), name=arguments.get("name"))
    model.compile(sgd(), "mse")
    return model


# TensorFlow scopes of tf.keras have no letters but ASCII's.
@name_case("not_ascii", numbers(5), numbers(2), in_tf_keras=False)
def not_ascii():
    return functional(["größe", "层", "слой", "🙂", "e\u0301"], input_name="entrée", name="модель")


# Nine members in one group of a legacy file.
@name_case("many_not_ascii", numbers(5), numbers(2), in_tf_keras=False)
def many_not_ascii():
    return functional([f"schicht_ä{i}" for i in range(11)])


@name_case("many_ascii", numbers(5), numbers(2))
def many_ascii():
    return functional([f"step_{i}" for i in range(40)])


@name_case("spaces_and_signs", numbers(5), numbers(2), in_tf_keras=False)
def spaces_and_signs():
    return functional(["with space", " first", "last ", "a:0", "50%", "{x}", "q'\"", "back\\slash", "tab\tnewline\n", "a.b"])


# Words with a special meaning in files.
@name_case("words_of_the_format", numbers(5), numbers(2), in_tf_keras=False)
def words_of_the_format():
    return functional(["vars", "layers", "0", "..", "model_weights", "weight_names", "dense_7", "Dense", "config.json"])


# Keras 3 refuses them.
@name_case("slashes", numbers(5), numbers(2), since=(99, 0))
def slashes():
    return functional(["block/a", "block/b", "block/a/c"])


@name_case("very_long", numbers(5), numbers(2), in_tf_keras=False)
def very_long():
    return functional([LONG + str(i) for i in range(4)], name=LONG + "model")


# In a legacy file, names that together exceed the maximum size of an attribute are divided.
@name_case("many_very_long", numbers(5), numbers(2), in_tf_keras=False)
def many_very_long():
    model = Sequential([Input((5,)), *(L.Dense(5, "tanh", name=5 * LONG + str(i)) for i in range(60)), L.Dense(2)])
    model.compile(sgd(), "mse")
    return model


# A name that another layer would get automatically.
@name_case("taken_names", numbers(5), numbers(2))
def taken_names():
    model = Sequential([Input((5,)), L.Dense(4, name="dense_1"), L.Dense(4, "tanh", name="dense"), L.Dense(2, name="dense_2")])
    model.compile(sgd(), "mse")
    return model


# Names are unique within one model only.
@name_case("same_names_inside", numbers(5), numbers(6), covers=("structure: nested models",))
def same_names_inside():
    def block(name):
        return Sequential([Input((5,)), L.Dense(5, "tanh", name="dense"), L.LayerNormalization(name="norm")], name=name)

    model = Sequential([Input((5,)), block("one"), block("two"), L.Dense(6, name="dense"), L.LayerNormalization(name="norm")])
    model.compile(sgd(), "mse")
    return model


@name_case("layer_named_as_its_model", numbers(5), numbers(2), in_tf_keras=False)
def layer_named_as_its_model():
    return functional(["same", "input_layer_9"], name="same")


@name_case("losses_and_metrics", numbers(5), [numbers(2), classes(3)], since=(3, 4), in_tf_keras=False)
def losses_and_metrics():
    inputs = Input((5,))
    outputs = [L.Dense(2, name="größe von")(inputs), L.Dense(3, activation="softmax", name="a.b")(inputs)]
    model = Model(inputs, outputs)
    metrics = [
        [keras.metrics.MeanAbsoluteError(name="abs/err ü")],
        ["accuracy", keras.metrics.SparseCategoricalAccuracy(name="accuracy 2")],
    ]
    loss = [keras.losses.MeanSquaredError(name="мера"), keras.losses.SparseCategoricalCrossentropy(name="loss")]
    model.compile(keras.optimizers.Adam(name="mein Adam ü"), loss, metrics=metrics)
    return model


# One metric of that name for each output, and an output with the name of the sum of the losses.
@name_case("same_metrics_of_outputs", numbers(5), [numbers(2), numbers(2)], since=(3, 4), in_tf_keras=False)
def same_metrics_of_outputs():
    inputs = Input((5,))
    model = Model(inputs, [L.Dense(2, name="loss")(inputs), L.Dense(2, name="mae")(inputs)])
    model.compile(sgd(), ["mse", "mae"], metrics=[["mae", "mse"], ["mae"]])
    return model
