"""Layers that change the colours of images: with ranges of one number, and with random numbers."""

from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import numbers
from samples import one_hot
from samples import pixels

NEWEST = {"since": (3, 15), "in_tf_keras": False}


def compiled(model, loss="mse", **arguments):
    model.compile(keras.optimizers.SGD(0.02, momentum=0.5), loss, **arguments)
    return model


def classifier(layers, shape, dtype):
    layers = [
        Input(shape, dtype=dtype),
        *layers,
        L.Rescaling(1 / 255),
        L.Conv2D(4, 3, strides=2, activation="relu"),
        L.GlobalAveragePooling2D(),
        L.Dense(4),
    ]
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    return compiled(Sequential(layers), loss, metrics=["accuracy"])


def first_layer(name, make_layer, dtype="float32", shape=(8, 9, 3), **arguments):
    """The first layer of a model of images, of bytes."""

    def make():
        return classifier([make_layer()], shape, dtype)

    arguments = {"formats": formats_in_turn(), "steps": 8} | NEWEST | arguments
    case(f"colours/{name}", pixels(8, 9, 3, dtype=dtype), classes(4), **arguments)(make)


ALL_FORMATS = ("keras", "h5", "weights.h5")
Clahe = L.__dict__.get("ContrastLimitedAdaptiveHistogramEqualization")

# Keras leaves the layer out of models: the result of a symbolic call is the input tensor itself, from which the model does
# not reach the layer. Predictions, in which it changes nothing, are equal; trained, the models see other images.
first_layer("equalization", lambda: L.Equalization(), formats=ALL_FORMATS, trains_alike_since=(99, 0))
first_layer("auto_contrast", lambda: L.AutoContrast(value_range=(0, 255)))
first_layer("clahe", lambda: Clahe(tile_grid_size=(2, 3), clip_limit=2.0))
first_layer("brightness", lambda: L.RandomBrightness((0.2, 0.2)), since=(3, 0))
first_layer("contrast", lambda: L.RandomContrast((-0.3, 0.3), seed=3))
first_layer("saturation", lambda: L.RandomSaturation((0.3, 0.3)))
first_layer("grayscale", lambda: L.RandomGrayscale(1.0))
first_layer("invert", lambda: L.RandomInvert((1.0, 1.0)), dtype="uint8", shape=(None, None, 3))
first_layer("posterization", lambda: L.RandomPosterization((3, 3)))
first_layer("posterization_integers", lambda: L.RandomPosterization((3, 3)), dtype="uint8")
first_layer("sharpness", lambda: L.RandomSharpness((0.8, 0.8)), dtype="uint8")
first_layer("color_degeneration", lambda: L.RandomColorDegeneration((0.5, 0.5)))
first_layer("gaussian_blur", lambda: L.RandomGaussianBlur((1.0, 1.0), 3, (0.7, 0.7)))
first_layer("solarization", lambda: L.Solarization(value_range=(0, 255)))
first_layer(
    "color_jitter",
    lambda: L.RandomColorJitter(brightness_factor=(0.1, 0.1), contrast_factor=(-0.2, 0.2), saturation_factor=(0.4, 0.4)),
)
first_layer("rand_augment_of_nothing", lambda: L.RandAugment(num_ops=0))
first_layer("aug_mix_of_nothing", lambda: L.AugMix(chain_depth=0, seed=1))
first_layer("cut_mix_of_nothing", lambda: L.CutMix(), batch_size=1, dtype="uint8")
first_layer(
    "pipeline", lambda: L.Pipeline([L.RandomBrightness((0.2, 0.2)), L.AutoContrast(), L.RandomInvert((1.0, 1.0))])
)


@case("colours/pipeline_of_weights", pixels(8, 9, 3), classes(4), steps=8, formats=("keras", "weights.h5"), **NEWEST)
def pipeline_of_weights():
    """Keras finds no layers inside a Pipeline in an .h5 file."""
    chain = L.Pipeline([L.Solarization(), L.Rescaling(1 / 50), L.Conv2D(3, 3, activation="tanh"), L.Conv2D(2, 3)])
    return classifier([chain, L.Rescaling(200.0)], (8, 9, 3), "float32")


@case("colours/between_convolutions", numbers(8, 9, 3), numbers(2), steps=8, **NEWEST)
def between_convolutions():
    inputs = Input((8, 9, 3))
    y = L.Conv2D(3, 3, padding="same", activation="sigmoid")(inputs)
    y = L.RandomBrightness((0.1, 0.1), value_range=(0, 1))(y)
    y = L.RandomContrast((-0.2, 0.2), value_range=(0, 1))(y)
    y = L.RandomSharpness((0.7, 0.7), value_range=(0, 1))(y)
    y = L.RandomGaussianBlur((1.0, 1.0), (5, 3), (0.9, 0.9), value_range=(0, 1))(y)
    y = L.RandomColorDegeneration((0.4, 0.4), value_range=(0, 1))(y)
    y = L.RandomInvert((1.0, 1.0), value_range=(0, 1))(y)
    return compiled(Model(inputs, L.Dense(2)(L.Flatten()(y))))


@case("colours/training_argument", pixels(8, 9, 3), classes(4), steps=8, **NEWEST)
def training_argument():
    """Calls that say what they are."""
    inputs = Input((8, 9, 3))
    y = L.RandomBrightness((0.2, 0.2))(inputs, training=False)
    y = L.AutoContrast()(L.RandomInvert((1.0, 1.0))(y, training=True))
    y = L.Dense(4)(L.GlobalAveragePooling2D()(L.Conv2D(4, 3, activation="relu")(L.Rescaling(1 / 255)(y))))
    return compiled(Model(inputs, y), keras.losses.SparseCategoricalCrossentropy(from_logits=True))


# Random numbers.


def random_layer(name, make_layer, dtype="float32"):
    """The mean and the deviation of the changed values are the metrics of the first output."""

    @case(
        f"colours/random_{name}",
        pixels(6, 7, 3, dtype=dtype),
        [numbers(6, 7, 3, scale=0.0), numbers(1)],
        is_random=True,
        steps=8,
        formats=formats_in_turn(),
        **NEWEST,
    )
    def make():
        inputs = Input((6, 7, 3), dtype=dtype)
        changed = L.Rescaling(1 / 255, name="changed")(make_layer()(inputs))
        model = Model(inputs, [changed, L.Dense(1, name="head")(L.Flatten()(changed))])
        model.compile(keras.optimizers.SGD(0.02), loss=["mse", "mse"], metrics=[["mae", "mse"], []])
        return model


random_layer("brightness", lambda: L.RandomBrightness(0.3))
random_layer("contrast", lambda: L.RandomContrast(0.4))
random_layer("hue", lambda: L.RandomHue((0.1, 0.6)))
random_layer("saturation", lambda: L.RandomSaturation((0.2, 0.5)))
random_layer("grayscale", lambda: L.RandomGrayscale(0.4))
random_layer("invert", lambda: L.RandomInvert(0.6))
random_layer("posterization", lambda: L.RandomPosterization((1, 4)))
random_layer("sharpness", lambda: L.RandomSharpness((0.2, 1.0)))
random_layer("color_degeneration", lambda: L.RandomColorDegeneration(0.8))
random_layer("gaussian_blur", lambda: L.RandomGaussianBlur(0.9, 3, (0.3, 1.0)))
random_layer("solarization", lambda: L.Solarization(addition_factor=(0.1, 0.4), threshold_factor=(0.2, 0.9)))
random_layer("solarization_integers", lambda: L.Solarization(threshold_factor=0.8), dtype="uint8")
random_layer("color_jitter", lambda: L.RandomColorJitter((0, 255), 0.2, 0.3, (0.3, 0.5), 0.2))
random_layer("mix_up", lambda: L.MixUp(alpha=0.6))
random_layer("cut_mix", lambda: L.CutMix())
random_layer("rand_augment", lambda: L.RandAugment(num_ops=1, factor=(0.1, 0.3)))
random_layer("pipeline", lambda: L.Pipeline([L.RandomInvert(0.6), L.Dropout(0.2)]))


@case(
    "colours/labels",
    {"images": numbers(6, 7, 3), "labels": one_hot(4)},
    {"mixed": numbers(4, scale=0.0), "head": numbers(2)},
    is_random=True,
    steps=8,
    **NEWEST,
)
def labels():
    """A layer that mixes images and labels."""
    inputs = {"images": Input((6, 7, 3), name="images"), "labels": Input((4,), name="labels")}
    mixed = L.MixUp(alpha=0.5)(inputs)
    y = L.Dense(2, name="head")(L.Flatten()(L.Conv2D(3, 3)(mixed["images"])))
    model = Model(inputs, {"mixed": L.Rescaling(2.0, name="mixed")(mixed["labels"]), "head": y})
    model.compile(keras.optimizers.SGD(0.02), loss={"mixed": "mse", "head": "mse"}, metrics={"mixed": ["mae"]})
    return model
