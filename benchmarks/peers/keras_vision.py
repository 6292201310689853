"""The models of images, and with convolutions in one and three dimensions, in Keras."""

import keras
from keras import layers


def application(name):
    return lambda: getattr(keras.applications, name)(weights=None, classifier_activation=None)


def two_convolutions(x, filters):
    for _ in range(2):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = layers.ReLU()(layers.BatchNormalization()(x))
    return x


def unet():
    """Ronneberger et al. 2015 with 32 to 256 filters."""
    inputs = x = keras.Input((128, 128, 3))
    skipped = []
    for filters in (32, 64, 128):
        skipped.append(two_convolutions(x, filters))
        x = layers.MaxPooling2D()(skipped[-1])
    x = two_convolutions(x, 256)
    for filters in (128, 64, 32):
        x = layers.Conv2DTranspose(filters, 2, 2)(x)
        x = two_convolutions(layers.concatenate([skipped.pop(), x]), filters)
    return keras.Model(inputs, layers.Conv2D(10, 1)(x))


def stack(shape, convolution, pooling, mean, filters, size):
    model = keras.Sequential([keras.Input(shape)])
    for count in filters:
        model.add(convolution(count, size, padding="same", activation="relu"))
        model.add(pooling())
    model.add(mean())
    model.add(layers.Dense(10))
    return model


def conv1d():
    parts = (layers.Conv1D, layers.MaxPooling1D, layers.GlobalAveragePooling1D)
    return stack((1024, 16), *parts, (64, 128, 256), 5)


def conv3d():
    parts = (layers.Conv3D, layers.MaxPooling3D, layers.GlobalAveragePooling3D)
    return stack((16, 32, 32, 3), *parts, (32, 64, 128), 3)


MODELS = {
    "MobileNetV2": application("MobileNetV2"),
    "ResNet-50": application("ResNet50"),
    "EfficientNetB0": application("EfficientNetB0"),
    "U-Net": unet,
    "Conv1D": conv1d,
    "Conv3D": conv3d,
}


def make(name, **options):
    model = MODELS[name]()
    model.compile(
        keras.optimizers.SGD(0.01, momentum=0.9),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        **options,
    )
    return model
