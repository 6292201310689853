"""Convolutions, pooling, blocks and images on symbolic tensors: areas of make_operations.py."""

from operations import Area


def windows():
    f = Area("windows")
    shapes = {1: "6,2", 2: "4,5,2", 3: "3,3,4,2"}
    kernels = {1: "!2", 2: "!2,3", 3: "!2,3,2"}
    for axes in (1, 2, 3):
        x, kernel = shapes[axes], kernels[axes]
        lists = ["(2,)", "(2, 1)", "[1, 2, 1]"][axes - 1]
        for arguments in ("", ", 2, 'same'", f", strides={lists}", ", padding='SAME', dilation_rate=2"):
            f.add(f"{x}|{kernel},2,3", f"ops.conv(x, y{arguments})")
        f.add(f"{x}|{kernel},3,2", "ops.conv_transpose(x, y)")
        f.add(f"{x}|{kernel},3,2", f"ops.conv_transpose(x, y, {lists}, 'same')")
        f.add(f"{x}|{kernel},3,2", "ops.conv_transpose(x, y, 3, output_padding=1)")
        for name in ("max_pool", "average_pool"):
            for arguments in ("2", f"{lists}, strides=1", "2, padding='same'", "pool_size=3, strides=2, padding='SAME'"):
                f.add(x, f"ops.{name}(x, {arguments})")
            f.add(x, f"ops.{name}(x, 2, data_format='channels_first')")
        for name in ("adaptive_max_pool", "adaptive_average_pool"):
            for size in ("2", ["(4,)", "(2, 4)", "(2, 3, 4)"][axes - 1], str([3] * axes)):
                f.add(x, f"ops.{name}(x, {size})")
            f.add(x, f"ops.{name}(x, {tuple([2] * axes)}, data_format='channels_first')")
    for axes in (1, 2):
        x, kernel = shapes[axes], kernels[axes]
        ones = ["!1", "!1,1"][axes - 1]
        for arguments in ("", ", 2, 'same'", ", padding='SAME', dilation_rate=2", ", strides=2, dilation_rate=2"):
            f.add(f"{x}|{kernel},2,3", f"ops.depthwise_conv(x, y{arguments})")
            f.add(f"{x}|{kernel},2,3|{ones},6,2", f"ops.separable_conv(x, y, z{arguments})")
    f.add("2,6|!3,2,2", "ops.depthwise_conv(x, y, data_format='channels_first')")
    f.add("2,6|!3,2,2|!1,4,3", "ops.separable_conv(x, y, z, data_format='channels_first')")
    f.add("6,4|!3,2,4", "ops.conv(x, y)")
    f.add("2,3|!3,2,4", "ops.conv(x, y)")
    f.add("3,3,2|!4,2,2,1", "ops.conv(x, y)")
    f.add("3,3,2|!2,2,1", "ops.conv(x, y)")
    f.add("3,3,2|!2,2,2,1", "ops.conv(x, y, dilation_rate=(1, 1, 1))")
    f.add("3,3,2|!2,2,2,1", "ops.conv(x, y, padding='causal')")
    f.add("3,3,2|!2,2,2,1", "ops.conv(x, y, data_format='foo')")
    f.add("3,3,2", "ops.max_pool(x, 4)")
    f.add("3,3,2", "ops.max_pool(x, (2, 4), strides=(1, 2))")
    f.add("3,3,2", "ops.average_pool(x, 2, padding='causal')")
    f.add("3,3,2|!2,2,3,1", "ops.depthwise_conv(x, y)")
    f.add("3,3,2|!2,2,1,3", "ops.conv_transpose(x, y)")
    # Windows over axes of unknown length.
    for expression in (
        "ops.conv(x, np.ones((3, 3, 2, 1), 'float32'))", "ops.conv(x, np.ones((1, 1, 2, 1), 'float32'), 5000, 'same')",
        "ops.max_pool(x, 2)", "ops.max_pool(x, 3000, padding='same')", "ops.average_pool(x, 2, strides=1000, padding='same')",
        "ops.depthwise_conv(x, np.ones((2, 2, 2, 1), 'float32'))", "ops.conv_transpose(x, np.ones((2, 2, 3, 2), 'float32'), 2)",
        "ops.space_to_depth(x, 2)", "ops.depth_to_space(ops.concatenate([x, x], axis=-1), 2)", "ops.image.resize(x, (4, 3))",
        "ops.image.extract_patches(x, 2)", "ops.image.crop_images(x, 1, 1, target_height=2, target_width=1)",
        "ops.image.crop_images(x, 1, 1, 1, 1)", "ops.image.pad_images(x, 1, 2, 3, 1)",
        "ops.image.pad_images(x, 1, None, None, 1, target_height=9, target_width=7)", "ops.image.gaussian_blur(x)",
        "ops.image.sobel_edges(x)", "ops.image.ssim(x, x, filter_size=3)",
        "ops.image.affine_transform(x, np.array([1, 0, 1, 0, 1, 0, 0, 0], 'float32'))",
    ):  # fmt: skip
        f.add("?4,4,2", expression, expression)
    f.save()


def blocks():
    f = Area("blocks")
    f.add("2,3,8", "ops.depth_to_space(x, 2)")
    f.add("18,1,2", "ops.depth_to_space(x, block_size=3, data_format='channels_first')")
    f.add("4,6,2", "ops.space_to_depth(x, 2)")
    f.add("2,3,6 int32", "ops.space_to_depth(x, 3, data_format='channels_first')")
    f.add("3,3,3", "ops.depth_to_space(x, 2)")
    f.add("3,4,3", "ops.space_to_depth(x, 2)")
    f.add("4,3,3", "ops.space_to_depth(x, 2)")
    f.add("4,4", "ops.space_to_depth(x, 2)")
    f.add("4,4,4", "ops.space_to_depth(x, 1)")
    f.add("2,5,6", "ops.unfold(x, 2)")
    f.add("2,5,6", "ops.unfold(x, (2, 3), stride=2)")
    f.add("2,5,6", "ops.unfold(x, kernel_size=2, dilation=(2, 1), padding=1)")
    f.add("2,5", "ops.unfold(x, 2)")
    f.add("!2,2,5,6", "ops.unfold(x, 2)")
    f.add("8,4", "ops.fold(x, 3, 2)")
    f.add("8,6", "ops.fold(x, output_size=(4, 5), kernel_size=[2, 2], padding=(0, 1), stride=2)")
    f.add("!2,8,4", "ops.fold(x, 3, 2)")
    f.add("7,4", "ops.fold(x, 3, 2)")
    f.add("4", "ops.fold(x, 3, 2)")
    f.add("3|3", "ops.psnr(x, y, 2.0)")
    f.add("3|3", "ops.psnr(x, x2 := y * 0.5, max_val=255)")
    f.add("3", "ops.psnr(x, np.array([[1.0, 2.0, 3.0]] * 3, 'float32'), 1)")
    f.add("3|3,2", "ops.psnr(x, y, 2.0)")
    f.add("3", "ops.rms_normalization(x)")
    f.add("2,3", "ops.rms_normalization(x, axis=(1, 2))")
    f.add("2,3|!3", "ops.rms_normalization(x, y, epsilon=0.5)")
    f.add("3", "ops.rms_normalization(x, scale=np.array([1.0, 2.0, 0.5], 'float32'), axis=[-1])")
    f.add("3 float16", "ops.rms_normalization(x, axis=1)")
    for dtype in "uint8 int32 float16 bool".split():
        f.add("4", f"ops.saturate_cast(x * 100.0, '{dtype}')")
    f.add("4 int32", "ops.saturate_cast(x * 1000, dtype='uint8')")
    f.save()


def images():
    f = Area("image")
    for name in ("rgb_to_grayscale", "rgb_to_hsv", "hsv_to_rgb"):
        f.add("2,2,3 float32 unit", f"ops.image.{name}(x)")
        f.add("3,2,2 float32 unit", f"ops.image.{name}(x, data_format='channels_first')")
        f.add("2,2,2", f"ops.image.{name}(x)")
        f.add("3", f"ops.image.{name}(x)")
    f.add("2,2,3 uint8", "ops.image.rgb_to_grayscale(x)")
    f.add("2,2,3 uint8", "ops.image.rgb_to_hsv(x)")
    f.add("!2,2,3 float32 unit", "ops.image.rgb_to_hsv(x)")
    f.add("3,4,2", "ops.image.resize(x, (5, 2))")
    f.add("!3,4,2", "ops.image.resize(x, [5, 2], 'nearest')")
    f.add("3,4,2 uint8", "ops.image.resize(x, (2, 3), interpolation='bicubic', antialias=True)")
    f.add("3,4,2", "ops.image.resize(x, (3, 3), crop_to_aspect_ratio=True)")
    f.add("3,4,2", "ops.image.resize(x, (3, 3), pad_to_aspect_ratio=True, fill_value=0.5)")
    f.add("2,3,4", "ops.image.resize(x, (2, 3), data_format='channels_first')")
    f.add("4,2", "ops.image.resize(ops.expand_dims(ops.expand_dims(x, 0), 0), (2, 3))")
    f.add("4", "ops.image.resize(x, (2, 3))")
    f.add("3,4,2", "ops.image.resize(x, (0, 3))")
    f.add("3,4,2", "ops.image.resize(x, (2, 3, 4))")
    f.add("3,4,2", "ops.image.resize(x, (2, 3), crop_to_aspect_ratio=True, pad_to_aspect_ratio=True)")
    turned = "np.array([0.8, -0.55, 1.3, 0.6, 0.75, -1.1, 0.0, 0.0], 'float32')"
    f.add("4,3,2", f"ops.image.affine_transform(x, {turned})")
    f.add("4,3,2", f"ops.image.affine_transform(x, {turned}, 'nearest', fill_mode='wrap', fill_value=1)")
    f.add("4,3,2|8 float32 unit", "ops.image.affine_transform(x, y, fill_value=0.5)")
    f.add("2,4,3", f"ops.image.affine_transform(x, {turned}, data_format='channels_first')")
    f.add("4,3,2|!1,1,8", "ops.image.affine_transform(x, y)")
    f.add("4", f"ops.image.affine_transform(x, {turned})")
    starts = "np.array([[0, 0], [0, 4], [5, 0], [5, 4]], 'float32')"
    ends = "np.array([[0.5, 0.25], [0.75, 4.5], [4.25, -0.5], [5.5, 3.5]], 'float32')"
    f.add("5,6,2 float32 unit", f"ops.image.perspective_transform(x, {starts}, {ends})")
    f.add("5,6,2 float32 unit", f"ops.image.perspective_transform(x, {starts}, {ends}, interpolation='nearest', fill_value=0.5)")
    f.add("5,6,2 float32 unit|!3,2", f"ops.image.perspective_transform(x, y, {ends})")
    f.add("5,6,2 float32 unit|!4,2", f"ops.image.perspective_transform(x, np.stack([{starts}] * 3), y)")
    f.add("3|!2,4 float32 unit", "ops.image.map_coordinates(x, y, 1)")
    f.add("3|!2,4", "ops.image.map_coordinates(x, y, order=0, fill_mode='nearest')")
    f.add("3|!2,2,2", "ops.image.map_coordinates(x, y, 1, 'constant', 7)")
    f.add("!4,3|!2,5", "ops.image.map_coordinates(x, y, 1, fill_mode='reflect', fill_value=0.5)")
    f.add("3|!3,4", "ops.image.map_coordinates(x, y, 1)")
    f.add("!3|!1", "ops.image.map_coordinates(x, y, 1)")
    f.add("4,5,2", "ops.image.gaussian_blur(x)")
    f.add("4,5,2", "ops.image.gaussian_blur(x, kernel_size=(3, 5), sigma=(1.0, 2.0))")
    f.add("!4,5,2", "ops.image.gaussian_blur(x, [5, 5], [0.5, 1.5], 'channels_last')")
    f.add("4", "ops.image.gaussian_blur(x)")
    f.add("!2,3,3,1", "ops.image.elastic_transform(x, alpha=0.0, seed=1)")
    f.add("3,3,1", "ops.image.elastic_transform(x, 0.0, 1.0, 'nearest', 'wrap', 0.5, 3, 'channels_last')")
    f.add("3", "ops.image.elastic_transform(x)")
    f.add("4,5,2", "ops.image.sobel_edges(x)")
    f.add("!4,5,2", "ops.image.sobel_edges(x)")
    f.add("4,5,2|4,5,2", "ops.image.ssim(x, y, filter_size=3)")
    f.add("!4,5,2|!4,5,2", "ops.image.ssim(x, y, 2.0, 3, filter_sigma=1.0, k1=0.02, k2=0.05)")
    f.add("4|4,5,2", "ops.image.ssim(x, y)")
    f.add("4,5,2|4", "ops.image.ssim(x, y)")
    f.add("4,5,2", "ops.image.crop_images(x, 1, 0, 1, 2)")
    f.add("4,5,2", "ops.image.crop_images(x, top_cropping=1, right_cropping=2, target_height=2, target_width=3)")
    f.add("!4,5,2", "ops.image.crop_images(x, bottom_cropping=1, left_cropping=1, target_height=2, target_width=3)")
    f.add("4,5,2", "ops.image.crop_images(x, 1, 2)")
    f.add("4,5,2", "ops.image.crop_images(x, 1, 2, 4, 1)")
    f.add("4,5,2", "ops.image.crop_images(x, -1, 2, 4, 1)")
    f.add("4", "ops.image.crop_images(x, 1, 1, 1, 1)")
    f.add("4,5,2", "ops.image.pad_images(x, 1, 0, 1, 2)")
    f.add("4,5,2 int32", "ops.image.pad_images(x, top_padding=1, right_padding=2, target_height=7, target_width=8)")
    f.add("2,4,5", "ops.image.pad_images(x, 1, 2, 3, 1, data_format='channels_first')")
    f.add("4,5,2", "ops.image.pad_images(x, 1, 2)")
    f.add("4,5,2", "ops.image.pad_images(x, 1, 2, None, 1, target_height=3)")
    f.add("4", "ops.image.pad_images(x, 1, 1, 1, 1)")
    f.add("5,6,2", "ops.image.extract_patches(x, 2)")
    f.add("5,6,2", "ops.image.extract_patches(x, (2, 3), strides=1, padding='same')")
    f.add("!5,6,2", "ops.image.extract_patches(x, [3, 2], strides=(1, 2))")
    f.add("5,6,2", "ops.image.extract_patches(x, 2, 1, dilation_rate=2)")
    f.add("3,4,5,1", "ops.image.extract_patches(x, (1, 2, 3))")
    f.add("3,4,5,1", "ops.image.extract_patches_3d(x, 2)")
    f.add("3,4,5,1", "ops.image.extract_patches_3d(x, (1, 2, 3), strides=(1, 2, 2), padding='same')")
    f.add("!3,4,5,1", "ops.image.extract_patches_3d(x, size=2, strides=1)")
    f.add("5,6,2", "ops.image.extract_patches(x, 7)")
    f.add("5,6,2", "ops.image.extract_patches(x, (2, 2, 2, 2))")
    f.add("!4,5,2|!2 float32 positive|!2", "ops.image.scale_and_translate(x, (6, 3, 2), y, z, (0, 1), 'linear')")
    f.add("4,3", "ops.image.scale_and_translate(x, (3, 6, 3), np.array([1.3], 'float32'), np.array([0.2], 'float32'), [1], 'cubic', antialias=False)")  # fmt: skip
    f.add("2|!2,4,3|!1", "ops.image.scale_and_translate(y, (2, 6, 3), np.array([0.6], 'float32'), z, (1,), method='lanczos3')")
    f.save()
