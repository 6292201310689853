"""Models of keras.applications as features of others, and their preprocessing of images.

The features are frozen, as in transfer learning: trained together, small errors would grow with the normalization of so
many layers.
"""

import sys

import numpy as np
from cases import case
from library import Input
from library import Model
from library import keras
from library import layers as L
from samples import classes
from samples import numbers
from samples import pixels
from stochastic_cases import measured
from stochastic_cases import ones
from stochastic_cases import zeros

SHAPE = (32, 32, 3)
KEPT = 0.1


def compiled(inputs, outputs):
    model = Model(inputs, outputs)
    model.compile(keras.optimizers.Adam(1e-3), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def calibrated(model, x=None):
    """With the statistics of random images in its normalizations: otherwise the features would be nearly zero. A part of
    the variance of 1 stays, so that small errors do not grow."""
    normalizations = [layer for layer in model.layers if isinstance(layer, L.BatchNormalization)]
    momenta = [layer.momentum for layer in normalizations]
    for layer in normalizations:
        layer.momentum = KEPT
    model((x or numbers(*SHAPE))(np.random.default_rng(1), 16), training=True)
    for layer, momentum in zip(normalizations, momenta):
        layer.momentum = momentum
    return model


def frozen_case(name, make_features, x=None, formats=("keras", "h5", "weights.h5"), **arguments):
    def make():
        features = calibrated(make_features(), x)
        features.trainable = False
        images = Input(SHAPE)
        return compiled(images, L.Dense(4)(features(images)))

    x = x or numbers(*SHAPE)
    case(f"applications/{name}", x, classes(4), formats=formats, is_disturbed=False, steps=8, **arguments)(make)


def features_of(application, **arguments):
    return lambda: application(input_shape=SHAPE, include_top=False, weights=None, **arguments)


APPLICATIONS = keras.applications
frozen_case("mobilenet", features_of(APPLICATIONS.MobileNet, alpha=0.25, pooling="avg"))
frozen_case(
    "mobilenet_multiplied", features_of(APPLICATIONS.MobileNet, alpha=0.25, depth_multiplier=2, pooling="max")
)
frozen_case("mobilenet_v2", features_of(APPLICATIONS.MobileNetV2, alpha=0.35, pooling="avg"))
# Keras does not read its own `.h5` files with operations.
V3_FORMATS = ("keras", "weights.h5")
frozen_case(
    "mobilenet_v3_small",
    features_of(APPLICATIONS.MobileNetV3Small, alpha=0.35, pooling="avg"),
    x=pixels(*SHAPE),
    formats=V3_FORMATS,
)
frozen_case(
    "mobilenet_v3_minimalistic",
    features_of(APPLICATIONS.MobileNetV3Small, alpha=0.35, minimalistic=True, pooling="max"),
    x=pixels(*SHAPE),
)


def module_of(application):
    """The module with the function that makes all models of that kind."""
    return sys.modules[application.__module__]


def small_features_of(make, *sizes, **arguments):
    return lambda: make(*sizes, input_shape=SHAPE, include_top=False, weights=None, **arguments)


# Small ones without dropout, and one of Keras's sizes of each kind, whose features are drawn in training.
OF_PIXELS = {"x": pixels(*SHAPE)}
OF_KERAS = {**OF_PIXELS, "formats": ("keras",)}
EFFICIENT_NET = module_of(APPLICATIONS.EfficientNetB0).EfficientNet
EFFICIENT_NET_V2 = module_of(APPLICATIONS.EfficientNetV2B0).EfficientNetV2
SMALL = {"drop_connect_rate": 0.0, "pooling": "max"}
frozen_case("efficientnet", small_features_of(EFFICIENT_NET, 0.25, 0.4, 32, **SMALL), **OF_PIXELS)
frozen_case(
    "efficientnet_v2",
    small_features_of(EFFICIENT_NET_V2, 0.25, 0.4, 32, name="efficientnetv2-b0", **SMALL),
    **OF_PIXELS,
)
frozen_case("efficientnet_b0", features_of(APPLICATIONS.EfficientNetB0, pooling="avg"), is_random=True, **OF_KERAS)
frozen_case("efficientnet_v2_b0", features_of(APPLICATIONS.EfficientNetV2B0, pooling="avg"), is_random=True, **OF_KERAS)

# Keras does not read its own `.h5` files with these layers, and tf.keras writes its variables otherwise.
CONV_NEXT = module_of(APPLICATIONS.ConvNeXtTiny)
CONV_NEXT_FILES = {"formats": V3_FORMATS, "in_tf_keras": False}
CONV_NEXT_SIZES = ([1, 1, 2, 1], [8, 12, 16, 24])


def small_convnext(**arguments):
    # Keras's scales of 1e-6 would leave little of the layers before them.
    arguments = {"layer_scale_init_value": 0.5, "pooling": "avg", **arguments}
    return small_features_of(CONV_NEXT.ConvNeXt, *CONV_NEXT_SIZES, **arguments)


frozen_case("convnext", small_convnext(), **OF_PIXELS, **CONV_NEXT_FILES)
frozen_case(
    "convnext_tiny", features_of(APPLICATIONS.ConvNeXtTiny, pooling="max"), **{**CONV_NEXT_FILES, **OF_KERAS}
)


@case("applications/convnext_trained", numbers(*SHAPE), classes(4), steps=8, **CONV_NEXT_FILES)
def convnext_trained():
    images = Input(SHAPE)
    features = small_convnext(include_preprocessing=False)()
    model = Model(images, L.Dense(4)(features(images)))
    model.compile(keras.optimizers.SGD(0.02), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


@case(
    "applications/stochastic_depth",
    ones(6, 10),
    [zeros(6, 10), numbers(1)],
    is_random=True,
    steps=10,
    **CONV_NEXT_FILES,
)
def stochastic_depth():
    inputs = Input((6, 10))
    return measured(inputs, CONV_NEXT.StochasticDepth(0.3, name="dropped")(inputs))


@case("applications/classifier", numbers(*SHAPE), classes(5), is_disturbed=False, steps=8)
def classifier():
    """A whole model whose last layer is trained."""
    model = calibrated(APPLICATIONS.MobileNet(input_shape=SHAPE, alpha=0.25, dropout=0.0, weights=None, classes=5))
    for layer in model.layers[:-3]:
        layer.trainable = False
    model.compile(keras.optimizers.SGD(0.05), "sparse_categorical_crossentropy")
    return model


def preprocessing_case(mode):
    @case(f"applications/preprocessing_{mode}", pixels(6, 5, 3), classes(3), formats=("keras", "weights.h5"), steps=8)
    def make():
        images = Input((6, 5, 3))
        x = APPLICATIONS.imagenet_utils.preprocess_input(images, mode=mode)
        x = L.GlobalAveragePooling2D()(L.Conv2D(4, 3, activation="tanh")(x))
        return compiled(images, L.Dense(3)(x))


for image_mode in ("tf", "caffe", "torch"):
    preprocessing_case(image_mode)
