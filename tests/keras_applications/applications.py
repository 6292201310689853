"""The models of keras.applications that are compared, and which of them a run takes."""

import dataclasses
import hashlib


@dataclasses.dataclass(frozen=True)
class Application:
    name: str
    # Millions of parameters with 1000 classes and images of `size`.
    parameters: float
    # About how long it takes on two cores, all parts together.
    seconds: int
    # Width and height of images; those of the last features are at least 2.
    size: int = 64
    # The values of images: 0 to 255 where the model scales them itself, otherwise normal ones.
    takes_pixels: bool = False


# The smallest first.
ALL = (
    Application("MobileNetV3Small", 2.6, seconds=15, takes_pixels=True),
    Application("MobileNetV2", 3.5, seconds=25),
    Application("MobileNet", 4.3, seconds=20),
    Application("EfficientNetB0", 5.3, seconds=25, takes_pixels=True),
    Application("NASNetMobile", 5.3, seconds=110),
    Application("MobileNetV3Large", 5.5, seconds=20, takes_pixels=True),
    Application("EfficientNetV2B0", 7.2, seconds=30, takes_pixels=True),
    Application("EfficientNetB1", 7.9, seconds=35, takes_pixels=True),
    Application("DenseNet121", 8.1, seconds=40),
    Application("EfficientNetV2B1", 8.2, seconds=40, takes_pixels=True),
    Application("EfficientNetB2", 9.2, seconds=40, takes_pixels=True),
    Application("EfficientNetV2B2", 10.2, seconds=45, takes_pixels=True),
    Application("EfficientNetB3", 12.3, seconds=50, takes_pixels=True),
    Application("DenseNet169", 14.3, seconds=60),
    Application("EfficientNetV2B3", 14.5, seconds=50, takes_pixels=True),
    Application("EfficientNetB4", 19.5, seconds=70, takes_pixels=True),
    Application("DenseNet201", 20.2, seconds=80),
    Application("EfficientNetV2S", 21.6, seconds=80, takes_pixels=True),
    Application("Xception", 22.9, seconds=60, size=71),
    Application("InceptionV3", 23.9, seconds=70, size=107),
    Application("ResNet50", 25.6, seconds=40),
    Application("ResNet50V2", 25.6, seconds=40),
    Application("ConvNeXtTiny", 28.6, seconds=75, takes_pixels=True),
    Application("EfficientNetB5", 30.6, seconds=100, takes_pixels=True),
    Application("EfficientNetB6", 43.3, seconds=130, takes_pixels=True),
    Application("VGG16", 44.0, seconds=35),
    Application("ResNet101", 44.7, seconds=80),
    Application("ResNet101V2", 44.7, seconds=80),
    Application("VGG19", 49.3, seconds=40),
    Application("ConvNeXtSmall", 50.2, seconds=120, takes_pixels=True),
    Application("EfficientNetV2M", 54.4, seconds=150, takes_pixels=True),
    Application("InceptionResNetV2", 55.9, seconds=180, size=107),
    Application("ResNet152", 60.4, seconds=120),
    Application("ResNet152V2", 60.4, seconds=120),
    Application("EfficientNetB7", 66.7, seconds=200, takes_pixels=True),
    Application("ConvNeXtBase", 88.6, seconds=200, takes_pixels=True),
    Application("NASNetLarge", 88.9, seconds=300),
    Application("EfficientNetV2L", 119.0, seconds=120, takes_pixels=True),
    Application("ConvNeXtLarge", 197.8, seconds=150, takes_pixels=True),
    Application("ConvNeXtXLarge", 350.2, seconds=240, takes_pixels=True),
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
