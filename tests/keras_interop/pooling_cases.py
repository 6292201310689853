"""Pooling in one and three dimensions, global and adaptive pooling."""

import samples
from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import numbers

LARGEST = {1: L.MaxPooling1D, 2: L.MaxPooling2D, 3: L.MaxPooling3D}
AVERAGE = {1: L.AveragePooling1D, 2: L.AveragePooling2D, 3: L.AveragePooling3D}
GLOBAL_LARGEST = {1: L.GlobalMaxPooling1D, 2: L.GlobalMaxPooling2D, 3: L.GlobalMaxPooling3D}
SHAPES = {1: (11, 3), 2: (7, 6, 3), 3: (5, 6, 4, 3)}


def pooling_case(name, x, y, **arguments):
    arguments.setdefault("formats", formats_in_turn())
    arguments.setdefault("steps", 8)
    return case(f"pooling/{name}", x, y, **arguments)


def compiled(model, optimizer=None, loss="mse", **arguments):
    model.compile(optimizer or keras.optimizers.SGD(0.02, momentum=0.5), loss, **arguments)
    return model


def spread(x):
    return L.Rescaling(4096.0)(x)


def unspread(x):
    return L.Rescaling(1 / 4096.0)(x)


def layer_case(name, rank, layer, make_layers, **arguments):
    """A Dense layer before the layers, so that their gradients matter. In three dimensions, TensorFlow without oneDNN gives
    the gradient of a maximum to all values that differ from it by less than 1e-5. Here they are `spread`, and the windows of
    a maximum of maxima do not overlap."""

    def make():
        x = Input(SHAPES[rank])
        y = L.Dense(4, activation="tanh")(x) if rank < 3 else spread(L.Dense(4)(x))
        for pooling in make_layers(layer):
            y = pooling(y)
        y = y if rank < 3 else unspread(y)
        return compiled(Model(x, L.Dense(2)(L.Flatten()(y))))

    pooling_case(f"{rank}d/{name}", numbers(*SHAPES[rank]), numbers(2), **arguments)(make)


for rank in (1, 3):
    for kind, layer in (("max", LARGEST[rank]), ("average", AVERAGE[rank])):
        layer_case(f"{kind}", rank, layer, lambda layer: [layer(2)], formats=("keras", "h5", "weights.h5"))
        layer_case(f"{kind}_same", rank, layer, lambda layer: [layer(3, padding="same")])
        layer_case(f"{kind}_overlapping", rank, layer, lambda layer: [layer(3, strides=2)])
        strides = 1 if rank == 1 else 2
        layer_case(
            f"{kind}_twice",
            rank,
            layer,
            lambda layer, strides=strides: [layer(2, strides=strides), layer(3, strides=3, padding="same")],
        )
layer_case("max_uneven", 3, LARGEST[3], lambda layer: [layer((1, 2, 3)), layer((3, 1, 1), strides=(2, 1, 1))])
layer_case("average_uneven", 3, AVERAGE[3], lambda layer: [layer((2, 3, 1), strides=(1, 2, 2), padding="same")])
layer_case("strides_beyond_pool", 1, LARGEST[1], lambda layer: [layer(2, strides=4), layer(1, strides=2)])

for rank, layer in GLOBAL_LARGEST.items():
    layer_case("global_max", rank, layer, lambda layer: [layer()])
    layer_case("global_max_keepdims", rank, layer, lambda layer: [layer(keepdims=True)], since_tf_keras=(2, 6))
layer_case("global_average", 3, L.GlobalAveragePooling3D, lambda layer: [layer()])
layer_case(
    "global_average_keepdims", 3, L.GlobalAveragePooling3D, lambda layer: [layer(keepdims=True)], since_tf_keras=(2, 6)
)

# Not to a size of 1, which TensorFlow refuses in models.
if hasattr(L, "AdaptiveMaxPooling1D"):
    layer_case("adaptive_max", 1, L.AdaptiveMaxPooling1D, lambda layer: [layer(3)])
    layer_case("adaptive_max", 2, L.AdaptiveMaxPooling2D, lambda layer: [layer(3)])
    layer_case("adaptive_max", 3, L.AdaptiveMaxPooling3D, lambda layer: [layer(2)])
    layer_case("adaptive_average", 1, L.AdaptiveAveragePooling1D, lambda layer: [layer(4)])
    layer_case("adaptive_average", 2, L.AdaptiveAveragePooling2D, lambda layer: [layer((5, 4))])
    layer_case("adaptive_average", 3, L.AdaptiveAveragePooling3D, lambda layer: [layer((3, 4, 5))])


@pooling_case("sentences", samples.words(20, 9), classes(3))
def sentences():
    """Keras's example of text classification, without convolutions. Without a regularizer, Keras squares the gradients of
    a word that comes twice separately."""
    model = Sequential(
        [
            Input((9,), dtype="int32"),
            L.Embedding(20, 6, embeddings_regularizer="l2"),
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
    y = L.AveragePooling3D((1, 2, 2))(unspread(L.MaxPooling3D(2, strides=1)(spread(L.Dense(4)(x)))))
    y = L.Concatenate()([L.GlobalMaxPooling3D()(y), L.GlobalAveragePooling3D()(y)])
    return compiled(Model(x, L.Dense(2)(y)))


@pooling_case("channels_first", numbers(3, 4, 6, 4), numbers(2), in_tf_keras=False)
def channels_first():
    """tf.keras has no kernels for that on CPUs."""
    x = Input((3, 4, 6, 4))
    y = unspread(L.MaxPooling3D((1, 2, 2), data_format="channels_first")(spread(L.Dense(4)(x))))
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


@pooling_case("in_float64", numbers(9, 2), numbers(2))
def in_float64():
    """In three dimensions, TensorFlow has no such maxima."""
    x = Input((9, 2))
    y = L.Dense(3, activation="tanh", dtype="float64")(x)
    y = L.AveragePooling1D(3, strides=2, padding="same", dtype="float64")(L.MaxPooling1D(2, dtype="float64")(y))
    return compiled(Model(x, L.Dense(2)(L.Flatten()(y))))
