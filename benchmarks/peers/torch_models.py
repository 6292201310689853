"""The workloads' models in PyTorch."""

import torch
from torch import nn
from torch.nn import functional

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


def encoder():
    """A block of a Transformer's encoder, as PyTorch has it."""
    return nn.TransformerEncoderLayer(
        measurement.ENCODER_SHAPE[1],
        measurement.ENCODER_HEADS,
        measurement.ENCODER_HIDDEN,
        dropout=0.0,
        batch_first=True,
    )


class Encoder(nn.Module):
    """The same from parts, without the code for masks, nested tensors and inference."""

    def __init__(self):
        super().__init__()
        width, hidden = measurement.ENCODER_SHAPE[1], measurement.ENCODER_HIDDEN
        self.projections = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.first_norm = nn.LayerNorm(width)
        self.hidden = nn.Linear(width, hidden)
        self.result = nn.Linear(hidden, width)
        self.second_norm = nn.LayerNorm(width)

    def forward(self, x):
        samples, positions, width = x.shape
        heads = measurement.ENCODER_HEADS
        projected = self.projections(x).view(samples, positions, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
        query, key, value = projected.unbind(0)
        attended = functional.scaled_dot_product_attention(query, key, value)
        y = self.first_norm(x + self.output(attended.transpose(1, 2).reshape(samples, positions, width)))
        return self.second_norm(y + self.result(torch.relu(self.hidden(y))))


class DecoderBlock(nn.Module):
    """Attention and two dense layers, each behind a normalization and added to its input. The keys and values of earlier
    positions are kept."""

    def __init__(self):
        super().__init__()
        width = measurement.DECODER_WIDTH
        self.heads = measurement.DECODER_HEADS
        self.first_norm = nn.LayerNorm(width)
        self.projections = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.second_norm = nn.LayerNorm(width)
        self.hidden = nn.Linear(width, 4 * width)
        self.result = nn.Linear(4 * width, width)
        shape = (1, self.heads, measurement.DECODER_CONTEXT, width // self.heads)
        self.register_buffer("keys", torch.zeros(shape))
        self.register_buffer("values", torch.zeros(shape))

    def attend(self, x, position: int):
        projected = self.projections(self.first_norm(x)).view(3, 1, self.heads, 1, -1)
        self.keys[:, :, position : position + 1] = projected[1]
        self.values[:, :, position : position + 1] = projected[2]
        keys = self.keys[:, :, : position + 1]
        values = self.values[:, :, : position + 1]
        return functional.scaled_dot_product_attention(projected[0], keys, values).view(1, -1)

    def attend_masked(self, x, position, is_known):
        """The same with a position that is a tensor, and the whole memory of keys and values."""
        projected = self.projections(self.first_norm(x)).view(3, 1, self.heads, 1, -1)
        self.keys.index_copy_(2, position, projected[1])
        self.values.index_copy_(2, position, projected[2])
        attended = functional.scaled_dot_product_attention(
            projected[0], self.keys, self.values, attn_mask=is_known
        )
        return attended.view(1, -1)

    def add(self, x, attended):
        y = x + self.output(attended)
        return y + self.result(torch.relu(self.hidden(self.second_norm(y))))


class Decoder(nn.Module):
    """The most probable character [1] after the one at a position."""

    def __init__(self):
        super().__init__()
        width, context = measurement.DECODER_WIDTH, measurement.DECODER_CONTEXT
        self.characters = nn.Embedding(measurement.CHARACTERS, width)
        self.positions = nn.Embedding(context, width)
        self.blocks = nn.ModuleList(DecoderBlock() for _ in range(measurement.DECODER_BLOCKS))
        self.norm = nn.LayerNorm(width)
        self.next = nn.Linear(width, measurement.CHARACTERS)
        self.register_buffer("numbers", torch.arange(context))

    def forward(self, character, position: int):
        x = self.characters(character) + self.positions.weight[position]
        for block in self.blocks:
            x = block.add(x, block.attend(x, position))
        return self.next(self.norm(x)).argmax(-1)


class MaskedDecoder(Decoder):
    """The same with a position [1] that is a tensor: all steps have the same shapes."""

    def forward(self, character, position):
        is_known = (self.numbers <= position).view(1, -1)
        x = self.characters(character) + self.positions(position)
        for block in self.blocks:
            x = block.add(x, block.attend_masked(x, position, is_known))
        return self.next(self.norm(x)).argmax(-1)
