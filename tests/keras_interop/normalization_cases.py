"""BatchNormalization, LayerNormalization, GroupNormalization, RMSNormalization and UnitNormalization."""

from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import numbers
from samples import pixels


def sgd(rate=0.02):
    return keras.optimizers.SGD(rate, momentum=0.5)


@case("normalization/batch", numbers(6), numbers(3))
def batch():
    model = Sequential(
        [
            Input((6,)),
            L.Dense(5, use_bias=False),
            L.BatchNormalization(momentum=0.8, epsilon=0.01),
            L.Activation("tanh"),
            L.Dense(4, use_bias=False),
            L.BatchNormalization(center=False, gamma_initializer=keras.initializers.Constant(0.7)),
            L.Activation("elu"),
            L.Dense(3, use_bias=False),
            L.BatchNormalization(scale=False, beta_initializer="ones", beta_regularizer="l2"),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("normalization/batch_of_images", pixels(8, 8, 3), classes(4), unsettled_in_tf_keras=("moving_variance",))
def batch_of_images():
    model = Sequential(
        [
            Input((8, 8, 3)),
            L.Rescaling(1 / 255.0),
            L.Conv2D(4, 3, padding="same", use_bias=False),
            L.BatchNormalization(),
            L.ReLU(),
            L.MaxPooling2D(2),
            L.Conv2D(6, 3, use_bias=False),
            L.BatchNormalization(moving_mean_initializer="ones", moving_variance_initializer="ones", momentum=0.5),
            L.Activation("gelu"),
            L.GlobalAveragePooling2D(),
            L.Dense(4),
        ]
    )
    model.compile(sgd(), keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    return model


@case("normalization/batch_behind_a_bias", numbers(5), numbers(2), unsettled=("settled_by_nothing/bias",))
def batch_behind_a_bias():
    model = Sequential(
        [Input((5,)), L.Dense(4, name="settled_by_nothing"), L.BatchNormalization(), L.ReLU(), L.Dense(2)]
    )
    model.compile(sgd(), "mse")
    return model


@case("normalization/batch_along_another_axis", numbers(4, 6), numbers(4, 2))
def batch_along_another_axis():
    model = Sequential(
        [
            Input((4, 6)),
            L.BatchNormalization(axis=1, gamma_regularizer=keras.regularizers.L2(0.01)),
            L.Dense(3, activation="tanh"),
            L.BatchNormalization(axis=-1, center=False, scale=False),
            L.Dense(2),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("normalization/frozen_batch", numbers(5), numbers(2), covers=("structure: frozen layers",), since=(3, 4))
def frozen_batch():
    model = Sequential(
        [
            Input((5,)),
            L.BatchNormalization(trainable=False, name="frozen"),
            L.Dense(4, activation="tanh"),
            L.BatchNormalization(name="learning"),
            L.Dense(2),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("normalization/batch_called_twice", [numbers(4), numbers(4)], numbers(2), covers=("structure: shared layers",))
def batch_called_twice():
    a, b = Input((4,), name="a"), Input((4,), name="b")
    shared = L.BatchNormalization(name="shared", momentum=0.7)
    model = Model([a, b], L.Dense(2)(L.Concatenate()([shared(a), shared(b)])))
    model.compile(sgd(), "mse")
    return model


@case("normalization/layer", numbers(3, 4), numbers(3, 2))
def layer():
    model = Sequential(
        [
            Input((3, 4)),
            L.LayerNormalization(axis=[1, 2], epsilon=1e-5),
            L.Dense(4, activation="tanh"),
            L.LayerNormalization(center=False, gamma_initializer=keras.initializers.RandomNormal(1.0, 0.2)),
            L.Dense(4, activation="elu"),
            L.LayerNormalization(axis=1, scale=False, beta_regularizer="l1"),
            L.Dense(2),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("normalization/layer_without_weights", numbers(4, 4, 3), numbers(4, 4, 1))
def layer_without_weights():
    model = Sequential(
        [
            Input((4, 4, 3)),
            L.LayerNormalization(center=False, scale=False, axis=(1, 2, 3), epsilon=0.1),
            L.Conv2D(4, 3, padding="same", activation="silu"),
            L.LayerNormalization(gamma_regularizer=keras.regularizers.L2(0.001)),
            L.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    return model


@case("normalization/group", numbers(4, 4, 6), numbers(4, 4, 2), in_tf_keras=False)
def group():
    model = Sequential(
        [
            Input((4, 4, 6)),
            L.GroupNormalization(groups=3, epsilon=1e-2),
            L.Conv2D(4, 3, padding="same", activation="tanh"),
            L.GroupNormalization(groups=-1, center=False, gamma_initializer=keras.initializers.RandomNormal(1.0, 0.2)),
            L.Conv2D(4, 1, activation="elu"),
            L.GroupNormalization(groups=2, axis=1, scale=False, beta_regularizer="l1"),
            L.Dense(2),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("normalization/rms", numbers(3, 4), numbers(3, 2), in_tf_keras=False, since=(3, 10))
def rms():
    model = Sequential(
        [
            Input((3, 4)),
            L.RMSNormalization(),
            L.Dense(4, activation="tanh"),
            L.RMSNormalization(axis=[1, 2], epsilon=1e-2),
            L.Dense(2),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("normalization/unit", numbers(3, 4), numbers(3, 2), in_tf_keras=False)
def unit():
    model = Sequential(
        [
            Input((3, 4)),
            L.UnitNormalization(),
            L.Dense(4, activation="tanh"),
            L.UnitNormalization(axis=[1, 2]),
            L.Dense(4, activation="elu"),
            L.UnitNormalization(axis=1),
            L.Dense(2),
        ]
    )
    model.compile(sgd(), "mse")
    return model
