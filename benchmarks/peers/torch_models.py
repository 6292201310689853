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


def last_steps(x):
    """The number of steps of each sequence, without the zeros behind them."""
    return (x != 0).any(-1).sum(1)


class Recurrent(nn.Module):
    """A recurrent layer and a dense one. Padded sequences are packed, or computed to the end and cut off."""

    def __init__(self, kind, is_masked=False, is_packed=False):
        super().__init__()
        features = measurement.SEQUENCE_SHAPE[1]
        self.layer = getattr(nn, kind)(features, measurement.RECURRENT_UNITS, batch_first=True)
        self.head = nn.Linear(measurement.RECURRENT_UNITS, 1)
        self.is_masked = is_masked
        self.is_packed = is_packed

    def forward(self, x):
        if self.is_packed:
            packed = nn.utils.rnn.pack_padded_sequence(x, last_steps(x), batch_first=True, enforce_sorted=False)
            states = self.layer(packed)[1]
            return self.head((states[0] if isinstance(states, tuple) else states)[0])
        outputs = self.layer(x)[0]
        if not self.is_masked:
            return self.head(outputs[:, -1])
        return self.head(outputs[torch.arange(len(x)), last_steps(x) - 1])


class MinimalGatedUnit(nn.Module):
    """Zhou et al. 2016, step by step. The products of the inputs are one."""

    def __init__(self):
        super().__init__()
        units = measurement.RECURRENT_UNITS
        self.inputs = nn.Linear(measurement.SEQUENCE_SHAPE[1], 2 * units)
        self.gate = nn.Linear(units, units, bias=False)
        self.candidate = nn.Linear(units, units, bias=False)
        self.head = nn.Linear(units, 1)
        self.units = units

    def forward(self, x):
        projected = self.inputs(x)
        h = torch.zeros(x.shape[0], self.units)
        for step in range(x.shape[1]):
            forget_input, candidate_input = projected[:, step].chunk(2, 1)
            forget = torch.sigmoid(forget_input + self.gate(h))
            candidate = torch.tanh(candidate_input + self.candidate(forget * h))
            h = h + forget * (candidate - h)
        return self.head(h)


class ConvLSTM(nn.Module):
    """The convolutions of the inputs are one for all steps."""

    def __init__(self):
        super().__init__()
        channels, filters = measurement.CONV_LSTM_SHAPE[-1], measurement.CONV_LSTM_FILTERS
        self.inputs = nn.Conv2d(channels, 4 * filters, 3, padding=1).to(memory_format=torch.channels_last)
        self.states = nn.Conv2d(filters, 4 * filters, 3, padding=1, bias=False).to(memory_format=torch.channels_last)
        self.head = nn.Linear(filters, 1)
        self.filters = filters

    def forward(self, x):
        batch, steps, channels, height, width = x.shape
        # The steps first, so that those of one step are together.
        images = x.transpose(0, 1).reshape(steps * batch, channels, height, width)
        projected = self.inputs(images.contiguous(memory_format=torch.channels_last)).chunk(steps)
        h = torch.zeros(batch, self.filters, height, width).contiguous(memory_format=torch.channels_last)
        c = h
        for step in projected:
            i, f, g, o = (step + self.states(h)).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return self.head(h.mean((2, 3)))
