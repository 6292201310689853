"""The models of images, and with convolutions in one and three dimensions, in PyTorch."""

import torch
import torchvision
from torch import nn


def two_convolutions(channels, filters):
    layers = []
    for count in (channels, filters):
        layers += [nn.Conv2d(count, filters, 3, padding=1, bias=False), nn.BatchNorm2d(filters), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers)


class UNet(nn.Module):
    """Ronneberger et al. 2015 with 32 to 256 filters."""

    def __init__(self):
        super().__init__()
        filters = (32, 64, 128)
        self.down = nn.ModuleList(two_convolutions(a, b) for a, b in zip((3, *filters), filters))
        self.bottom = two_convolutions(128, 256)
        self.enlarge = nn.ModuleList(nn.ConvTranspose2d(2 * count, count, 2, stride=2) for count in reversed(filters))
        self.up = nn.ModuleList(two_convolutions(2 * count, count) for count in reversed(filters))
        self.head = nn.Conv2d(32, 10, 1)

    def forward(self, x):
        skipped = []
        for layer in self.down:
            skipped.append(layer(x))
            x = nn.functional.max_pool2d(skipped[-1], 2)
        x = self.bottom(x)
        for enlarge, layer in zip(self.enlarge, self.up):
            x = layer(torch.cat([skipped.pop(), enlarge(x)], 1))
        return self.head(x)


def stack(convolution, pooling, mean, channels, filters, size):
    layers = []
    for count in filters:
        layers += [convolution(channels, count, size, padding="same"), nn.ReLU(inplace=True), pooling(2)]
        channels = count
    return nn.Sequential(*layers, mean(1), nn.Flatten(), nn.Linear(channels, 10))


def conv1d():
    return stack(nn.Conv1d, nn.MaxPool1d, nn.AdaptiveAvgPool1d, 16, (64, 128, 256), 5)


def conv3d():
    return stack(nn.Conv3d, nn.MaxPool3d, nn.AdaptiveAvgPool3d, 3, (32, 64, 128), 3)


MODELS = {
    "MobileNetV2": torchvision.models.mobilenet_v2,
    "ResNet-50": torchvision.models.resnet50,
    "EfficientNetB0": torchvision.models.efficientnet_b0,
    "U-Net": UNet,
    "Conv1D": conv1d,
    "Conv3D": conv3d,
}


def make(name):
    """The model, and the memory format that is fastest for it."""
    model = MODELS[name]()
    formats = {"Conv1D": torch.contiguous_format, "Conv3D": torch.channels_last_3d}
    memory_format = formats.get(name, torch.channels_last)
    return model.to(memory_format=memory_format), memory_format
