"""Conv2D, pooling, Rescaling, Flatten of images."""

from cases import case
from library import Input
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import numbers
from samples import pixels


def sgd(rate=0.02):
    return keras.optimizers.SGD(rate, momentum=0.5)


@case("image/cnn", pixels(16, 16, 1, dtype="uint8"), classes(10, dtype="uint8"))
def cnn():
    model = Sequential(
        [
            Input((16, 16, 1), dtype="uint8"),
            L.Rescaling(1.0 / 255),
            L.Conv2D(6, 3, activation="relu"),
            L.MaxPooling2D(),
            L.Conv2D(8, (3, 3), activation="relu", kernel_initializer="he_uniform"),
            L.MaxPooling2D(2),
            L.Flatten(),
            L.Dense(16, activation="relu"),
            L.Dense(10),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(1e-3), loss, metrics=["accuracy"])
    return model


@case("image/strides", numbers(9, 8, 3), numbers(2))
def strides():
    model = Sequential(
        [
            Input((9, 8, 3)),
            L.Conv2D(4, (3, 2), strides=(2, 1), padding="same", activation="relu"),
            L.Conv2D(5, (1, 4), strides=(1, 3), padding="VALID", use_bias=False, activation="tanh"),
            L.Conv2D(3, 5, strides=2, padding="same", bias_initializer="ones"),
            L.GlobalAveragePooling2D(),
            L.Dense(2),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("image/dilation", numbers(10, 11, 2), numbers(3), covers=("regularizer L1",), computes_alike_since=(3, 14))
def dilation():
    model = Sequential(
        [
            Input((10, 11, 2)),
            L.Conv2D(3, 3, dilation_rate=(2, 1), padding="same", activation="gelu", kernel_regularizer="l1"),
            L.Conv2D(
                4,
                (2, 3),
                dilation_rate=(1, 3),
                activity_regularizer=keras.regularizers.L2(0.01),
                bias_regularizer=keras.regularizers.L1L2(0.01, 0.02),
            ),
            L.GlobalAveragePooling2D(),
            L.Dense(3),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("image/groups", numbers(6, 6, 4), numbers(2))
def groups():
    model = Sequential(
        [
            Input((6, 6, 4)),
            L.Conv2D(6, 3, groups=2, padding="same", activation="silu"),
            L.Conv2D(6, (1, 2), groups=6),
            L.GlobalAveragePooling2D(),
            L.Dense(2),
        ]
    )
    # Without XLA, TensorFlow cannot train grouped convolutions on a CPU.
    model.compile(sgd(), "mse", jit_compile=True)
    return model


@case("image/pointwise", numbers(5, 7, 6), numbers(5, 7, 2))
def pointwise():
    model = Sequential(
        [
            Input((5, 7, 6)),
            L.Conv2D(4, 1, activation="swish", kernel_initializer="lecun_normal"),
            L.Conv2D(2, (5, 7), padding="same"),
        ]
    )
    model.compile(sgd(0.01), "mse")
    return model


@case("image/any_size", numbers(12, 9, 3), classes(4))
def any_size():
    model = Sequential(
        [
            Input((None, None, 3)),
            L.Conv2D(4, 3, padding="same", activation="relu"),
            L.AveragePooling2D(2),
            L.Conv2D(4, 3, activation="relu"),
            L.GlobalAveragePooling2D(),
            L.Dense(4, activation="softmax"),
        ]
    )
    model.compile(sgd(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@case("image/max_pooling", numbers(9, 10, 2), numbers(2))
def max_pooling():
    model = Sequential(
        [
            Input((9, 10, 2)),
            L.Conv2D(4, 2),
            L.MaxPooling2D((2, 3), strides=(1, 2), padding="same"),
            L.MaxPooling2D(3, strides=2),
            L.Flatten(),
            L.Dense(2),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("image/average_pooling", numbers(9, 10, 2), numbers(2))
def average_pooling():
    model = Sequential(
        [
            Input((9, 10, 2)),
            L.Conv2D(4, 2),
            L.AveragePooling2D(3, strides=1, padding="same"),
            L.AveragePooling2D((1, 2), strides=(2, 3)),
            L.AveragePooling2D((2, 1)),
            L.Flatten(),
            L.Dense(2),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("image/rescaling", pixels(4, 5, 3), numbers(2))
def rescaling():
    model = Sequential(
        [
            Input((4, 5, 3)),
            L.Rescaling(1.0 / 127.5, offset=-1.0),
            L.Conv2D(3, 3),
            L.Rescaling([0.5, 1.5, -2.0], offset=[0.1, 0.2, 0.3]),
            L.Flatten(),
            L.Dense(2),
        ]
    )
    model.compile(sgd(0.005), "mse")
    return model


@case("image/rescaling_of_integers", pixels(4, 4, 1, dtype="int32"), classes(3))
def rescaling_of_integers():
    model = Sequential(
        [
            Input((4, 4, 1), dtype="int32"),
            L.Rescaling(scale=0.01),
            L.AveragePooling2D(2),
            L.Flatten(),
            L.Dense(3, activation="softmax"),
        ]
    )
    model.compile("rmsprop", "sparse_categorical_crossentropy")
    return model


@case("image/global_pooling_that_keeps_axes", numbers(5, 4, 3), numbers(1, 1, 2))
def global_pooling_that_keeps_axes():
    model = Sequential(
        [Input((5, 4, 3)), L.Conv2D(4, 2), L.GlobalAveragePooling2D(keepdims=True), L.Conv2D(2, 1, activation="tanh")]
    )
    model.compile(sgd(), "mse")
    return model


@case("image/channels_first", numbers(3, 4, 5), numbers(2), unsettled_in_tf_keras=("moving_variance",))
def channels_first():
    # TensorFlow convolves on a CPU only with the channels last.
    model = Sequential(
        [
            Input((3, 4, 5)),
            L.BatchNormalization(axis=1),
            L.GlobalAveragePooling2D(data_format="channels_first"),
            L.Dense(2),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("image/flatten_channels_first", numbers(3, 4, 5), numbers(2))
def flatten_channels_first():
    model = Sequential([Input((3, 4, 5)), L.Flatten(data_format="channels_first"), L.Dense(2)])
    model.compile(sgd(0.005), "mse")
    return model
