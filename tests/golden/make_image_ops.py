"""Results of keras.ops.image, with gradients, and what it refuses, in the form of make_ops.py."""

from common import np, tf
from make_ops import Family, keras, tensor

image = keras.ops.image
INTERPOLATIONS = ["nearest", "bilinear", "bicubic", "lanczos3", "lanczos5", "area"]
FLOATS = ["float32", "float16", "bfloat16"]
INTEGERS = ["uint8", "int32"]


def pixels(*shape, dtype="float32", seed=0):
    """Numbers of 0 to 250 for integers, for floats eighths of 0 to 1."""
    numbers = np.random.default_rng(seed).integers(0, 251, shape)
    return tensor(numbers if dtype in INTEGERS else numbers % 64 / 64, dtype)


def text(value):
    """An option as the test reads it."""
    if isinstance(value, (list, tuple)):
        return "{" + ", ".join(map(str, value)) + "}"
    return str(value)


def last(function, images, axes, **options):
    """The function of images with channels first: TensorFlow's convolutions on CPUs take them last."""
    results = function(tf.transpose(images, [*axes[:1], *axes[2:], axes[1]]), **options)
    return tf.transpose(results, [0, len(axes) - 1, *axes[1:-1]])


def shortened(value):
    """With the digits that float32 needs."""
    if isinstance(value, dict):
        if value.get("dtype") == "float64":
            return value
        return {key: shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shortened(item) for item in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


class Image(Family):
    def save(self):
        self.cases = shortened(self.cases)
        super().save()

    def call(self, name, inputs, size=None, gradient=False, refused=False, **options):
        """A case of the function; `size` is its argument after the tensors."""
        words = ["x", "y", "z"][: len(inputs)]
        if size is not None:
            words.append(text(size))
        words += [f"{key}={text(value)}" for key, value in options.items()]
        arguments = [] if size is None else [size]
        add = self.refuse if refused else lambda *a: self.add(*a, gradient)
        add(f"{name}({', '.join(words)})", inputs, lambda *x: getattr(image, name)(*x, *arguments, **options))


def resizing():
    f = Image("image_resizing")
    for interpolation in INTERPOLATIONS:
        # TensorFlow has no gradient of "area".
        has_gradient = interpolation != "area"
        for size in ([7, 3], [2, 5], [5, 8]):
            f.call("resize", [pixels(5, 4, 2)], size, has_gradient, interpolation=interpolation)
        f.call("resize", [pixels(2, 9, 7, 1)], [4, 3], has_gradient, interpolation=interpolation, antialias=True)
        f.call("resize", [pixels(2, 9, 7, 1)], [11, 5], interpolation=interpolation, antialias=True)
        for dtype in FLOATS[1:] + INTEGERS:
            f.call("resize", [pixels(4, 3, 1, dtype=dtype)], [6, 2], interpolation=interpolation)
        f.call("resize", [pixels(1, 1, 2)], [3, 2], interpolation=interpolation)
        f.call("resize", [pixels(0, 3, 3, 1)], [2, 4], interpolation=interpolation)
        f.call("resize", [pixels(2, 1, 3, 4)], [2, 3], interpolation=interpolation, data_format="channels_first")
    for shape, size in (((6, 4, 1), [3, 5]), ((4, 7, 1), [5, 2]), ((2, 3, 9, 1), [4, 4]), ((5, 5, 1), [1, 9])):
        f.call("resize", [pixels(*shape)], size, True, crop_to_aspect_ratio=True)
        f.call("resize", [pixels(*shape)], size, True, pad_to_aspect_ratio=True, fill_value=0.25)
        f.call("resize", [pixels(*shape, dtype="uint8")], size, pad_to_aspect_ratio=True, fill_value=7)
        f.call("resize", [pixels(*shape, dtype="uint8")], size, crop_to_aspect_ratio=True, interpolation="nearest")
    f.call("resize", [pixels(1, 4, 6)], [3, 3], pad_to_aspect_ratio=True, data_format="channels_first")
    x = pixels(4, 3, 1)
    f.call("resize", [x], [0, 3], refused=True)
    f.call("resize", [x], [2, -1], refused=True)
    f.call("resize", [pixels(4, 3)], [2, 2], refused=True)
    f.call("resize", [pixels(0, 3, 1)], [2, 2], refused=True)
    f.call("resize", [pixels(3, 3, 0)], [2, 2], refused=True)
    f.call("resize", [x], [2, 2], refused=True, interpolation="foo")
    f.call("resize", [x], [2, 2], refused=True, fill_mode="reflect")
    f.call("resize", [x], [2, 2], refused=True, data_format="foo")
    f.call("resize", [x], [2, 2], refused=True, crop_to_aspect_ratio=True, pad_to_aspect_ratio=True)

    def moved(shape, images, scale, translation, axes, method, antialias=True, gradient=True, refused=False):
        inputs = [tf.cast(images, "float64"), tensor(scale, "float64"), tensor(translation, "float64")]
        call = f"scale_and_translate(x, y, z, {text(shape)}, {text(axes)}, {method}, {antialias})"
        function = lambda x, s, t: image.scale_and_translate(x, shape, s, t, axes, method, antialias)  # noqa: E731
        if refused:
            f.refuse(call, inputs, function)
        else:
            f.add(call, inputs, function, gradient)

    for method in ("linear", "trilinear", "cubic", "bicubic", "lanczos3", "lanczos5"):
        for antialias in (True, False):
            moved([6, 3, 2], pixels(4, 5, 2), [1.3, 0.7], [0.2, -0.3], [0, 1], method, antialias)
    moved([2, 6, 3], pixels(2, 4, 3), [0.6], [1.7], [1], "linear")
    moved([2, 6, 3], pixels(2, 4, 3), [0.6], [1.7], [-2], "cubic", False)
    moved([3, 3, 1], pixels(5, 5, 1), [0.5, 3.0], [4.0, -8.0], [0, 1], "linear")
    moved([3, 3, 1], pixels(5, 5, 1), [1.0, 1.0], [0.0, 0.0], [0, 1], "foo", refused=True)
    f.save()


def transforms():
    f = Image("image_transforms")
    modes = ["constant", "nearest", "wrap", "reflect"]
    turned = [0.8, -0.55, 1.3, 0.6, 0.75, -1.1, 0.0, 0.0]
    seen = [1.1, 0.1, -0.3, -0.05, 0.9, 0.4, 0.06, -0.02]
    far = [3.3, 0.2, -9.4, -0.4, 2.7, -7.3, 0.0, 0.0]
    for mode in modes:
        for interpolation in ("bilinear", "nearest"):
            for numbers in (turned, seen, far):
                f.call("affine_transform", [pixels(5, 4, 2), tensor(numbers)], interpolation=interpolation,
                       fill_mode=mode, fill_value=0.5)  # fmt: skip
            f.call("affine_transform", [pixels(2, 4, 3, 1), tensor([turned, far])], interpolation=interpolation,
                   fill_mode=mode)  # fmt: skip
            # TensorFlow's gradient is that of the inverse transform: it is right where pixels move by whole numbers.
            f.call("affine_transform", [pixels(2, 4, 3, 1), tensor([1, 0, 1, 0, 1, -2, 0, 0])], None,
                   mode == "constant", interpolation=interpolation, fill_mode=mode)  # fmt: skip
    for dtype in FLOATS[1:] + INTEGERS:
        f.call("affine_transform", [pixels(5, 4, 2, dtype=dtype), tensor(turned)], fill_value=3)
    f.call("affine_transform", [pixels(3, 4, 2, dtype="uint8"), tensor([1, 0, 1, 0, 1, 0, 0, 0])], fill_value=2.75)
    f.call("affine_transform", [pixels(2, 4, 5), tensor(turned)], data_format="channels_first")
    f.call("affine_transform", [pixels(4, 3, 1), tensor([1, 0, 0, 0, 1, 0, -1, 0])], fill_value=0.5)
    f.call("affine_transform", [pixels(1, 1, 1), tensor(turned)], fill_mode="reflect")
    f.call("affine_transform", [pixels(0, 3, 3, 1), tensor(turned)])
    x, t = pixels(4, 3, 1), tensor(turned)
    f.call("affine_transform", [x, tensor(turned[:6])], refused=True)
    f.call("affine_transform", [x, tensor([turned, turned])], refused=True)
    f.call("affine_transform", [x, tensor([[turned]])], refused=True)
    f.call("affine_transform", [pixels(4, 3), t], refused=True)
    f.call("affine_transform", [pixels(0, 3, 1), t], refused=True)
    f.call("affine_transform", [x, t], refused=True, fill_mode="mirror")
    f.call("affine_transform", [x, t], refused=True, interpolation="foo")

    square = [[0, 0], [0, 4], [5, 0], [5, 4]]
    other = [[0.5, 0.25], [0.75, 4.5], [4.25, -0.5], [5.5, 3.5]]
    third = [[1, 0], [-1, 3], [4, 1], [6, 5]]
    for interpolation in ("bilinear", "nearest"):
        f.call("perspective_transform", [pixels(5, 6, 2), tensor(square), tensor(other)], interpolation=interpolation)
        f.call("perspective_transform", [pixels(2, 5, 6, 1), tensor([square, third]), tensor([third, other])],
               interpolation=interpolation, fill_value=0.5)  # fmt: skip
    f.call("perspective_transform", [pixels(1, 5, 6), tensor(other), tensor(third)], data_format="channels_first")
    f.call("perspective_transform", [pixels(2, 5, 6, 1), tensor(square, "int32"), tensor(third, "int32")])
    f.call("perspective_transform", [pixels(5, 6, 2), tensor(square[:3]), tensor(other)], refused=True)
    f.call("perspective_transform", [pixels(5, 6, 2), tensor(square), tensor([other[0]])], refused=True)
    f.call("perspective_transform", [pixels(5, 6, 2), tensor(square), tensor([other])], refused=True)
    f.call("perspective_transform", [pixels(5, 6, 2), tensor(square), tensor(np.zeros((4, 2)))], refused=True)

    def mapped(inputs, coordinates, order, mode="constant", fill_value=0.0, gradient=False, refused=False):
        call = f"map_coordinates(x, y, {order}, {mode}, {fill_value})"
        function = lambda x, c: image.map_coordinates(x, c, order, mode, fill_value)  # noqa: E731
        (f.refuse if refused else lambda *a: f.add(*a, gradient))(call, [inputs, coordinates], function)

    places = tensor([[-1.3, 0.5, 1.5, 2.7, 5.2, -6.4], [0.0, 0.6, 0.25, 1.0, -0.7, 1.9]])
    for mode in modes:
        for order in (0, 1):
            mapped(pixels(4, 3), places, order, mode, 7.0, gradient=order == 1)
    mapped(pixels(4, 3), tensor([[0.3, 1.6, 5.2], [1.2, 0.6, 0.4]]), 1, "mirror")
    mapped(pixels(4, 3), tensor([[0.0, 5.0, -3.0], [1.0, 0.0, -2.0]]), 0, "mirror")
    mapped(pixels(5), tensor([[[0.5, 2.25], [4.5, -1.0]]]), 1, "nearest", gradient=True)
    mapped(pixels(3, 2, 2), tensor(np.linspace(-0.5, 2.5, 12).reshape(3, 2, 2)), 1, gradient=True)
    mapped(pixels(4, 3), tensor([[3, 1], [0, 2]], "int32"), 0)
    for dtype in INTEGERS + ["float16"]:
        mapped(pixels(4, 3, dtype=dtype), places, 1, "constant", 2.5)
        mapped(pixels(4, 3, dtype=dtype), places, 0, "reflect")
    mapped(pixels(4, 3), tensor([[4.0], [0.0]]), 0, "mirror", refused=True)
    mapped(pixels(4, 3), places, 2, refused=True)
    mapped(pixels(4, 3), tensor([[3], [1]], "int32"), 1, refused=True)
    mapped(pixels(4, 3), tensor([1.0, 2.0]), 1, refused=True)
    mapped(pixels(4, 3), tensor([[1.0]]), 1, refused=True)
    mapped(pixels(0, 3), places, 1, refused=True)
    mapped(pixels(4, 3), places, 1, "foo", refused=True)
    f.save()


def others():
    f = Image("image")
    borders = ["top", "left", "bottom", "right"]

    def margins(kind, numbers, height=None, width=None):
        named = {f"{side}_{kind}": number for side, number in zip(borders, numbers) if number is not None}
        for name, number in (("target_height", height), ("target_width", width)):
            if number is not None:
                named[name] = number
        return named

    for dtype in ("float32", "uint8", "int32"):
        x = pixels(4, 5, 2, dtype=dtype)
        f.call("crop_images", [x], None, dtype == "float32", **margins("cropping", (1, 0, 1, 2)))
        f.call("pad_images", [x], None, dtype == "float32", **margins("padding", (1, 0, 3, 2)))
    x, batch = pixels(4, 5, 2), pixels(2, 4, 5, 1)
    for images in (x, batch):
        f.call("crop_images", [images], **margins("cropping", (1, None, None, 2), 2, 3))
        f.call("crop_images", [images], **margins("cropping", (None, 1, 1, None), 1, 4))
        f.call("crop_images", [images], **margins("cropping", (4, 5, 0, 0)))
        f.call("pad_images", [images], **margins("padding", (1, None, None, 2), 7, 8))
        f.call("pad_images", [images], **margins("padding", (None, 1, 1, None), 5, 6))
        f.call("pad_images", [images], **margins("padding", (0, 0, 0, 0)))
    first = pixels(2, 4, 5)
    f.call("crop_images", [first], **margins("cropping", (1, 2, 1, 1)), data_format="channels_first")
    f.call("pad_images", [first], **margins("padding", (1, 2, 1, 1)), data_format="channels_first")
    for kind, name in (("cropping", "crop_images"), ("padding", "pad_images")):
        f.call(name, [x], refused=True, **margins(kind, (1, 2, None, None)))
        f.call(name, [x], refused=True, **margins(kind, (1, 2, 1, 1), 2))
        f.call(name, [x], refused=True, **margins(kind, (1, 2, 1, None)))
        f.call(name, [x], refused=True, **margins(kind, (-1, 2, 1, 1)))
        f.call(name, [x], refused=True, **margins(kind, (1, 2, 1, -1)))
        f.call(name, [x], refused=True, **margins(kind, (None, 0, 3, 0), 2))
        f.call(name, [pixels(4, 5)], refused=True, **margins(kind, (1, 1, 1, 1)))
    f.call("crop_images", [x], refused=True, **margins("cropping", (1, 0, 4, 1)))
    f.call("crop_images", [x], refused=True, **margins("cropping", (1, 0, None, 0), 5))
    f.call("crop_images", [x], refused=True, **margins("cropping", (None, 0, 1, 0), 5))
    f.call("pad_images", [x], refused=True, **margins("padding", (1, 0, None, 0), 3))

    for options in ({}, {"strides": 1}, {"strides": 1, "dilation_rate": 2}, {"padding": "same"},
                    {"strides": [1, 2], "padding": "same"}, {"strides": 3}):  # fmt: skip
        f.call("extract_patches", [pixels(5, 6, 2)], 2, True, **options)
        f.call("extract_patches", [pixels(1, 7, 6, 1)], [2, 3], **options)
    f.add("extract_patches(x, {3, 2}, data_format=channels_first, strides=1)", [pixels(1, 2, 5, 6)],
          lambda x: last(image.extract_patches, x, range(4), size=(3, 2), strides=1))  # fmt: skip
    f.call("extract_patches", [pixels(4, 5, 2, dtype="int32")], [2, 2])
    f.call("extract_patches", [pixels(0, 4, 4, 1)], 2)
    f.call("extract_patches", [pixels(3, 4, 4, 1)], [1, 2, 3])
    for options in ({}, {"strides": 1}, {"strides": [1, 2, 2], "padding": "same"}):
        f.call("extract_patches_3d", [pixels(3, 4, 5, 1)], 2, True, **options)
        f.call("extract_patches_3d", [pixels(2, 3, 4, 5, 1)], [1, 2, 3], **options)
    f.add("extract_patches_3d(x, 2, data_format=channels_first)", [pixels(1, 2, 3, 4, 5)],
          lambda x: last(image.extract_patches_3d, x, range(5), size=2))  # fmt: skip
    f.call("extract_patches", [x], [2, 2, 2, 2], refused=True)
    f.call("extract_patches", [x], 2, refused=True, strides=2, dilation_rate=2)
    f.call("extract_patches", [x], 0, refused=True)
    f.call("extract_patches", [pixels(4, 5)], 2, refused=True)
    f.call("extract_patches", [x], 2, refused=True, padding="foo")
    f.call("extract_patches_3d", [batch], [1, 2], refused=True)
    f.call("extract_patches_3d", [batch], 1, refused=True, strides=[1, 2])
    f.call("extract_patches_3d", [x], 1, refused=True)

    for dtype in FLOATS + INTEGERS:
        f.call("rgb_to_grayscale", [pixels(3, 4, 3, dtype=dtype)], None, dtype == "float32")
    f.call("rgb_to_grayscale", [pixels(2, 3, 4, 1)])
    f.call("rgb_to_grayscale", [pixels(2, 3, 2, 4)], data_format="channels_first")
    f.call("rgb_to_grayscale", [pixels(0, 2, 3)])
    f.call("rgb_to_grayscale", [pixels(3, 4, 2)], refused=True)
    f.call("rgb_to_grayscale", [pixels(3, 3)], refused=True)
    # Among them grey, black and white pixels and those with two equal channels.
    colours = pixels(4, 6, 3).numpy()
    colours[0] = [[0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.5], [1, 0.5, 0.5], [0.25, 0.5, 0.5], [0.5, 0.25, 0.5]]
    for name in ("rgb_to_hsv", "hsv_to_rgb"):
        f.call(name, [tensor(colours)])
        # Without ties, and without zeros, for which TensorFlow's gradient of the saturation is 0; it has none of
        # hsv_to_rgb.
        f.call(name, [tensor(np.maximum(colours[1:], 1 / 64))], None, name == "rgb_to_hsv")
        for dtype in FLOATS[1:]:
            f.call(name, [tensor(colours[1:], dtype)])
        f.call(name, [pixels(2, 3, 2, 4)], data_format="channels_first")
        f.call(name, [pixels(3, 2, 2)], data_format="channels_first")
        f.call(name, [pixels(0, 2, 3)])
        f.call(name, [pixels(2, 2, 3, dtype="uint8")], refused=True)
        f.call(name, [pixels(2, 2, 2)], refused=True)
        f.call(name, [pixels(2, 3)], refused=True)

    f.call("gaussian_blur", [pixels(5, 4, 2)], None, True)
    f.call("gaussian_blur", [batch], None, True, kernel_size=[3, 5], sigma=[1.0, 2.0])
    f.call("gaussian_blur", [batch], kernel_size=[2, 4], sigma=[0.5, 1.5])
    f.call("gaussian_blur", [batch], kernel_size=[1, 1], sigma=[1.0, 1.0])
    f.call("gaussian_blur", [pixels(2, 5, 4)], kernel_size=[5, 5], sigma=[1.0, 2.0], data_format="channels_first")
    f.call("gaussian_blur", [pixels(5, 4, 2, dtype="float16")])
    f.call("gaussian_blur", [pixels(0, 4, 2)])
    f.call("gaussian_blur", [pixels(5, 4)], refused=True)
    f.call("gaussian_blur", [pixels(5, 4, 2, dtype="uint8")], refused=True)
    f.call("sobel_edges", [pixels(2, 4, 5, 2)], None, True)
    f.call("sobel_edges", [pixels(1, 2, 4, 5)], data_format="channels_first")
    f.call("sobel_edges", [pixels(1, 2, 2, 1, dtype="float16")])
    f.call("sobel_edges", [x], refused=True)
    f.call("sobel_edges", [pixels(1, 1, 4, 1)], refused=True)
    f.call("sobel_edges", [pixels(1, 4, 4, 1, dtype="uint8")], refused=True)

    def pair(*shape):
        """Images alike, in float64: float32 leaves few digits of variances."""
        first = pixels(*shape, dtype="float64")
        return [first, 0.75 * first + 0.25 * pixels(*shape, dtype="float64", seed=1)]

    f.call("ssim", pair(11, 12, 1), None, True)
    f.call("ssim", pair(2, 5, 6, 2), None, True, filter_size=4, filter_sigma=1.0, k1=0.02, k2=0.05)
    f.call("ssim", pair(2, 2, 5, 4), max_val=2.0, filter_size=3, data_format="channels_first")
    f.call("ssim", [x, x], filter_size=1)
    f.call("ssim", [pixels(6, 6, 1, dtype="uint8"), pixels(6, 6, 1, dtype="uint8", seed=1)], max_val=255, filter_size=3)
    f.call("ssim", pair(6, 6, 1), refused=True)
    f.call("ssim", pair(6, 6), refused=True, filter_size=3)
    f.call("ssim", [pixels(2, 6, 6, 1), pixels(3, 6, 6, 1)], refused=True, filter_size=3)
    f.save()


if __name__ == "__main__":
    tf.random.set_seed(0)
    resizing()
    transforms()
    others()
