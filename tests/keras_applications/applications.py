"""The models of keras.applications that are compared, and which of them a run takes."""

import dataclasses
import hashlib


@dataclasses.dataclass(frozen=True)
class Application:
    name: str
    # Millions of parameters with 1000 classes and images of `size`.
    parameters: float
    # Width and height of images; those of the last features are at least 2.
    size: int = 64
    # Seconds on two cores, all parts together.
    seconds: int = 60
    # The values of images: 0 to 255 where the model scales them itself, otherwise normal ones.
    takes_pixels: bool = False


# The smallest first.
ALL = (
    Application("MobileNetV3Small", 2.6, takes_pixels=True),
    Application("MobileNetV2", 3.5),
    Application("MobileNet", 4.3),
    Application("EfficientNetB0", 5.3, takes_pixels=True),
    Application("NASNetMobile", 5.3),
    Application("MobileNetV3Large", 5.5, takes_pixels=True),
    Application("EfficientNetV2B0", 7.2, takes_pixels=True),
    Application("EfficientNetB1", 7.9, takes_pixels=True),
    Application("DenseNet121", 8.1),
    Application("EfficientNetV2B1", 8.2, takes_pixels=True),
    Application("EfficientNetB2", 9.2, takes_pixels=True),
    Application("EfficientNetV2B2", 10.2, takes_pixels=True),
    Application("EfficientNetB3", 12.3, takes_pixels=True),
    Application("DenseNet169", 14.3),
    Application("EfficientNetV2B3", 14.5, takes_pixels=True),
    Application("EfficientNetB4", 19.5, takes_pixels=True),
    Application("DenseNet201", 20.2),
    Application("EfficientNetV2S", 21.6, takes_pixels=True),
    Application("Xception", 22.9, size=71),
    Application("InceptionV3", 23.9, size=107),
    Application("ResNet50", 25.6),
    Application("ResNet50V2", 25.6),
    Application("ConvNeXtTiny", 28.6, takes_pixels=True),
    Application("EfficientNetB5", 30.6, takes_pixels=True),
    Application("EfficientNetB6", 43.3, takes_pixels=True),
    Application("VGG16", 44.0),
    Application("ResNet101", 44.7),
    Application("ResNet101V2", 44.7),
    Application("VGG19", 49.3),
    Application("ConvNeXtSmall", 50.2, takes_pixels=True),
    Application("EfficientNetV2M", 54.4, takes_pixels=True),
    Application("InceptionResNetV2", 55.9, size=107),
    Application("ResNet152", 60.4),
    Application("ResNet152V2", 60.4),
    Application("EfficientNetB7", 66.7, takes_pixels=True),
    Application("ConvNeXtBase", 88.6, takes_pixels=True),
    Application("NASNetLarge", 88.9),
    Application("EfficientNetV2L", 119.0, takes_pixels=True),
    Application("ConvNeXtLarge", 197.8, takes_pixels=True),
    Application("ConvNeXtXLarge", 350.2, takes_pixels=True),
)


def share(applications, number, count):
    """Every `count`-th one from the `number`-th on: each share has small and large ones."""
    return applications[number - 1 :: count]


def within(applications, seconds, seed):
    """Those that fit into the time together, in an order that depends on the seed alone."""
    drawn = sorted(
        applications, key=lambda application: hashlib.sha256(f"{seed} {application.name}".encode()).hexdigest()
    )
    found = []
    for application in drawn:
        if application.seconds <= seconds:
            found.append(application)
            seconds -= application.seconds
    return [application for application in applications if application in found]
