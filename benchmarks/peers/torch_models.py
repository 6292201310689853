"""The workloads' models in PyTorch."""

import torch
from torch import nn

import measurement


def mnist_cnn():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(64, 64, 3),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(576, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    ).to(memory_format=torch.channels_last)


def convolution(channels, filters, size, stride):
    return nn.Sequential(
        nn.Conv2d(channels, filters, size, stride, padding=size // 2, bias=False), nn.BatchNorm2d(filters)
    )


class Block(nn.Module):
    def __init__(self, channels, filters, stride):
        super().__init__()
        self.first = convolution(channels, filters, 3, stride)
        self.second = convolution(filters, filters, 3, 1)
        self.shortcut = nn.Identity() if stride == 1 else convolution(channels, filters, 1, stride)

    def forward(self, x):
        y = torch.relu_(self.first(x))
        return torch.relu_(self.second(y) + self.shortcut(x))


def resnet20():
    """ResNet-20 for 32x32 images (He et al. 2015), its shortcuts with projections (option B)."""
    layers = [convolution(3, 16, 3, 1), nn.ReLU(inplace=True)]
    channels = 16
    for filters in (16, 32, 64):
        for _ in range(3):
            layers.append(Block(channels, filters, 1 if filters == channels else 2))
            channels = filters
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)]
    return nn.Sequential(*layers).to(memory_format=torch.channels_last)


def mlp():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


def text():
    # The embedding and its mean in one; initialized as in Keras.
    embedding = nn.EmbeddingBag(measurement.WORDS, 64, mode="mean")
    nn.init.uniform_(embedding.weight, -0.05, 0.05)
    return nn.Sequential(embedding, nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
