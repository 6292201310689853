"""Zero padding, cropping and upsampling of sequences, images and volumes."""

from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import numbers

SIZES = {1: (7,), 2: (6, 5), 3: (4, 5, 4)}


def reshaping_case(name, x, y, **arguments):
    arguments.setdefault("formats", formats_in_turn())
    arguments.setdefault("steps", 8)
    return case(f"reshaping/{name}", x, y, **arguments)


def layer_case(name, rank, make_layers, channels=3, optimizer=None, **arguments):
    shape = (*SIZES[rank], channels)

    def make():
        hidden = L.Dense(3, activation="tanh")
        model = Sequential([Input(shape), hidden, *make_layers(), L.Flatten(), L.Dense(2)])
        model.compile(optimizer() if optimizer else keras.optimizers.SGD(0.02, momentum=0.5), "mse")
        return model

    reshaping_case(f"{rank}d/{name}", numbers(*shape), numbers(2), **arguments)(make)


PADDING = {1: L.ZeroPadding1D, 2: L.ZeroPadding2D, 3: L.ZeroPadding3D}
CROPPING = {1: L.Cropping1D, 2: L.Cropping2D, 3: L.Cropping3D}
MARGINS = {1: (1, 2), 2: ((1, 2), (0, 3)), 3: ((1, 0), (0, 2), (1, 1))}

for rank in (1, 2, 3):
    layer_case("padding", rank, lambda rank=rank: [PADDING[rank]()], formats=("keras", "h5", "weights.h5"))
    layer_case("padding_differs", rank, lambda rank=rank: [PADDING[rank](MARGINS[rank]), L.Dense(2)])
    layer_case("cropping", rank, lambda rank=rank: [CROPPING[rank](1)], formats=("keras", "h5", "weights.h5"))
    layer_case("cropping_differs", rank, lambda rank=rank: [CROPPING[rank](MARGINS[rank]), L.Dense(2)])
    layer_case("padding_and_cropping", rank, lambda rank=rank: [PADDING[rank](2), L.Dense(2), CROPPING[rank](MARGINS[rank])])
layer_case("padding_per_axis", 2, lambda: [L.ZeroPadding2D((2, 1)), L.Conv2D(2, 3)])
layer_case("padding_per_axis", 3, lambda: [L.ZeroPadding3D((2, 0, 1))])
layer_case("cropping_per_axis", 2, lambda: [L.Cropping2D((2, 1)), L.Conv2D(2, 2)])
layer_case("cropping_of_nothing", 2, lambda: [L.Cropping2D(), L.Conv2D(2, 3)])
layer_case(
    "channels_first",
    2,
    lambda: [
        L.ZeroPadding2D(((1, 0), (2, 1)), data_format="channels_first"),
        L.Cropping2D((1, 0), data_format="channels_first"),
    ],
)

layer_case("up_sampling", 1, lambda: [L.UpSampling1D(), L.Dense(2), L.UpSampling1D(3)])
layer_case("up_sampling", 2, lambda: [L.UpSampling2D(), L.Conv2D(2, 3)], optimizer=lambda: keras.optimizers.Adam(0.01))
layer_case("up_sampling", 3, lambda: [L.UpSampling3D((1, 2, 3))], formats=("keras", "h5", "weights.h5"))
layer_case("up_sampling_first", 3, lambda: [L.UpSampling3D((1, 2, 1), data_format="channels_first")])
for interpolation in ("bilinear", "bicubic", "lanczos3", "lanczos5"):
    layer_case(
        f"up_sampling_{interpolation}",
        2,
        lambda interpolation=interpolation: [L.UpSampling2D((2, 3), interpolation=interpolation), L.Conv2D(2, 3)],
        formats=("keras", "h5", "weights.h5"),
    )
layer_case(
    "up_sampling_first", 2, lambda: [L.UpSampling2D((1, 2), data_format="channels_first", interpolation="bilinear")]
)


@reshaping_case("encoder_decoder", numbers(8, 8, 2), numbers(8, 8, 1))
def encoder_decoder():
    x = Input((8, 8, 2))
    encoded = L.MaxPooling2D()(L.Conv2D(4, 3, padding="same", activation="tanh")(x))
    decoded = L.UpSampling2D(interpolation="bilinear")(L.Conv2D(3, 3, padding="same", activation="tanh")(encoded))
    y = L.Conv2D(1, 3)(L.ZeroPadding2D()(L.Concatenate()([x, decoded])))
    model = Model(x, y)
    model.compile(keras.optimizers.Adam(0.01), "mse")
    return model


@reshaping_case("unknown_lengths", numbers(7, 6, 2), numbers(2))
def unknown_lengths():
    x = Input((None, None, 2))
    y = L.Cropping2D(((1, 0), (0, 1)))(L.ZeroPadding2D((2, 1))(x))
    y = L.UpSampling2D(2)(L.Conv2D(3, 2)(y))
    model = Model(x, L.Dense(2)(L.GlobalAveragePooling2D()(y)))
    model.compile(keras.optimizers.SGD(0.05), "mse")
    return model


@reshaping_case("residual_of_cropped", numbers(9, 8, 2), numbers(7, 6, 2))
def residual_of_cropped():
    x = Input((9, 8, 2))
    model = Model(x, L.Add()([L.Conv2D(2, 3)(x), L.Cropping2D(1)(x)]))
    model.compile(keras.optimizers.SGD(0.05), "mse")
    return model


@reshaping_case("sequences", numbers(8, 3), numbers(2))
def sequences():
    x = Input((8, 3))
    y = L.UpSampling1D(2)(L.Cropping1D((2, 1))(L.ZeroPadding1D((0, 2))(x)))
    model = Model(x, L.Dense(2)(L.LSTM(4)(y)))
    model.compile(keras.optimizers.Adam(0.01), "mse")
    return model
