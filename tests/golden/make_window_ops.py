"""Convolutions, pooling and blocks of keras.ops, and other functions of keras.ops.nn, with gradients and what is refused,
in the form of make_ops.py."""

from common import np, tf
from make_image_ops import shortened, text
from make_ops import DTYPES, FLOATS, Family, distinct, grid, index, ops, tensor


def first(function, x, *others, **options):
    """The function of inputs with the channels first: TensorFlow's convolutions on CPUs take them last."""
    rank = len(x.shape)
    results = function(tf.transpose(x, [0, *range(2, rank), 1]), *others, **options)
    return tf.transpose(results, [0, rank - 1, *range(1, rank - 1)])


class Windows(Family):
    def save(self):
        self.cases = shortened(self.cases)
        super().save()

    def call(self, name, inputs, *numbers, gradient=False, refused=False, channels_first=False, **options):
        """A case of the function; `numbers` are its arguments after the tensors."""
        words = [*["x", "y", "z"][: len(inputs)], *map(text, numbers)]
        words += [f"{key}={text(value)}" for key, value in options.items()]
        function = getattr(ops, name)
        if channels_first:
            words.append("data_format=channels_first")
        compute = lambda *x: first(function, *x, *numbers, **options) if channels_first else function(*x, *numbers, **options)  # noqa: E731
        call = f"{name}({', '.join(words)})"
        if refused:
            self.refuse(call, inputs, compute)
        else:
            self.add(call, inputs, compute, gradient)


def numbers(*shape, dtype="float64"):
    """Few digits, with gradients of other sizes."""
    return grid(*shape, dtype=dtype, step=5, modulus=11, offset=-4)


def convolutions():
    f = Windows("convolutions")
    shapes = {1: (2, 7, 2), 2: (1, 6, 5, 2), 3: (1, 4, 5, 4, 2)}
    windows = {1: (3,), 2: (3, 2), 3: (2, 3, 2)}
    for axes in (1, 2, 3):
        x, window = numbers(*shapes[axes]), windows[axes]
        kernel = numbers(*window, 2, 3)
        lists = [[2], [2, 1], [1, 2, 3]][axes - 1]
        for options in ({}, {"padding": "same"}, {"strides": 2}, {"strides": lists, "padding": "SAME"}, {"dilation_rate": 2},
                        {"dilation_rate": [[2], [1, 2], [2, 1, 1]][axes - 1], "padding": "same"}):  # fmt: skip
            f.call("conv", [x, kernel], gradient=True, **options)
        for dtype in FLOATS:
            f.call("conv", [numbers(*shapes[axes], dtype=dtype), numbers(*window, 2, 3, dtype=dtype)])
        f.call("conv", [numbers(2, 2, *shapes[axes][1:-1]), kernel], channels_first=True, strides=2)
        # TensorFlow has no gradient of convolutions in groups.
        many = numbers(*shapes[axes][:-1], 4)
        f.call("conv", [many, numbers(*window, 2, 6)])
        f.call("conv", [many, numbers(*window, 1, 8)], padding="same")
        f.call("conv", [numbers(0, *shapes[axes][1:]), kernel])

        transposed = numbers(*window, 3, 2)
        small = numbers(*[n - 3 if 0 < i <= axes else n for i, n in enumerate(shapes[axes])])
        for options in ({}, {"padding": "same"}, {"strides": 2}, {"strides": 2, "padding": "same"},
                        {"strides": 2, "output_padding": 1}, {"strides": 5}, {"strides": 4, "padding": "same"},
                        {"strides": lists, "output_padding": [0] * axes}):  # fmt: skip
            # TensorFlow's gradient is wrong for volumes and strides beyond the window.
            beyond = axes == 3 and options.get("strides") in (4, 5)
            f.call("conv_transpose", [small, transposed], gradient=not beyond, **options)
        f.call("conv_transpose", [numbers(2, 2, *[3] * axes), transposed], channels_first=True, strides=2)
        f.call("conv_transpose", [numbers(0, *[3] * axes, 2), transposed])
    f.call("conv_transpose", [numbers(1, 3, 4, 2), numbers(3, 3, 1, 2)], strides=3, padding="same", output_padding=[2, 1])
    for dtype in FLOATS:
        f.call("conv_transpose", [numbers(1, 3, 4, 2, dtype=dtype), numbers(3, 2, 1, 2, dtype=dtype)], strides=2)

    for axes in (1, 2):
        x, window = numbers(*shapes[axes]), windows[axes]
        kernel = numbers(*window, 2, 3)
        pointwise = numbers(*[1] * axes, 6, 4)
        for options in ({}, {"padding": "same"}, {"strides": 2}, {"dilation_rate": 2},
                        {"strides": 2, "dilation_rate": 2, "padding": "same"}):  # fmt: skip
            f.call("depthwise_conv", [x, kernel], gradient="dilation_rate" not in options or axes == 1, **options)
            f.call("separable_conv", [x, kernel, pointwise], gradient=options == {}, **options)
        f.call("depthwise_conv", [numbers(2, 2, *shapes[axes][1:-1]), kernel], channels_first=True)
        f.call("separable_conv", [numbers(2, 2, *shapes[axes][1:-1]), kernel, pointwise], channels_first=True)
    f.call("depthwise_conv", [numbers(1, 9, 9, 1), numbers(2, 2, 1, 2)], strides=[2, 1], dilation_rate=[1, 2])
    for dtype in FLOATS[:1] + FLOATS[2:]:
        f.call("depthwise_conv", [numbers(1, 4, 4, 2, dtype=dtype), numbers(2, 2, 2, 2, dtype=dtype)])

    x = numbers(1, 3, 3, 4)
    f.call("conv", [x, numbers(2, 2, 3, 4)], refused=True)
    f.call("conv", [x, numbers(2, 2, 2, 3)], refused=True)
    f.call("conv", [x, numbers(4, 2, 4, 1)], refused=True)
    f.call("conv", [numbers(3, 3), numbers(2, 2)], refused=True)
    f.call("conv", [x, numbers(2, 2, 4, 1)], refused=True, strides=[1, 1, 1])
    f.call("conv", [x, numbers(2, 2, 4, 1)], refused=True, strides=0)
    f.call("conv", [x, numbers(2, 2, 4, 1)], refused=True, padding="causal")
    f.call("conv", [x, numbers(2, 2, 4, 1)], refused=True, data_format="foo")
    f.call("depthwise_conv", [x, numbers(2, 2, 2, 2)], refused=True)
    f.call("depthwise_conv", [numbers(1, 3, 3, 3, 2), numbers(2, 2, 2, 2, 1)], refused=True)
    f.call("separable_conv", [x, numbers(2, 2, 4, 1), numbers(1, 1, 3, 2)], refused=True)
    f.call("separable_conv", [x, numbers(2, 2, 4, 1), numbers(2, 2, 4, 2)], refused=True)
    f.call("separable_conv", [numbers(1, 3, 3, 3, 2), numbers(2, 2, 2, 2, 1), numbers(1, 1, 1, 2, 1)], refused=True)
    f.call("conv_transpose", [x, numbers(2, 2, 1, 3)], refused=True)
    f.call("conv_transpose", [numbers(3, 3), numbers(3, 3)], refused=True)
    f.call("conv_transpose", [x, numbers(2, 1, 4)], refused=True)
    f.call("conv_transpose", [x, numbers(2, 2, 1, 4)], refused=True, padding="foo")
    f.save()


def pooling():
    f = Windows("pooling")
    shapes = {1: (2, 7, 2), 2: (2, 7, 6, 2), 3: (1, 5, 6, 5, 2)}
    for name in ("max_pool", "average_pool"):
        for axes, shape in shapes.items():
            # TensorFlow has no pooling of volumes in float64.
            x = distinct(*shape, dtype="float64" if axes < 3 else "float32")
            lists = [[2], [2, 3], [2, 1, 3]][axes - 1]
            for size, options in ((2, {}), (lists, {}), (2, {"strides": 1}), (3, {"padding": "same"}),
                                  (lists, {"strides": [[3], [1, 2], [1, 2, 1]][axes - 1], "padding": "SAME"})):  # fmt: skip
                f.call(name, [x], size, gradient=True, **options)
            f.call(name, [distinct(2, 3, *shape[1:-1], dtype=x.dtype.name)], 2, data_format="channels_first")
            f.call(name, [distinct(0, *shape[1:], dtype=x.dtype.name)], 2)
        for dtype in FLOATS:
            f.call(name, [distinct(2, 5, 4, 2, dtype=dtype)], 2, strides=1)
        f.call(name, [distinct(1, 3, 3, 1)], 4, padding="same")
        f.call(name, [distinct(1, 3, 3, 1)], 4)
        x = distinct(1, 3, 3, 1)
        f.call(name, [distinct(3, 3)], 2, refused=True)
        f.call(name, [distinct(1, 1, 1, 3, 3, 1)], 2, refused=True)
        f.call(name, [x], 0, refused=True)
        f.call(name, [x], 2, refused=True, strides=0)
        f.call(name, [x], [1, 2, 2], refused=True)
        f.call(name, [x], 2, refused=True, padding="causal")
        f.call(name, [x], 2, refused=True, data_format="foo")
    f.call("average_pool", [tf.ones((1, 3, 3, 1), "int32")], 2, refused=True)
    for name in ("adaptive_max_pool", "adaptive_average_pool"):
        for axes, shape in shapes.items():
            x = distinct(*shape, dtype="float64" if axes < 3 else "float32")
            for size in (2, 3, [[4], [7, 3], [2, 4, 5]][axes - 1], 9):
                f.call(name, [x], size, gradient=True)
            f.call(name, [distinct(2, 3, *shape[1:-1])], 3, data_format="channels_first")
            f.call(name, [distinct(0, *shape[1:])], 2)
        x = distinct(1, 5, 5, 1)
        f.call(name, [distinct(5, 5)], 2, refused=True)
        f.call(name, [x], 0, refused=True)
        f.call(name, [x], -1, refused=True)
        f.call(name, [x], [1, 2, 3], refused=True)
        f.call(name, [x], 2, refused=True, data_format="foo")
    f.save()


def blocks():
    f = Windows("blocks")
    for dtype in DTYPES:
        with_gradient = dtype == "float64"
        f.call("depth_to_space", [grid(2, 2, 3, 8, dtype=dtype)], 2, gradient=with_gradient)
        f.call("space_to_depth", [grid(2, 4, 6, 2, dtype=dtype)], 2, gradient=with_gradient)
    f.call("depth_to_space", [grid(1, 18, 1, 2)], 3, data_format="channels_first")
    f.call("space_to_depth", [grid(1, 2, 3, 6)], 3, data_format="channels_first")
    f.call("space_to_depth", [grid(1, 2, 4, 6)], 2, gradient=True, data_format="channels_first")
    for name in ("depth_to_space", "space_to_depth"):
        f.call(name, [grid(1, 3, 3, 3)], 2, refused=True)
        f.call(name, [grid(4, 4, 4)], 2, refused=True)
        f.call(name, [grid(1, 4, 4, 4)], 1, refused=True)
        f.call(name, [grid(1, 4, 4, 4)], 2, refused=True, data_format="foo")
    for size, options in ((2, {}), ([3, 2], {"stride": 2}), (2, {"dilation": 2}), (2, {"padding": 1}),
                          ([2, 3], {"dilation": [2, 1], "padding": [0, 2], "stride": [1, 2]}),
                          (2, {"dilation": 2, "stride": 2})):  # fmt: skip
        x = grid(2, 2, 5, 6, dtype="float64")
        f.call("unfold", [x], size, gradient=True, **options)
        patches = grid(*ops.unfold(x, size, **options).shape, dtype="float64", step=5, modulus=11)
        f.call("fold", [patches], [5, 6], size, gradient=True, **options)
    for dtype in DTYPES[:-1]:
        f.call("unfold", [grid(1, 1, 3, 3, dtype=dtype)], 2)
    for dtype in ("float32", "float16"):
        f.call("fold", [grid(1, 4, 4, dtype=dtype)], 3, 2)
    f.call("unfold", [grid(4, 4, 1)], 2, refused=True)
    f.call("unfold", [grid(1, 1, 2, 2)], 0, refused=True)
    f.call("fold", [grid(1, 1, 4, 4)], 3, 2, refused=True)
    f.call("fold", [grid(1, 5, 4)], 3, 2, refused=True)
    f.call("fold", [grid(1, 4, 5)], 3, 2, refused=True)

    pair = lambda d: [grid(2, 3, dtype=d), grid(2, 3, dtype=d, step=2)]  # noqa: E731
    for dtype in FLOATS:
        f.call("psnr", pair(dtype), 2.0, gradient=dtype == "float64")
    f.call("psnr", [grid(2, 3), grid(2, 3)], 1)
    f.call("psnr", [grid(2, 3), grid(3, 2)], 1.0, refused=True)

    def normalized(call, inputs, function, gradient=True):
        f.sweep(call, inputs, function, dtypes=[*FLOATS, "int32", "uint8"], gradient=gradient)

    normalized("rms_normalization(x, {-1})", lambda d: [distinct(2, 3, 4, dtype=d)], ops.rms_normalization)
    normalized("rms_normalization(x, {1, 2})", lambda d: [distinct(2, 3, 4, dtype=d)],
               lambda x: ops.rms_normalization(x, axis=(1, 2)))  # fmt: skip
    normalized("rms_normalization(x, {}, epsilon=0.5)", lambda d: [distinct(2, 3, dtype=d)],
               lambda x: ops.rms_normalization(x, axis=None, epsilon=0.5))  # fmt: skip
    normalized("rms_normalization(x, {-1}, y)", lambda d: [distinct(2, 3, dtype=d), distinct(3, dtype=d)],
               lambda x, s: ops.rms_normalization(x, s))  # fmt: skip
    f.add("rms_normalization(x, {-1})", [tensor(3.0)], ops.rms_normalization)
    f.refuse("rms_normalization(x, {3})", [grid(2, 3)], lambda x: ops.rms_normalization(x, axis=3))
    f.save()


def probabilities(*shape, dtype="float64"):
    """Numbers of rows that do not add up to 1, apart from 0 and 1."""
    return tensor((np.arange(int(np.prod(shape))) * 5 % 7 + 1).reshape(shape) / 10, dtype)


def crossentropies():
    f = Windows("crossentropies")
    for dtype in FLOATS:
        with_gradient = dtype == "float64"
        targets = probabilities(2, 3, dtype=dtype)
        logits = numbers(2, 3, dtype=dtype)
        for name in ("binary_crossentropy", "categorical_crossentropy"):
            f.call(name, [targets, tf.reverse(targets, [0])], gradient=with_gradient)
            f.call(name, [targets, logits], gradient=with_gradient, from_logits=True)
        for target in ("int32", "int64", dtype):
            classes = tensor([2, 0], target)
            f.call("sparse_categorical_crossentropy", [classes, targets])
            f.call("sparse_categorical_crossentropy", [classes[:, None], logits], from_logits=True)
    wide = probabilities(2, 2, 3)
    f.call("categorical_crossentropy", [wide, tf.reverse(wide, [1])], gradient=True, axis=1)
    f.call("categorical_crossentropy", [wide, numbers(2, 2, 3)], from_logits=True, axis=1)
    f.call("sparse_categorical_crossentropy", [index([[1, 2], [0, 1]]), wide], axis=2)
    # Beyond the limits of probabilities, and logits of large numbers.
    sure = tensor([[0.0, 1.0, 0.5]])
    f.call("binary_crossentropy", [tensor([[1.0, 0.0, 0.5]]), sure])
    f.call("binary_crossentropy", [tensor([[1.0, 0.0, 0.5]]), tensor([[-200.0, 200.0, 50.0]])], gradient=True, from_logits=True)
    f.call("categorical_crossentropy", [tensor([[1.0, 0.0, 0.0]]), sure])
    f.call("sparse_categorical_crossentropy", [index([0]), sure])
    f.call("binary_crossentropy", [probabilities(0, 3), probabilities(0, 3)])
    for name in ("binary_crossentropy", "categorical_crossentropy"):
        f.call(name, [targets, targets[0]], refused=True)
        f.call(name, [targets, targets[:, :2]], refused=True)
    f.call("categorical_crossentropy", [tensor(1.0), tensor(0.5)], refused=True)
    f.call("sparse_categorical_crossentropy", [index([1, 2]), wide], refused=True)
    f.call("sparse_categorical_crossentropy", [index([1, 2, 0]), targets], refused=True)
    f.call("sparse_categorical_crossentropy", [index([1, 2]), targets], axis=0, refused=True)
    f.call("sparse_categorical_crossentropy", [index([1, 3]), targets], refused=True)
    f.save()


def batch_normalizations():
    f = Windows("batch_normalizations")
    row, positive = lambda n, d: numbers(n, dtype=d), lambda n, d: probabilities(n, dtype=d)  # noqa: E731
    for dtype in FLOATS:
        gradient = dtype == "float64"
        x = numbers(2, 3, 4, dtype=dtype)
        f.add("batch_normalization(x, y, z, -1)", [x, row(4, dtype), positive(4, dtype)],
              lambda x, m, v: ops.batch_normalization(x, m, v, -1), gradient)  # fmt: skip
        f.add("batch_normalization(x, y, z, 1, epsilon=0.5)", [x, row(3, dtype), positive(3, dtype)],
              lambda x, m, v: ops.batch_normalization(x, m, v, 1, epsilon=0.5), gradient)  # fmt: skip
    x = numbers(2, 3, 4)
    for axis, length in ((-1, 4), (1, 3), (-2, 3), (0, 2)):
        f.add(f"batch_normalization(x, y, z, {axis}, offset=y)", [x, row(length, "float64"), positive(length, "float64")],
              lambda x, m, v, axis=axis: ops.batch_normalization(x, m, v, axis, offset=m), True)  # fmt: skip
        f.add(f"batch_normalization(x, y, z, {axis}, offset=y, scale=z)", [x, row(length, "float64"), positive(length, "float64")],
              lambda x, m, v, axis=axis: ops.batch_normalization(x, m, v, axis, m, v), True)  # fmt: skip
    f.add("batch_normalization(x, y, z, -1)", [numbers(2, 3, dtype="float16"), row(3, "float32"), positive(3, "float32")],
          lambda x, m, v: ops.batch_normalization(x, m, v, -1))  # fmt: skip
    f.refuse("batch_normalization(x, y, z, 1)", [x, row(4, "float64"), positive(4, "float64")],
             lambda x, m, v: ops.batch_normalization(x, m, v, 1))  # fmt: skip
    f.refuse("batch_normalization(x, y, z, 3)", [x, row(4, "float64"), positive(4, "float64")],
             lambda x, m, v: ops.batch_normalization(x, m, v, 3))  # fmt: skip
    f.save()


# Keras 3.15 takes a limit for exact that its dtype has not: what is beyond wraps around, or all becomes the lowest number.
UNSATURATED = {
    ("float32", "int32"), ("float32", "int64"), ("float64", "int64"), ("bfloat16", "int32"), ("bfloat16", "int64"),
    ("bfloat16", "float16"), ("int32", "float32"), ("int32", "bfloat16"), ("int64", "float32"), ("int64", "float64"),
    ("int64", "bfloat16"),
}  # fmt: skip


def saturated():
    f = Windows("saturate_cast")
    values = np.array([0.0, 0.75, -0.75, 1.5, 254.6, 255.0, 255.9, 256.0, -1.0, -300.0, 65504.0, 1e5, -7e4, 2.0**31, -(2.0**31) - 600, 3e9,
                       2.0**63, -1e19, 1e30, -3.4e38, np.inf, -np.inf])  # fmt: skip
    whole = np.array([0, 1, -1, 2, 127, 128, 255, 256, -300, 65504, 65505, -70000, 2**31 - 1, -(2**31)])
    large = np.array([2**31, -(2**31) - 1, 2**40, -(2**62), 2**63 - 1, -(2**63)])
    for source in DTYPES:
        if source in FLOATS:
            x = tf.cast(tf.constant(values, "float64"), source)
        elif source == "bool":
            x = tf.constant([True, False])
        else:
            numbers = whole if source != "uint8" else whole[(whole >= 0) & (whole < 256)]
            x = tf.constant(np.concatenate([numbers, large]) if source == "int64" else numbers, source)
        for target in DTYPES:
            if (source, target) in UNSATURATED:
                continue
            f.add(f"saturate_cast(x, {target})", [x], lambda x, target=target: ops.saturate_cast(x, target))
    f.add("saturate_cast(x, float32)", [tensor([0.5, 1e39, -2.0], "float64")], lambda x: ops.saturate_cast(x, "float32"))
    f.save()


if __name__ == "__main__":
    tf.random.set_seed(0)
    convolutions()
    pooling()
    blocks()
    crossentropies()
    batch_normalizations()
    saturated()
