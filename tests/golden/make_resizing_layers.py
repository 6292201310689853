"""resizing_layers.json, .npz: Resizing, CenterCrop, and a Softmax over everything, each called once, with their
gradients."""

from common import keras
from common import np
from layer_cases import LayerCases
from layer_cases import floats
from layer_cases import ints

L = keras.layers
cases = LayerCases("resizing_layers")
case = cases.case

INTERPOLATIONS = ["bilinear", "nearest", "lanczos3", "lanczos5", "bicubic"]


def extremes(*shapes, low=0, high=255, dtype="uint8"):
    """The ends of a range: filters that overshoot leave it."""
    return lambda rng: [np.where(rng.random(s) < 0.5, low, high).astype(dtype) for s in shapes]


def resizing(name, height, width, inputs, **arguments):
    case(f"resizing_{name}", lambda: L.Resizing(height, width, **arguments), inputs)


for interpolation in INTERPOLATIONS:
    resizing(f"{interpolation}", 3, 9, floats((2, 5, 7, 3)), interpolation=interpolation)
    resizing(f"{interpolation}_larger", 11, 8, floats((2, 5, 7, 2)), interpolation=interpolation)
    resizing(f"{interpolation}_integers", 4, 9, extremes((2, 5, 7, 3)), interpolation=interpolation)
    resizing(f"{interpolation}_antialias", 3, 4, floats((2, 8, 9, 2)), interpolation=interpolation, antialias=True)
# TensorFlow has no gradient of "area".
resizing("area_integers", 4, 9, ints(256, (2, 7, 5, 3), dtype="uint8"), interpolation="area")
resizing("area_larger_integers", 8, 9, ints(256, (2, 7, 5, 3), dtype="uint8"), interpolation="area")
resizing("int32", 4, 9, extremes((2, 5, 7, 3), low=-300, high=500, dtype="int32"), interpolation="bicubic")
resizing("int64", 4, 9, ints(1000, (2, 5, 7, 3), dtype="int64"))
resizing("channels_first", 4, 9, floats((2, 3, 5, 7)), data_format="channels_first")
resizing("channels_first_integers", 4, 9, ints(256, (2, 3, 5, 7), dtype="uint8"), data_format="channels_first")
resizing("single", 4, 9, floats((5, 7, 3)), interpolation="bicubic")
resizing("single_channels_first", 4, 9, floats((3, 5, 7)), data_format="channels_first")
resizing("same_size", 5, 7, floats((2, 5, 7, 3)), interpolation="bicubic")
resizing("one_pixel", 3, 4, floats((2, 1, 1, 3)), interpolation="bicubic")
resizing("to_one_pixel", 1, 1, floats((2, 4, 5, 3)))
for name, shape in {"wide": (2, 4, 10, 2), "tall": (2, 11, 4, 2), "square": (2, 6, 6, 2), "single": (4, 10, 2)}.items():
    resizing(f"crop_{name}", 3, 5, floats(shape), crop_to_aspect_ratio=True)
    resizing(f"pad_{name}", 3, 5, floats(shape), pad_to_aspect_ratio=True, fill_value=0.5)
resizing("crop_channels_first", 5, 3, floats((2, 2, 4, 10)), crop_to_aspect_ratio=True, data_format="channels_first")
resizing("pad_channels_first", 5, 3, floats((2, 2, 4, 10)), pad_to_aspect_ratio=True, data_format="channels_first")
resizing("crop_integers", 3, 5, extremes((2, 4, 10, 2)), crop_to_aspect_ratio=True, interpolation="bicubic")
resizing("pad_integers", 3, 5, extremes((2, 9, 4, 2)), pad_to_aspect_ratio=True, fill_value=7)
resizing("crop_antialias", 2, 2, floats((2, 9, 12, 2)), crop_to_aspect_ratio=True, antialias=True)


def center_crop(name, height, width, inputs, **arguments):
    case(f"center_crop_{name}", lambda: L.CenterCrop(height, width, **arguments), inputs)


for height in (2, 3, 5, 6):
    center_crop(f"height_{height}", height, 4, floats((2, 6, 7, 3)))
    center_crop(f"of_odd_height_{height}", height, 4, floats((2, 7, 5, 3)))
center_crop("single", 2, 3, floats((5, 6, 3)))
center_crop("channels_first", 2, 3, floats((2, 3, 5, 6)), data_format="channels_first")
center_crop("single_channels_first", 2, 3, floats((3, 5, 6)), data_format="channels_first")
center_crop("integers", 3, 3, ints(256, (2, 5, 6, 3), dtype="uint8"))
center_crop("lower", 8, 3, floats((2, 5, 6, 3)))
center_crop("narrower", 3, 8, floats((2, 5, 6, 3)))
center_crop("smaller", 9, 8, floats((2, 5, 6, 3)))
center_crop("much_lower", 7, 1, floats((2, 3, 2, 3)))
center_crop("smaller_single", 9, 8, floats((5, 6, 3)))
center_crop("smaller_channels_first", 9, 8, floats((2, 3, 5, 6)), data_format="channels_first")
center_crop("smaller_integers", 9, 8, ints(256, (2, 5, 6, 3), dtype="uint8"))

case("softmax_none", lambda: L.Softmax(axis=None), floats((3, 4)))
case("softmax_none_sequences", lambda: L.Softmax(axis=None), floats((3, 4, 2)))

cases.save()
