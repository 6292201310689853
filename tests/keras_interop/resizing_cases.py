"""Resizing and CenterCrop."""

from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import numbers
from samples import pixels


def resizing_case(name, x, y, **arguments):
    arguments.setdefault("formats", formats_in_turn())
    # Older versions compute integers in other dtypes.
    return case(f"preprocessing/{name}", x, y, steps=8, since=(3, 15), in_tf_keras=False, **arguments)


def compiled(model, loss="mse", **arguments):
    model.compile(keras.optimizers.SGD(0.02, momentum=0.5), loss, **arguments)
    return model


def between_convolutions(name, make_layer, shape=(9, 8, 2), **arguments):
    """A layer through which the gradient of a convolution goes."""

    def make():
        inputs = Input(shape)
        y = make_layer()(L.Conv2D(3, 3, padding="same", activation="tanh")(inputs))
        return compiled(Model(inputs, L.Dense(2)(L.Flatten()(y))))

    resizing_case(name, numbers(*shape), numbers(2), **arguments)(make)


def of_bytes(name, make_layer, shape=(8, 8, 3), **arguments):
    """The first layer of a model of images. With these sizes sums of weighted pixels are exact, so that those halfway
    between two integers are rounded alike."""

    def make():
        layers = [
            Input(shape, dtype="uint8"),
            make_layer(),
            L.Rescaling(1 / 255),
            L.Conv2D(4, 3, strides=2, activation="relu"),
            L.GlobalAveragePooling2D(),
            L.Dense(4),
        ]
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        return compiled(Sequential(layers), loss, metrics=["accuracy"])

    resizing_case(name, pixels(8, 8, 3, dtype="uint8"), classes(4), **arguments)(make)


ALL_FORMATS = ("keras", "h5", "weights.h5")

between_convolutions("resizing/bilinear", lambda: L.Resizing(5, 11), formats=ALL_FORMATS)
for interpolation in ("nearest", "bicubic", "lanczos3", "lanczos5"):
    between_convolutions(f"resizing/{interpolation}", lambda kind=interpolation: L.Resizing(5, 11, interpolation=kind))
between_convolutions("resizing/antialias", lambda: L.Resizing(4, 3, interpolation="bicubic", antialias=True))
between_convolutions("resizing/crop", lambda: L.Resizing(4, 7, crop_to_aspect_ratio=True))
between_convolutions("resizing/pad", lambda: L.Resizing(4, 7, pad_to_aspect_ratio=True, fill_value=0.25))
between_convolutions("resizing/channels_first", lambda: L.Resizing(5, 3, data_format="channels_first"), shape=(4, 6, 2))
of_bytes("resizing/integers", lambda: L.Resizing(4, 16), formats=ALL_FORMATS)
of_bytes("resizing/bicubic_integers", lambda: L.Resizing(12, 11, interpolation="bicubic"))
of_bytes("resizing/area_integers", lambda: L.Resizing(4, 4, interpolation="area", name="größe"))
of_bytes("resizing/unknown_size", lambda: L.Resizing(16, 4, crop_to_aspect_ratio=True), shape=(None, None, 3))
of_bytes("resizing/bounding_boxes", lambda: L.Resizing(16, 8, bounding_box_format="xyxy"))

between_convolutions("center_crop/cut", lambda: L.CenterCrop(4, 5), formats=ALL_FORMATS)
between_convolutions("center_crop/resized", lambda: L.CenterCrop(12, 7))
between_convolutions("center_crop/lower", lambda: L.CenterCrop(5, 9))
between_convolutions(
    "center_crop/channels_first", lambda: L.CenterCrop(5, 3, data_format="channels_first"), shape=(4, 6, 2)
)
of_bytes("center_crop/integers", lambda: L.CenterCrop(6, 7), formats=ALL_FORMATS)
of_bytes("center_crop/resized_integers", lambda: L.CenterCrop(11, 12))
of_bytes("center_crop/unknown_size", lambda: L.CenterCrop(6, 7), shape=(None, None, 3))


@resizing_case("training_argument", numbers(9, 8, 2), numbers(2))
def training_argument():
    """`training` has no effect on them; its default is True."""
    inputs = Input((9, 8, 2))
    y = L.CenterCrop(6, 6)(L.Resizing(8, 8)(inputs, training=False))
    return compiled(Model(inputs, L.Dense(2)(L.Flatten()(y))))
