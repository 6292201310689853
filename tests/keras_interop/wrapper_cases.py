"""Layers that wrap another one: SpectralNormalization and TimeDistributed."""

from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import integers
from samples import numbers


def sgd(rate=0.02):
    return keras.optimizers.SGD(rate, momentum=0.5)


@case("wrapper/spectral_normalization", numbers(6), numbers(2), in_tf_keras=False, since=(3, 5))
def spectral_normalization():
    model = Sequential(
        [
            Input((6,)),
            L.SpectralNormalization(L.Dense(5, activation="tanh"), name="first"),
            L.SpectralNormalization(L.Dense(4, kernel_regularizer="l2", activity_regularizer="l2"), power_iterations=3),
            L.Dense(2),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("wrapper/spectral_normalization_of_a_convolution", numbers(6, 6, 2), numbers(3), in_tf_keras=False)
def spectral_normalization_of_a_convolution():
    x = Input((6, 6, 2))
    y = L.SpectralNormalization(L.Conv2D(4, 3, use_bias=False, activation="elu"))(x)
    y = L.SpectralNormalization(L.EinsumDense("abcd,de->abce", (4, 4, 3), bias_axes="e"))(y)
    model = Model(x, L.Dense(3)(L.Flatten()(y)))
    model.compile("adam", "mse")
    return model


@case("wrapper/frozen_spectral_normalization", numbers(4), numbers(2), in_tf_keras=False)
def frozen_spectral_normalization():
    model = Sequential(
        [
            Input((4,)),
            L.SpectralNormalization(L.Dense(4, activation="tanh"), trainable=False),
            L.Dense(2),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("wrapper/time_distributed", numbers(3, 5), numbers(3, 2), in_tf_keras=False)
def time_distributed():
    model = Sequential(
        [
            Input((3, 5)),
            L.TimeDistributed(L.Dense(4, activation="tanh", kernel_regularizer="l2"), name="steps"),
            L.TimeDistributed(L.LayerNormalization()),
            L.TimeDistributed(L.Dense(2, activity_regularizer="l2")),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("wrapper/time_distributed_images", numbers(3, 6, 5, 2), numbers(3, 2), in_tf_keras=False)
def time_distributed_images():
    x = Input((3, 6, 5, 2))
    y = L.TimeDistributed(L.Conv2D(3, 3, activation="elu"))(x)
    y = L.TimeDistributed(L.MaxPooling2D(2))(y)
    y = L.TimeDistributed(L.Flatten())(y)
    model = Model(x, L.TimeDistributed(L.Dense(2))(y))
    model.compile("adam", "mse")
    return model


@case("wrapper/time_distributed_statistics", numbers(3, 4), numbers(3, 2), in_tf_keras=False)
def time_distributed_statistics():
    model = Sequential(
        [
            Input((3, 4)),
            L.TimeDistributed(L.Dense(4, use_bias=False)),
            L.TimeDistributed(L.BatchNormalization(momentum=0.8, epsilon=0.01)),
            L.TimeDistributed(L.Dense(2)),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case(
    "wrapper/time_distributed_models",
    numbers(3, 4),
    numbers(3, 2),
    covers=("structure: nested models",),
    in_tf_keras=False,
    since=(3, 5),
)
def time_distributed_models():
    inner = Input((4,), name="step")
    functional = Model(inner, L.Concatenate()([L.Dense(3, activation="tanh")(inner), inner]), name="functional_step")
    sequential = Sequential(
        [Input((7,)), L.Dense(4, activity_regularizer="l2"), L.Dense(2)], name="sequential_step"
    )
    x = Input((3, 4))
    model = Model(x, L.TimeDistributed(sequential)(L.TimeDistributed(functional)(x)))
    model.compile(sgd(), "mse")
    return model


@case("wrapper/time_distributed_twice", numbers(2, 3, 4), numbers(2, 3, 2), in_tf_keras=False)
def time_distributed_twice():
    shared = L.TimeDistributed(L.TimeDistributed(L.Dense(4, activation="tanh")))
    x = Input((2, 3, 4))
    model = Model(x, L.TimeDistributed(L.TimeDistributed(L.SpectralNormalization(L.Dense(2))))(shared(shared(x))))
    model.compile(sgd(), "mse")
    return model


@case("wrapper/time_distributed_embedding", integers(7, 3, 4), numbers(3, 2), in_tf_keras=False)
def time_distributed_embedding():
    x = Input((3, 4), dtype="int32")
    y = L.TimeDistributed(L.Embedding(7, 3))(x)
    model = Model(x, L.TimeDistributed(L.Dense(2))(L.TimeDistributed(L.GlobalAveragePooling1D())(y)))
    model.compile(sgd(), "mse")
    return model
