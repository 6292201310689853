"""Convolutions, pooling, blocks and images of keras.ops on symbolic tensors. Their names begin with "operations/", like
those of operation_cases.py."""

import numpy as np
from operation_cases import between_case
from operation_cases import ops
from operation_cases import pair_case

image = ops and ops.image
WINDOWS = "convolutions and pooling"
IMAGES = "images and blocks"


def kernel(*shape):
    """Few digits, of both signs."""
    count = int(np.prod(shape))
    return ((np.arange(count) * 5 % 11 - 5) / 8).astype("float32").reshape(shape)


def windows_case(name, *calls, shape, **arguments):
    between_case(WINDOWS, name, *calls, shape=shape, **arguments)


def images_case(name, *calls, shape=(6, 5, 3), **arguments):
    between_case(IMAGES, name, *calls, shape=shape, **arguments)


windows_case("convolutions_of_sequences", lambda x: ops.conv(x, kernel(3, 2, 3)), lambda x: ops.conv(x, kernel(2, 2, 2), 2, "same"), lambda x: ops.conv(x, kernel(2, 2, 1), dilation_rate=2), shape=(7, 2))
windows_case(
    "convolutions_of_images",
    lambda x: ops.conv(x, kernel(3, 2, 2, 3)),
    lambda x: ops.conv(x, kernel(2, 2, 2, 2), strides=(2, 1), padding="same"),
    lambda x: ops.conv(x, kernel(2, 2, 2, 1), padding="same", dilation_rate=(1, 2), data_format="channels_last"),
    shape=(6, 5, 2),
)
windows_case("convolutions_of_volumes", lambda x: ops.conv(x, kernel(2, 2, 1, 2, 2)), lambda x: ops.conv(x, kernel(2, 2, 2, 2, 1), 2, "same"), shape=(4, 5, 4, 2))
windows_case(
    "convolutions_by_channels",
    lambda x: ops.depthwise_conv(x, kernel(3, 2, 2, 2)),
    lambda x: ops.depthwise_conv(x, kernel(2, 2, 2, 1), 2, "same"),
    lambda x: ops.separable_conv(x, kernel(2, 3, 2, 2), kernel(1, 1, 4, 3)),
    lambda x: ops.separable_conv(x, kernel(2, 2, 2, 1), kernel(1, 1, 2, 2), padding="same"),
    shape=(6, 5, 2),
)
windows_case("convolutions_of_sequences_by_channels", lambda x: ops.depthwise_conv(x, kernel(3, 2, 2)), lambda x: ops.separable_conv(x, kernel(2, 2, 2), kernel(1, 4, 3), padding="same"), shape=(7, 2))
pair_case(WINDOWS, "convolution_with_kernel_of_model", lambda a, b: ops.conv(a, ops.mean(b, axis=0)), left=(5, 4, 2), right=(2, 3, 2, 3), evaluated=16)
for rank, shape in ((1, (7, 2)), (2, (6, 5, 2)), (3, (4, 5, 4, 2))):
    windows_case(
        f"pooling_of_{rank}_axes",
        lambda x: ops.max_pool(x, 2),
        lambda x: ops.max_pool(x, 3, strides=1, padding="same"),
        lambda x: ops.average_pool(x, 2, padding="same"),
        lambda x, rank=rank: ops.average_pool(x, (3, 2, 2)[:rank], strides=(1, 2, 1)[:rank]),
        shape=shape,
    )
windows_case("pooling_with_channels_first", lambda x: ops.max_pool(x, 2, data_format="channels_first"), lambda x: ops.average_pool(x, (2, 3), 1, data_format="channels_first"), shape=(2, 5, 6))

images_case("sizes", lambda x: image.resize(x, (4, 7)), lambda x: image.resize(x, (3, 3), "bicubic", antialias=True), lambda x: image.resize(x, (8, 8), interpolation="nearest"))
images_case("sizes_with_proportions", lambda x: image.resize(x, (4, 4), crop_to_aspect_ratio=True), lambda x: image.resize(x, (4, 4), pad_to_aspect_ratio=True, fill_value=0.5))
images_case("colours", lambda x: image.rgb_to_grayscale(x), lambda x: image.rgb_to_hsv(0.5 + 0.4 * x), since=(3, 6))
images_case(
    "borders",
    lambda x: image.crop_images(x, 1, 0, 1, 2),
    lambda x: image.crop_images(x, top_cropping=1, right_cropping=2, target_height=2, target_width=3),
    lambda x: image.pad_images(x, 1, 0, 1, 2),
    lambda x: image.pad_images(x, top_padding=1, right_padding=2, target_height=9, target_width=8),
)
images_case("patches", lambda x: image.extract_patches(x, 2), lambda x: image.extract_patches(x, (2, 3), strides=1, padding="same"), since=(3, 5))
images_case("patches_of_volumes", lambda x: image.extract_patches_3d(x, 2), shape=(4, 3, 4, 1), since=(3, 13))
images_case("filters", lambda x: image.gaussian_blur(x), lambda x: image.gaussian_blur(x, (3, 5), (1.0, 2.0)), since=(3, 9))
images_case("edges_and_similarity", lambda x: image.sobel_edges(x), lambda x: ops.expand_dims(image.ssim(0.5 + 0.4 * x, 0.5 - 0.3 * x, filter_size=3), -1), since=(3, 15))
images_case("transforms", *(lambda x, t=t, a=a: image.affine_transform(x, np.array(t, "float32"), **a) for t, a in (
    ([1, 0, 1, 0, 1, -2, 0, 0], {}), ([1, 0, -1, 0, 1, 1, 0, 0], {"interpolation": "nearest", "fill_value": 0.5}))))
images_case("blocks", lambda x: ops.space_to_depth(x, 2), lambda x: ops.depth_to_space(x, 2), shape=(4, 6, 4), since=(3, 15))
images_case("windows_as_channels", lambda x: ops.unfold(x, 2), lambda x: ops.unfold(x, (2, 3), padding=1, stride=2), shape=(2, 5, 6), since=(3, 14))
images_case("root_mean_squares", lambda x: ops.rms_normalization(x), lambda x: ops.rms_normalization(x, np.array([1.0, 2.0, 0.5], "float32"), epsilon=0.1), since=(3, 10))
