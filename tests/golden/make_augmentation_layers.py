"""augmentation_layers.json, .npz: layers that change images at random, with ranges of one number, for which nothing is
random, and outside training. Without gradients: TensorFlow's of a transform is that of the inverse transform."""

from common import keras
from layer_cases import LayerCases
from layer_cases import floats
from layer_cases import ints

L = keras.layers
cases = LayerCases("augmentation_layers")

FILL_MODES = ["constant", "nearest", "reflect", "wrap"]
INTERPOLATIONS = ["bilinear", "nearest"]
BATCH = floats((2, 6, 9, 3))
BYTES = ints(256, (2, 7, 6, 3), dtype="uint8")


def case(name, make, inputs=BATCH, training=True):
    cases.case(name, make, inputs, training=training, differentiates=False)


def transforms(name, make):
    """Each way to read images, each form of images; `make` has the arguments of the layer."""
    for fill_mode in FILL_MODES:
        for interpolation in INTERPOLATIONS:
            case(
                f"{name}_{fill_mode}_{interpolation}",
                lambda: make(fill_mode=fill_mode, interpolation=interpolation, fill_value=0.75),
            )
    case(f"{name}_square", make, floats((2, 8, 8, 1)))
    case(f"{name}_odd", make, floats((1, 7, 5, 2)))
    case(f"{name}_single", make, floats((6, 9, 3)))
    case(f"{name}_channels_first", lambda: make(data_format="channels_first"), floats((2, 3, 6, 9)))
    case(f"{name}_single_channels_first", lambda: make(data_format="channels_first"), floats((3, 6, 9)))
    case(f"{name}_bytes", make, BYTES)
    case(f"{name}_computed_in_bytes", lambda: make(dtype="uint8", fill_mode="constant", fill_value=7), BYTES)
    case(f"{name}_one_row", make, floats((2, 1, 9, 2)))
    case(f"{name}_one_pixel", make, floats((2, 1, 1, 2)))
    case(f"{name}_not_in_training", make, training=False)
    case(f"{name}_bytes_not_in_training", make, BYTES, training=False)


transforms("rotation", lambda **arguments: L.RandomRotation((0.07, 0.07), **arguments))
for turn in (-0.19, 0.5, 1.0, 0.0):
    case(f"rotation_by_{turn}", lambda: L.RandomRotation((turn, turn), fill_mode="constant"), floats((2, 8, 9, 2)))
transforms("zoom", lambda **arguments: L.RandomZoom((0.3, 0.3), **arguments))
for height, width in (((-0.4, -0.4), (0.2, 0.2)), ((1.0, 1.0), (-0.7, -0.7)), ((-0.3, -0.3), None), (0, 0.0)):
    case(f"zoom_by_{height}_{width}", lambda: L.RandomZoom(height, width, fill_mode="constant"))
transforms("translation", lambda **arguments: L.RandomTranslation((0.3, 0.3), (-0.2, -0.2), **arguments))
for height, width in (((-0.5, -0.5), (0.0, 0.0)), ((1.0, 1.0), (0.1, 0.1)), ((0.0, 0.0), (-0.9, -0.9)), (0, 0)):
    case(f"translation_by_{height}_{width}", lambda: L.RandomTranslation(height, width, seed=3))

for height, width in ((6, 9), (6, 4), (3, 9), (8, 12), (4, 12), (12, 4), (6, 20), (1, 9)):
    case(f"crop_{height}_{width}", lambda: L.RandomCrop(height, width, seed=1))
case("crop_single", lambda: L.RandomCrop(8, 5, seed=1), floats((6, 9, 3)))
case("crop_channels_first", lambda: L.RandomCrop(8, 5, seed=1, data_format="channels_first"), floats((2, 3, 6, 9)))
case("crop_bytes", lambda: L.RandomCrop(8, 5, seed=1), BYTES)
case("crop_computed_in_bytes", lambda: L.RandomCrop(8, 8, dtype="uint8", seed=1), ints(256, (2, 4, 4, 3), dtype="uint8"))
case("crop_not_in_training", lambda: L.RandomCrop(4, 5, seed=1), training=False)
case("crop_bytes_not_in_training", lambda: L.RandomCrop(4, 5, seed=1), BYTES, training=False)

case("flip_not_in_training", lambda: L.RandomFlip("horizontal", seed=1), training=False)
case("flip_bytes_not_in_training", lambda: L.RandomFlip(data_format="channels_first"), BYTES, training=False)
case("shear_without_factor", lambda: L.RandomShear())
case("shear_not_in_training", lambda: L.RandomShear((0.0, 0.3), (0.1, 0.2)), training=False)
case("perspective_never", lambda: L.RandomPerspective(0, 0.5))
case("perspective_without_scale", lambda: L.RandomPerspective(scale=0.0))
case("perspective_not_in_training", lambda: L.RandomPerspective(bounding_box_format="xyxy"), training=False)
case("elastic_never", lambda: L.RandomElasticTransform(0.0))
case("elastic_without_scale", lambda: L.RandomElasticTransform(0.5, scale=0.0))
case("elastic_limited", lambda: L.RandomElasticTransform(1e-30, value_range=(-0.5, 0.5)))
case("elastic_not_in_training", lambda: L.RandomElasticTransform(value_range=(-0.5, 0.5)), training=False)
case("erasing_never", lambda: L.RandomErasing((0, 0)))
case("erasing_everything", lambda: L.RandomErasing((1.0, 1.0), scale=(1.0, 1.0), fill_value=2))
case("erasing_everything_limited", lambda: L.RandomErasing((1.0, 1.0), (1.0, 1.0), -2.5, value_range=(-1, 1)))
case("erasing_channels", lambda: L.RandomErasing((1.0, 1.0), (1.0, 1.0), fill_value=(1, 2, 3)))
case(
    "erasing_channels_first",
    lambda: L.RandomErasing((1.0, 1.0), (1.0, 1.0), fill_value=4, data_format="channels_first"),
    floats((3, 6, 9)),
)
case("erasing_not_in_training", lambda: L.RandomErasing(), training=False)

cases.save()
