"""Models that Rhyton has to refuse with an error that names the layer, its class and the file."""

import tempfile

from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import numbers

serializable = keras.utils.register_keras_serializable(package="Interop")


@case("refused/lambda", numbers(4), numbers(2), refused_layer="doubled", refused_class="Lambda")
def with_lambda():
    model = Sequential([Input((4,)), L.Lambda(lambda x: 2.0 * x, name="doubled"), L.Dense(2)])
    model.compile("adam", "mse")
    return model


@serializable
def tripled(x):
    return 3.0 * x


@case("refused/lambda_of_function", numbers(4), numbers(2), refused_layer="tripled", refused_class="Lambda")
def lambda_of_function():
    inputs = Input((4,))
    model = Model(inputs, L.Dense(2)(L.Lambda(tripled, name="tripled")(inputs)))
    model.compile("adam", "mse")
    return model


@serializable
class Scaled(L.Layer):
    def call(self, inputs):
        return 3.0 * inputs


@case("refused/own_layer", numbers(4), numbers(2), refused_layer="scale", refused_class="Scaled")
def own_layer():
    model = Sequential([Input((4,)), Scaled(name="scale"), L.Dense(2)])
    model.compile("adam", "mse")
    return model


@case("refused/own_layer_inside", numbers(4), numbers(2), refused_layer="scale", refused_class="Scaled")
def own_layer_inside():
    inner = Sequential([Input((4,)), Scaled(name="scale")], name="inner")
    inputs = Input((4,))
    model = Model(inputs, L.Dense(2)(inner(inputs)))
    model.compile("adam", "mse")
    return model


@case(
    "refused/saved_model",
    numbers(4),
    numbers(2),
    refused_layer="reloaded",
    refused_class="TFSMLayer",
    since=(3, 15),
    in_tf_keras=False,
)
def saved_model():
    """Its own code is in a SavedModel, here one that is gone when the model is read."""
    inner = Sequential([Input((4,)), L.Dense(3)])
    with tempfile.TemporaryDirectory() as folder:
        inner.export(folder, verbose=False)
        reloaded = L.TFSMLayer(folder, name="reloaded")
    inputs = Input((4,))
    model = Model(inputs, L.Dense(2)(reloaded(inputs)))
    model.compile("sgd", "mse")
    return model


@serializable
class Halved(keras.constraints.Constraint):
    def __call__(self, w):
        return 0.5 * w


@case("refused/own_constraint", numbers(4), numbers(2), refused_layer="bounded", refused_class="Halved")
def own_constraint():
    model = Sequential([Input((4,)), L.Dense(2, kernel_constraint=Halved(), name="bounded")])
    model.compile("adam", "mse")
    return model


@case(
    "refused/operation",
    numbers(4, 3, 3),
    numbers(2),
    refused_layer="det",
    refused_class="Det",
    in_tf_keras=False,
)
def operation():
    a = Input((4, 3, 3))
    model = Model(a, L.Dense(2)(keras.ops.det(a)))
    model.compile("adam", "mse")
    return model
