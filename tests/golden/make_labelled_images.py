"""labelled_images.json, .npz: image layers called with dictionaries of images, labels, bounding boxes and masks. Random
layers have ranges of one number, or each of the transformations that they may draw."""

import copy

from common import Golden
from common import array
from common import keras
from common import np
from common import rng_for
from common import serialized

L = keras.layers
golden = Golden("labelled_images")
HEIGHT, WIDTH = 6, 9
NESTED = {"boxes": ("bounding_boxes", "boxes"), "classes": ("bounding_boxes", "labels")}
PARTS = ("images", "labels", "segmentation_masks")


def data_of(rng, format, is_single, channels_first, batch=2, size=(HEIGHT, WIDTH), mask_dtype="int32"):
    """Boxes "xyxy" lie in the images or beyond their border; the last one is padding."""
    height, width = size
    first = rng.uniform(-2, (width - 1, height - 1), (batch, 3, 2))
    boxes = np.concatenate([first, first + rng.uniform(1, 5, (batch, 3, 2))], -1).astype("float32")
    lengths = {"height": height, "width": width} if format.startswith("rel_") else {}
    boxes = array(keras.utils.bounding_boxes.convert_format(boxes, "xyxy", format, **lengths))
    boxes = np.concatenate([boxes, np.full((batch, 1, 4), -1, "float32")], 1)
    images = rng.uniform(0, 255, (batch, height, width, 3)).astype("float32")
    masks = rng.integers(0, 5, (batch, height, width, 1)).astype(mask_dtype)
    if channels_first:
        images, masks = images.transpose(0, 3, 1, 2), masks.transpose(0, 3, 1, 2)
    data = {
        "images": images,
        "labels": rng.uniform(0, 1, (batch, 4)).astype("float32"),
        "segmentation_masks": masks,
        "boxes": boxes,
        "classes": rng.integers(0, 9, (batch, 4)).astype("int32"),
    }
    return {key: value[0] for key, value in data.items()} if is_single else data


def nested(data):
    result = {key: data[key] for key in PARTS if key in data}
    if "boxes" in data or "classes" in data:
        result["bounding_boxes"] = {inner: data[key] for key, (_, inner) in NESTED.items() if key in data}
    return result


def flat(result):
    arrays = {key: array(result[key]) for key in PARTS if key in result}
    if "bounding_boxes" in result:
        arrays |= {key: array(result["bounding_boxes"][inner]) for key, (_, inner) in NESTED.items()}
    return arrays


def case(name, make, format="xyxy", training=True, alternatives=(None,), only=None, without=(), is_single=False, **arguments):
    """`alternatives`: transformations, functions of the data, one of which each image has; None: what the layer draws."""
    layer = make()
    first = getattr(layer, "data_format", "channels_last") == "channels_first"
    data = data_of(rng_for("labelled_images/" + name), format, is_single, first, **arguments)
    data = {key: value for key, value in data.items() if (only is None or key in only) and key not in without}
    entry = {"name": name, "layer": serialized(layer), "training": training, "alternatives": len(alternatives)}
    arrays = {f"given_{key}": value for key, value in data.items()}
    draw = layer.get_random_transformation
    for i, alternative in enumerate(alternatives):
        if alternative is not None:
            layer.get_random_transformation = lambda data, training=True, seed=None: (
                alternative(data) if training else draw(data, training=False)
            )
        given = nested(copy.deepcopy(data))
        given = {k: keras.tree.map_structure(keras.ops.convert_to_tensor, v) for k, v in given.items()}
        try:
            arrays |= {f"{key}{i}": value for key, value in flat(layer(given, training=training)).items()}
        except (ValueError, NotImplementedError) as error:
            entry["error"] = {"class": type(error).__name__, "message": message_of(error)}
            break
        except AttributeError as error:
            # RandomGrayscale takes no dictionaries in training.
            print(f"{name}: left out: {message_of(error)}")
            return
    golden.add(entry, arrays)


def all_forms(name, make, formats=("xyxy", "rel_xyxy", "center_yxhw"), **arguments):
    """`make` has the arguments of the layer."""
    for format in formats:
        case(f"{name}_{format}", lambda: make(bounding_box_format=format), format, **arguments)
    make_xyxy = lambda **more: make(bounding_box_format="xyxy", **more)
    case(f"{name}_single", make_xyxy, is_single=True, **arguments)
    case(f"{name}_channels_first", lambda: make_xyxy(data_format="channels_first"), **arguments)
    case(f"{name}_not_in_training", make_xyxy, training=False, **arguments)
    case(f"{name}_images_and_masks", make, only=("images", "segmentation_masks"), **arguments)
    case(f"{name}_images_and_labels", make, only=("images", "labels"), **arguments)
    case(f"{name}_without_format", make, **arguments)


def message_of(error):
    """Without what Keras adds about the call."""
    return str(error).split("\x1b[1m")[-1].split("\x1b[0m")[0]


def flips(is_flipped):
    def transformation(data):
        shape = tuple(data["images"].shape)
        count = (1,) if len(shape) == 3 else (shape[0], 1)
        return {"flips": keras.ops.full((*count, 1, 1)[: len(shape)], is_flipped, "bool"), "input_shape": shape}

    return transformation


def shears(sign):
    def transformation(data):
        shape = tuple(data["images"].shape)
        count = 1 if len(shape) == 3 else shape[0]
        return {"shear_factor": keras.ops.full((count, 2), sign) * [0.3, 0.2], "input_shape": shape}

    return transformation


for mode in ("horizontal", "vertical", "horizontal_and_vertical"):
    all_forms(f"flip_{mode}", lambda **given: L.RandomFlip(mode, **given), alternatives=(flips(True), flips(False)))
all_forms("rotation", lambda **given: L.RandomRotation((0.07, 0.07), **given))
all_forms("rotation_back", lambda **given: L.RandomRotation((-0.3, -0.3), fill_mode="constant", **given))
all_forms("zoom_out", lambda **given: L.RandomZoom((0.3, 0.3), **given))
all_forms("zoom_in", lambda **given: L.RandomZoom((-0.4, -0.4), (-0.2, -0.2), **given))
all_forms("translation", lambda **given: L.RandomTranslation((0.3, 0.3), (-0.2, -0.2), **given))
all_forms("translation_back", lambda **given: L.RandomTranslation((-0.1, -0.1), (0.4, 0.4), fill_mode="wrap", **given))
all_forms(
    "shear",
    lambda **given: L.RandomShear((0.3, 0.3), (0.2, 0.2), **given),
    alternatives=(shears(1.0), shears(-1.0)),
)
all_forms("perspective_never", lambda **given: L.RandomPerspective(0.0, **given))
all_forms("perspective_without_scale", lambda **given: L.RandomPerspective((1.0, 1.0), scale=0.0, **given))
for height, width in ((6, 9), (4, 12), (8, 12), (8, 5), (9, 6)):
    all_forms(f"crop_{height}_{width}", lambda **given: L.RandomCrop(height, width, seed=1, **given))
for height, width in ((6, 9), (4, 5), (3, 8), (8, 12), (4, 12), (12, 4)):
    all_forms(f"center_crop_{height}_{width}", lambda **given: L.CenterCrop(height, width, **given))
for height, width in ((6, 9), (4, 5), (13, 7), (3, 20)):
    for name, options in (("", {}), ("_cut", {"crop_to_aspect_ratio": True}), ("_padded", {"pad_to_aspect_ratio": True})):
        # Keras cannot pad integers.
        all_forms(
            f"resizing_{height}_{width}{name}",
            lambda **given: L.Resizing(height, width, **options, **given),
            mask_dtype="float32" if "pad_to_aspect_ratio" in options else "int32",
        )
all_forms("elastic_never", lambda **given: L.RandomElasticTransform(0.0, **given))
case("elastic_masks", lambda: L.RandomElasticTransform(1e-30), without=("boxes", "classes"), mask_dtype="float32")
case("elastic_not_in_training", lambda: L.RandomElasticTransform(), training=False, without=("boxes", "classes"))
all_forms("erasing_never", lambda **given: L.RandomErasing((0.0, 0.0), **given))
all_forms("max_num_2", lambda **given: L.MaxNumBoundingBoxes(2, **given))
all_forms("max_num_7", lambda **given: L.MaxNumBoundingBoxes(7, fill_value=-1, **given))
all_forms("clahe", lambda **given: L.ContrastLimitedAdaptiveHistogramEqualization(tile_grid_size=(2, 3), **given))
case(
    "clahe_masks_not_in_training",
    lambda: L.ContrastLimitedAdaptiveHistogramEqualization(tile_grid_size=(2, 3)),
    training=False,
    only=("images", "segmentation_masks"),
)
case("cut_mix_not_in_training", lambda: L.CutMix(), training=False, without=("boxes", "classes"))
case("cut_mix_boxes", lambda: L.CutMix(bounding_box_format="xyxy"))
case("mix_up_not_in_training", lambda: L.MixUp(bounding_box_format="xyxy"), training=False)
case("rand_augment_of_nothing", lambda: L.RandAugment(num_ops=0, bounding_box_format="xyxy"))
case("rand_augment_not_in_training", lambda: L.RandAugment(bounding_box_format="xyxy"), training=False)
case("aug_mix_not_in_training", lambda: L.AugMix(bounding_box_format="xyxy"), training=False)
COLOURS = {
    "auto_contrast": L.AutoContrast,
    "equalization": L.Equalization,
    "brightness": lambda **given: L.RandomBrightness((0.2, 0.2), **given),
    "contrast": lambda **given: L.RandomContrast((-0.3, 0.3), seed=3, **given),
    "grayscale": lambda **given: L.RandomGrayscale(1.0, **given),
    "invert": lambda **given: L.RandomInvert((1.0, 1.0), **given),
    "posterization": lambda **given: L.RandomPosterization((3, 3), **given),
    "sharpness": lambda **given: L.RandomSharpness((0.8, 0.8), **given),
    "color_degeneration": lambda **given: L.RandomColorDegeneration((0.5, 0.5), **given),
    "gaussian_blur": lambda **given: L.RandomGaussianBlur((1.0, 1.0), 3, (0.7, 0.7), **given),
    "solarization": lambda **given: L.Solarization(**given),
    "hue_of_nothing": lambda **given: L.RandomHue((0.0, 0.0), **given),
    "saturation": lambda **given: L.RandomSaturation((0.3, 0.3), **given),
    "color_jitter": lambda **given: L.RandomColorJitter(brightness_factor=(0.1, 0.1), saturation_factor=(0.4, 0.4), **given),
}
for name, make in COLOURS.items():
    for training in (True, False):
        case(f"{name}_{training}", lambda: make(bounding_box_format="xywh"), "xywh", training=training)
    case(f"{name}_without_format", make)
case("flip_without_classes", lambda: L.RandomFlip(bounding_box_format="xyxy"), without=("classes",))
case("square_translation", lambda: L.RandomTranslation(0.0, 0.0, bounding_box_format="rel_xywh"), "rel_xywh", size=(7, 7))
golden.save()
