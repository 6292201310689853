"""Layers that change images at random: trained without a difference where their ranges are single numbers, else compared
by the distribution of losses."""

from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import numbers
from samples import pixels

ALL_FORMATS = ("keras", "h5", "weights.h5")


def augmentation_case(name, *make_layers, **arguments):
    def make():
        layers = [L.Conv2D(4, 3, strides=2, activation="relu"), L.GlobalAveragePooling2D(), L.Dense(4)]
        model = Sequential([Input((9, 8, 3)), *(make_layer() for make_layer in make_layers), *layers])
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.SGD(0.02, momentum=0.5), loss, metrics=["accuracy"])
        return model

    arguments.setdefault("formats", ALL_FORMATS)
    # Older versions transform otherwise, and have other arguments.
    case(
        f"preprocessing/augmentation/{name}",
        pixels(9, 8, 3),
        classes(4),
        steps=8,
        since=(3, 15),
        in_tf_keras=False,
        **arguments,
    )(make)


augmentation_case(
    "single_numbers",
    lambda: L.RandomRotation((0.1, 0.1), fill_mode="constant", fill_value=0.5),
    lambda: L.RandomZoom((-0.2, -0.2), (0.1, 0.1), seed=3),
    lambda: L.RandomTranslation((0.1, 0.1), (-0.2, -0.2), fill_mode="wrap"),
    lambda: L.RandomPerspective(0.0),
    lambda: L.RandomErasing(0.0),
)
augmentation_case(
    "tutorial",
    lambda: L.RandomFlip("horizontal"),
    lambda: L.RandomRotation(0.1),
    lambda: L.RandomZoom(0.1),
    is_random=True,
)
augmentation_case("flip", lambda: L.RandomFlip(seed=4, data_format="channels_last"), is_random=True)
augmentation_case("translation", lambda: L.RandomTranslation(0.2, (0.0, 0.3), interpolation="nearest"), is_random=True)
augmentation_case("shear", lambda: L.RandomShear((0.1, 0.3), (0.0, 0.2)), is_random=True)
augmentation_case("perspective", lambda: L.RandomPerspective(0.8, 0.4), is_random=True)
# In predictions images are not cropped, by either side.
augmentation_case("crop", lambda: L.RandomCrop(6, 7), is_random=True)
augmentation_case("erasing", lambda: L.RandomErasing((0.5, 0.8), value_range=(0, 1)), is_random=True)


@case(
    "preprocessing/augmentation/objects",
    {"images": numbers(9, 8, 3), "boxes": numbers(3, 4), "classes": numbers(3)},
    {"moved": numbers(3, 4, scale=0.0), "kept": numbers(3, scale=0.0), "head": numbers(2)},
    steps=8,
    since=(3, 15),
    in_tf_keras=False,
)
def objects():
    """Boxes and their labels are moved with the images."""
    shapes = {"images": (9, 8, 3), "boxes": (3, 4), "classes": (3,)}
    inputs = {name: Input(shape, name=name) for name, shape in shapes.items()}
    data = {"images": inputs["images"], "bounding_boxes": {"boxes": inputs["boxes"], "labels": inputs["classes"]}}
    for layer in (
        L.RandomTranslation((0.1, 0.1), (-0.2, -0.2), bounding_box_format="rel_xywh"),
        L.RandomZoom((-0.2, -0.2), (0.1, 0.1), bounding_box_format="rel_xywh"),
        L.AutoContrast(value_range=(-4, 4), bounding_box_format="rel_xywh"),
    ):
        data = layer(data)
    moved = L.Rescaling(2.0, name="moved")(data["bounding_boxes"]["boxes"])
    kept = L.Rescaling(0.5, name="kept")(data["bounding_boxes"]["labels"])
    head = L.Dense(2, name="head")(L.Flatten()(L.Conv2D(3, 3)(data["images"])))
    model = Model(inputs, {"moved": moved, "kept": kept, "head": head})
    model.compile(keras.optimizers.SGD(0.02), loss={"moved": "mse", "kept": "mse", "head": "mse"})
    return model
