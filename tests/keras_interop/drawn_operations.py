"""Draws operations on symbolic tensors at random. Used by drawn_cases.py.

They are continuous, since rounding would change the results of others abruptly, and finite for all arguments. Whatever
depends on the order of elements gets those of a tanh, where no two are equal.
"""

import numpy as np
from library import keras
from library import layers as L

ops = getattr(keras, "ops", None)


class Operations:
    """Applies operations chosen by the random generator of `layers`, a `drawn_layers.Layers`."""

    def __init__(self, layers):
        self.layers = layers

    def constant(self, *shape):
        """An array or a tensor of Keras's backend."""
        values = self.layers.rng.uniform(0.3, 1.5, shape).astype("float32")
        return ops.convert_to_tensor(values) if self.layers.chance(0.3) else values

    def kernel(self, x, *shape):
        """A constant of the dtype of x, which convolutions need, of a size that keeps results small."""
        values = self.constant(*shape) / 4.0
        return values.astype(x.dtype) if isinstance(values, np.ndarray) else ops.cast(values, x.dtype)

    def slice(self, length):
        """A slice that is not empty."""
        layers = self.layers
        start = layers.number(0, length - 1)
        stop = layers.number(start + 1, length)
        step = layers.pick([None, None, 1, 2, 3])
        if layers.chance(0.25):
            # The same elements from the end, and counted from there.
            return slice(stop - 1, start - 1 if start else None, layers.pick([-1, -1, -2]))
        if layers.chance(0.3):
            return slice(start - length, stop - length if stop < length else None, step)
        return slice(start or None, stop + (5 if stop == length and layers.chance(0.5) else 0), step)

    def indexed(self, x):
        """A part of the tensor; its rank may be another one, but is at least 2."""
        layers = self.layers
        rank = len(x.shape)
        key = [slice(None)]
        for length in x.shape[1:]:
            key.append(self.slice(length) if layers.chance(0.6) else slice(None))
        if rank > 2 and layers.chance(0.3):
            axis = layers.number(1, rank - 1)
            key[axis] = layers.number(-x.shape[axis], x.shape[axis] - 1)
        if layers.chance(0.2):
            # The trailing axes that are whole.
            while key[-1] == slice(None) and len(key) > 1:
                key.pop()
            key.append(...)
        elif layers.chance(0.15) and rank == 2:
            key.append(None)
        return x[tuple(key)]

    def ordered(self, x):
        """Elements of which no two are equal."""
        return self.layers.dense(units=x.shape[-1], activation="tanh")(x)

    def of_elements(self, x):
        """A function of each element."""
        layers = self.layers
        factor = float(np.float32(layers.rng.uniform(0.3, 1.5)))
        width = x.shape[-1]
        return layers.pick(
            [
                lambda: x**2,
                lambda: -x,
                lambda: 0.5 - x,
                lambda: x * 2,
                lambda: x / 3,
                lambda: 1.5 ** ops.tanh(x),
                lambda: factor * x + 1,
                lambda: 1 / (1.5 + x * x),
                lambda: abs(x) - factor,
                lambda: (x**2 + 1.0) ** 0.5,
                lambda: x + self.constant(width),
                lambda: x * self.constant(width),
                lambda: x - self.constant(1, width),
                lambda: ops.sin(factor * x),
                lambda: ops.cos(x),
                lambda: ops.tanh(x),
                lambda: ops.exp(-ops.square(x)),
                lambda: ops.log1p(ops.square(x)),
                lambda: ops.sqrt(ops.abs(x) + factor),
                lambda: ops.arctan(x),
                lambda: ops.arcsinh(x),
                lambda: ops.erf(x),
                lambda: ops.gelu(x),
                lambda: ops.silu(x),
                lambda: ops.sigmoid(x),
                lambda: ops.softplus(x),
                lambda: ops.relu(x),
                lambda: ops.leaky_relu(x, factor),
                lambda: ops.elu(x),
                lambda: ops.clip(x, -factor, 1.0),
                lambda: ops.maximum(x, -0.25),
                lambda: ops.minimum(factor, x),
                lambda: ops.where(x > 0.0, x, factor * x),
                lambda: ops.where(x >= 0, x, 0.0),
                lambda: ops.select([x > 0.0], [x], 2.0 * x),
                lambda: ops.logaddexp(x, factor),
                lambda: x * ops.stop_gradient(ops.sigmoid(x)),
            ]
        )()

    def of_axis(self, x):
        """Along or between axes, with a result of the same rank."""
        layers = self.layers
        rank = len(x.shape)
        axis = layers.pick([layers.number(1, rank - 1), -1])
        length = x.shape[axis]
        choices = [
            lambda: x - ops.mean(x, axis=axis, keepdims=True),
            lambda: x / (1.0 + ops.sum(x * x, axis=axis, keepdims=True)),
            lambda: ops.softmax(x, axis=axis),
            lambda: x - ops.logsumexp(x, axis=axis, keepdims=True),
            lambda: ops.cumsum(x, axis=axis),
            lambda: ops.flip(x, axis=axis) + x,
            lambda: ops.roll(x, layers.number(-2, 2), axis=axis),
            lambda: ops.concatenate([x, 0.5 * x], axis=axis),
            lambda: ops.repeat(x, 2, axis=axis),
            lambda: ops.tile(x, [1] * (rank - 1) + [2]),
            lambda: ops.pad(x, [[0, 0]] * (rank - 1) + [[1, layers.number(0, 2)]], constant_values=layers.pick([None, 0.5])),
            lambda: ops.take(x, [layers.number(-length, length - 1) for _ in range(layers.number(1, 4))], axis=axis),
            lambda: ops.sort(self.ordered(x), axis=axis),
            lambda: ops.top_k(self.ordered(x), layers.number(1, x.shape[-1]))[0],
            lambda: x - ops.max(self.ordered(x), axis=axis, keepdims=True),
            lambda: ops.std(self.ordered(x), axis=axis, keepdims=True) + x,
            lambda: ops.moments(x, axes=[axis], keepdims=True)[layers.number(0, 1)] * x,
            lambda: ops.matmul(x, self.constant(x.shape[-1], layers.number(1, 4))),
            lambda: ops.einsum("...i,ij->...j", x, self.constant(x.shape[-1], layers.number(1, 4))),
            lambda: ops.norm(ops.expand_dims(x, -1) + 0.1, axis=-1),
            lambda: ops.unstack(ops.stack([x, x * x], axis=axis), axis=axis)[1],
        ]
        if length % 2 == 0:
            choices.append(lambda: ops.multiply(*ops.split(x, 2, axis=axis)))
            choices.append(lambda: ops.split(x, [length // 2], axis=axis)[layers.number(0, 1)])
        if rank == 3:
            choices += [
                lambda: ops.transpose(x, (0, 2, 1)),
                lambda: ops.swapaxes(x, 1, -1),
                lambda: ops.matmul(x, ops.transpose(x, (0, 2, 1))),
                lambda: ops.einsum("bij,bik->bjk", x, x),
                lambda: ops.reshape(x, (-1, 1, x.shape[1] * x.shape[2])),
                lambda: ops.tril(x),
            ]
        if rank > 2:
            choices += self.of_windows(x)
        return layers.pick(choices)()

    def of_windows(self, x):
        """Convolutions and pooling of sequences, images and volumes, which fit any length."""
        layers = self.layers
        axes, channels = len(x.shape) - 2, x.shape[-1]
        window = [layers.number(1, 3) for _ in range(axes)]
        stride = layers.number(1, 2)
        choices = [
            lambda: ops.conv(x, self.kernel(x, *window, channels, layers.number(1, 4)), stride, "same"),
            lambda: ops.conv(x, self.kernel(x, *[1] * axes, channels, 2), strides=stride),
            lambda: ops.max_pool(self.ordered(x), layers.pick([2, tuple(window)]), padding="same"),
            lambda: ops.average_pool(x, tuple(window), strides=stride, padding="same"),
        ]
        if axes < 3:
            choices += [
                lambda: ops.depthwise_conv(x, self.kernel(x, *window, channels, layers.number(1, 2)), stride, "same"),
                lambda: ops.separable_conv(
                    x, self.kernel(x, *window, channels, 1), self.kernel(x, *[1] * axes, channels, 3), padding="same"
                ),
            ]
        if axes == 2:
            choices.append(lambda: ops.image.resize(x, (layers.number(1, 5), layers.number(1, 5))))
        return choices

    def of_one(self, x):
        """An operation with a result of rank 2 to 4."""
        choice = self.layers.rng.random()
        if choice < 0.45:
            return self.of_elements(x)
        return self.of_axis(x) if choice < 0.75 else self.indexed(x)

    def of_two(self, a, b):
        """An operation on two tensors of one shape, with a result of that rank."""
        return self.layers.pick(
            [
                lambda: a + b,
                lambda: a * b,
                lambda: a - b,
                lambda: 2.0 * a - b / 3.0,
                lambda: a / (1.5 + b * b),
                lambda: a * ops.sigmoid(b),
                lambda: ops.maximum(a, b - 0.1),
                lambda: ops.where(a > b, a, b),
                lambda: ops.concatenate([a, b], axis=-1),
                lambda: ops.mean(ops.stack([a, b], axis=1), axis=1),
                lambda: ops.sum(a * b, axis=-1, keepdims=True),
                lambda: ops.arctan2(a, 2.0 + b * b),
            ]
        )()

    def to_vectors(self, x):
        """Of sequences or images."""
        layers = self.layers
        axes = tuple(range(1, len(x.shape) - 1))
        choices = [
            lambda: ops.mean(x, axis=axes),
            lambda: ops.sum(x, axis=axes),
            lambda: ops.max(self.ordered(x), axis=axes),
            lambda: ops.logsumexp(x, axis=list(axes)),
            lambda: ops.reshape(x, (-1, int(np.prod(x.shape[1:])))),
        ]
        if len(x.shape) == 3:
            choices += [
                lambda: x[:, layers.pick([0, -1])],
                lambda: x[:, -1, :] - x[:, 0, :],
                lambda: x[..., layers.number(-x.shape[-1], x.shape[-1] - 1)],
                lambda: ops.var(x, axis=1),
                lambda: ops.squeeze(x[:, :1], axis=1),
                lambda: ops.einsum("bij,i->bj", x, self.constant(x.shape[1])),
                lambda: ops.sum(x * ops.softmax(L.Dense(1)(x), axis=1), axis=1),
            ]
        return layers.pick(choices)()
