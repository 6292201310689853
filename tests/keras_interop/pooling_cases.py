"""Pooling in one and three dimensions, global and adaptive pooling."""

import samples
from cases import case
from cases import formats_in_turn
from library import IS_TF_KERAS
from library import VERSION_NUMBERS
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import numbers

# The size of Keras's classes is positional, and has a default in some versions only.
LARGEST = {1: L.MaxPooling1D, 2: L.MaxPooling2D, 3: L.MaxPooling3D}
AVERAGE = {1: L.AveragePooling1D, 2: L.AveragePooling2D, 3: L.AveragePooling3D}
GLOBAL_LARGEST = {1: L.GlobalMaxPooling1D, 2: L.GlobalMaxPooling2D, 3: L.GlobalMaxPooling3D}
GLOBAL_AVERAGE = {1: L.GlobalAveragePooling1D, 2: L.GlobalAveragePooling2D, 3: L.GlobalAveragePooling3D}
SHAPES = {1: (11, 3), 2: (7, 6, 3), 3: (5, 6, 4, 3)}


def pooling_case(name, x, y, **arguments):
    arguments.setdefault("formats", formats_in_turn())
    arguments.setdefault("steps", 8)
    return case(f"pooling/{name}", x, y, **arguments)


def compiled(model, optimizer=None, loss="mse", **arguments):
    model.compile(optimizer or keras.optimizers.SGD(0.02, momentum=0.5), loss, **arguments)
    return model


def layer_case(name, rank, make_layers, **arguments):
    """A Dense layer before the layers, so that their gradients matter, and one behind. There are no ReLUs before: without
    oneDNN, TensorFlow gives the gradient of a maximum in three dimensions to all of several equal values."""

    def make():
        x = Input(SHAPES[rank])
        y = L.Dense(4, activation="tanh")(x)
        for layer in make_layers():
            y = layer(y)
        return compiled(Model(x, L.Dense(2)(L.Flatten()(y))))

    pooling_case(f"{rank}d/{name}", numbers(*SHAPES[rank]), numbers(2), **arguments)(make)


for rank in (1, 3):
    for kind, layer in (("max", LARGEST[rank]), ("average", AVERAGE[rank])):
        layer_case(f"{kind}", rank, lambda: [layer(2)], formats=("keras", "h5", "weights.h5"))
        layer_case(f"{kind}_same", rank, lambda: [layer(3, padding="same")])
        layer_case(f"{kind}_overlapping", rank, lambda: [layer(3, strides=2)])
        layer_case(f"{kind}_twice", rank, lambda: [layer(2, strides=1), layer(3, strides=2, padding="same")])
layer_case("max_uneven", 3, lambda: [L.MaxPooling3D((1, 2, 3)), L.MaxPooling3D((3, 1, 1), strides=(2, 1, 1))])
layer_case("average_uneven", 3, lambda: [L.AveragePooling3D((2, 3, 1), strides=(1, 2, 2), padding="same")])
layer_case("strides_beyond_pool", 1, lambda: [L.MaxPooling1D(2, strides=4), L.AveragePooling1D(1, strides=2)])

for rank in (1, 2, 3):
    layer_case("global_max", rank, lambda: [GLOBAL_LARGEST[rank]()])
    layer_case("global_max_keepdims", rank, lambda: [GLOBAL_LARGEST[rank](keepdims=True)], since_tf_keras=(2, 6))
layer_case("global_average", 3, lambda: [L.GlobalAveragePooling3D()])
layer_case("global_average_keepdims", 3, lambda: [L.GlobalAveragePooling3D(keepdims=True)], since_tf_keras=(2, 6))

if not IS_TF_KERAS and hasattr(L, "AdaptiveMaxPooling1D"):
    ADAPTIVE = {
        1: (L.AdaptiveMaxPooling1D, L.AdaptiveAveragePooling1D, 3, 4),
        2: (L.AdaptiveMaxPooling2D, L.AdaptiveAveragePooling2D, 3, (5, 4)),
        3: (L.AdaptiveMaxPooling3D, L.AdaptiveAveragePooling3D, 2, (3, 4, 5)),
    }
    for rank, (largest, average, one_size, sizes) in ADAPTIVE.items():
        layer_case("adaptive_max", rank, lambda: [largest(one_size)], since=VERSION_NUMBERS, in_tf_keras=False)
        layer_case("adaptive_average", rank, lambda: [average(sizes)], since=VERSION_NUMBERS, in_tf_keras=False)


@pooling_case("sentences", samples.words(20, 9), classes(3))
def sentences():
    """Keras's example of text classification, without convolutions."""
    model = Sequential(
        [
            Input((9,), dtype="int32"),
            L.Embedding(20, 6),
            L.MaxPooling1D(2, strides=1),
            L.Dense(8, activation="tanh"),
            L.GlobalMaxPooling1D(),
            L.Dense(3, activation="softmax"),
        ]
    )
    return compiled(model, keras.optimizers.Adam(1e-3), "sparse_categorical_crossentropy", metrics=["accuracy"])


@pooling_case("after_relu", numbers(12, 4), numbers(2))
def after_relu():
    """Windows of several zeros."""
    x = Input((12, 4))
    y = L.Dense(5, activation="relu")(x)
    y = L.MaxPooling1D(3)(y)
    return compiled(Model(x, L.Dense(2)(L.Flatten()(y))))


@pooling_case("any_length", numbers(10, 3), numbers(2))
def any_length():
    x = Input((None, 3))
    y = L.AveragePooling1D(3, strides=2, padding="same")(x)
    y = L.MaxPooling1D(2)(L.Dense(4, activation="tanh")(y))
    y = L.Concatenate()([L.GlobalMaxPooling1D()(y), L.GlobalAveragePooling1D()(y)])
    return compiled(Model(x, L.Dense(2)(y)))


@pooling_case("any_volume", numbers(4, 5, 6, 2), numbers(2))
def any_volume():
    x = Input((None, None, None, 2))
    y = L.Dense(4, activation="tanh")(x)
    y = L.AveragePooling3D((1, 2, 2))(L.MaxPooling3D(2, strides=1)(y))
    y = L.Concatenate()([L.GlobalMaxPooling3D()(y), L.GlobalAveragePooling3D()(y)])
    return compiled(Model(x, L.Dense(2)(y)))


@pooling_case("channels_first", numbers(3, 4, 6, 4), numbers(2), in_tf_keras=False)
def channels_first():
    """tf.keras has no kernels for that on CPUs."""
    x = Input((3, 4, 6, 4))
    y = L.MaxPooling3D((1, 2, 2), data_format="channels_first")(L.Dense(4, activation="tanh")(x))
    y = L.AveragePooling3D(2, padding="same", data_format="channels_first")(y)
    y = L.Concatenate()(
        [L.GlobalMaxPooling3D(data_format="channels_first")(y), L.GlobalAveragePooling3D(data_format="channels_first")(y)]
    )
    return compiled(Model(x, L.Dense(2)(y)))


@pooling_case("time_distributed", numbers(3, 8, 2), numbers(3, 2))
def time_distributed():
    x = Input((3, 8, 2))
    y = L.TimeDistributed(L.Dense(4, activation="tanh"))(x)
    y = L.TimeDistributed(L.MaxPooling1D(3, strides=2))(y)
    y = L.TimeDistributed(L.GlobalMaxPooling1D())(y)
    return compiled(Model(x, L.Dense(2)(y)))


@pooling_case("in_float64", numbers(6, 4, 4, 2), numbers(2))
def in_float64():
    x = Input((6, 4, 4, 2))
    y = L.Dense(3, activation="tanh", dtype="float64")(x)
    y = L.AveragePooling3D(3, strides=2, padding="same", dtype="float64")(L.MaxPooling3D(2, dtype="float64")(y))
    return compiled(Model(x, L.Dense(2)(L.Flatten()(y))))
