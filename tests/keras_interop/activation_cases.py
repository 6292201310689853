"""Activations with arguments, Identity, and the regularizing layers besides Dropout."""

from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import numbers

SIZES = {0: (), 1: (6,), 2: (5, 4), 3: (3, 4, 3)}
NONE = dict(in_tf_keras=False)


def layer_case(name, rank, make_layers, optimizer=None, channels=4, **arguments):
    shape = (*SIZES[rank], channels)
    arguments.setdefault("formats", formats_in_turn())
    arguments.setdefault("steps", 8)

    def make():
        hidden = L.Dense(channels, activation="tanh")
        layers = [Input(shape), hidden, *make_layers()]
        model = Sequential([*layers, L.Flatten(), L.Dense(2)] if rank else [*layers, L.Dense(2)])
        model.compile(optimizer() if optimizer else keras.optimizers.SGD(0.02, momentum=0.5), "mse")
        return model

    return case(f"activation/{name}", numbers(*shape), numbers(2), **arguments)(make)


def adam():
    return keras.optimizers.Adam(0.01)


ALL_FORMATS = ("keras", "h5", "weights.h5")

# The argument of tf.keras has another name, and so has its configuration.
layer_case("leaky_relu", 0, lambda: [L.LeakyReLU()], formats=ALL_FORMATS, **NONE)
layer_case("leaky_relu_slope", 1, lambda: [L.LeakyReLU(negative_slope=0.05)], optimizer=adam, **NONE)
layer_case("elu", 0, lambda: [L.ELU()], formats=ALL_FORMATS)
layer_case("elu_alpha", 2, lambda: [L.ELU(alpha=0.4)], optimizer=adam)
layer_case("prelu", 0, lambda: [L.PReLU()], formats=ALL_FORMATS)
layer_case("prelu_of_sequences", 1, lambda: [L.PReLU(shared_axes=[1])], optimizer=adam)
layer_case(
    "prelu_of_images",
    2,
    lambda: [L.Conv2D(3, 2), L.PReLU(alpha_initializer="ones", shared_axes=[1, 2])],
    formats=ALL_FORMATS,
)
layer_case("prelu_regularized", 1, lambda: [L.PReLU(alpha_regularizer="l2", shared_axes=[2])])
layer_case("relu", 1, lambda: [L.ReLU(max_value=0.7, negative_slope=0.1, threshold=0.2)])
layer_case("softmax_axes", 2, lambda: [L.Softmax(axis=[1, 2]), L.Dense(3)])
# Keras reads the default from its own legacy files.
NEW = dict(since=(3, 15), in_tf_keras=False, formats=("keras", "weights.h5"))
layer_case("softmax_none", 0, lambda: [L.Softmax(axis=None), L.Dense(3)], **NEW)
layer_case("softmax_none_sequences", 1, lambda: [L.Softmax(axis=None), L.Dense(3)], **NEW)
layer_case("identity", 1, lambda: [L.Identity()], formats=ALL_FORMATS, **NONE)
layer_case("activity_regularization", 0, lambda: [L.ActivityRegularization(l1=0.01, l2=0.02)], formats=ALL_FORMATS)
layer_case("activity_regularization_l2", 2, lambda: [L.ActivityRegularization(l2=0.05)], optimizer=adam)

DRAWING = {
    "spatial_dropout1d": (1, L.SpatialDropout1D),
    "spatial_dropout2d": (2, L.SpatialDropout2D),
    "spatial_dropout3d": (3, L.SpatialDropout3D),
    "gaussian_noise": (1, L.GaussianNoise),
    "gaussian_dropout": (0, L.GaussianDropout),
    "alpha_dropout": (0, L.AlphaDropout),
}
for drawing, (rank, make_layer) in DRAWING.items():
    layer_case(f"{drawing}_of_nothing", rank, lambda make_layer=make_layer: [make_layer(0.0)], formats=ALL_FORMATS)
    layer_case(f"{drawing}", rank, lambda make_layer=make_layer: [make_layer(0.3)], is_random=True, steps=10)
layer_case(
    "spatial_dropout_first",
    2,
    lambda: [L.SpatialDropout2D(0.4, data_format="channels_first")],
    is_random=True,
    steps=10,
)
layer_case("alpha_dropout_of_rows", 1, lambda: [L.AlphaDropout(0.2, noise_shape=(None, 6, 1))], is_random=True, **NONE)


@case("activation/branches", [numbers(5), numbers(5)], numbers(2), steps=8, **NONE)
def branches():
    a, b = Input((5,), name="a"), Input((5,), name="b")
    same_a, same_b = L.Identity(name="same")([a, b])
    x = L.Add()([L.PReLU()(L.Dense(4)(same_a)), L.LeakyReLU(0.2)(L.Dense(4)(same_b))])
    model = Model([a, b], L.Dense(2)(L.ELU(0.7)(x)))
    model.compile(adam(), "mse")
    return model


@case("activation/unknown_lengths", numbers(7, 3), numbers(2), steps=8)
def unknown_lengths():
    x = Input((None, 3))
    y = L.ActivityRegularization(l1=0.01)(L.PReLU(shared_axes=[1])(L.Dense(4)(x)))
    model = Model(x, L.Dense(2)(L.GlobalAveragePooling1D()(y)))
    model.compile(keras.optimizers.SGD(0.05), "mse")
    return model
