"""colour_layers.json, .npz: layers that change the colours of images, each called once. Random ones have ranges of one
number, so that nothing is left to chance; where a case has several outputs, each image is that of one of them."""

from common import Golden
from common import array
from common import describe
from common import keras
from common import np
from common import rng_for
from common import serialized
from common import tf

L = keras.layers
golden = Golden("colour_layers")

BYTES = (0, 255)
UNIT = (0.0, 1.0)


def pixels(shape, value_range=BYTES, dtype="float32", fractions=False):
    """Integers of bytes, or any numbers, scaled to the range."""

    def make(rng):
        values = rng.uniform(0, 255, shape) if fractions else rng.integers(0, 256, shape)
        return (values / 255 * (value_range[1] - value_range[0]) + value_range[0]).astype(dtype)

    return make


def case(name, make, inputs, training=True, transformations=None):
    """`transformations`: what `transform_images` is called with, for each of several outputs."""
    keras.backend.clear_session()
    layer = make()
    x = inputs(rng_for("colour_layers/" + name)) if callable(inputs) else inputs
    arrays = {"input0": x}
    if transformations is None:
        outputs = [layer(tf.constant(x), training=training)]
    else:
        images = tf.cast(x, layer.compute_dtype)
        outputs = [layer.transform_images(images, t, training=True) for t in transformations]
    for i, output in enumerate(outputs):
        dtype = keras.backend.standardize_dtype(output.dtype)
        arrays[f"output{i}"] = array(tf.cast(output, "float32") if dtype == "bfloat16" else output)
    data = serialized(layer)
    entry = {
        "name": name,
        "class_name": data["class_name"],
        "config": data["config"],
        "training": training,
        "inputs": [describe(x)],
        "output": describe(arrays["output0"]) | {"dtype": dtype},
        "alternatives": len(outputs),
    }
    golden.add(entry, arrays)


def colour_cases(name, make, integers=True, grey=False, unit=True, scale=1):
    """The kinds of images: ranges of values, formats, ranks, dtypes. `make` takes the arguments of all layers."""
    shape, first = (2, 7 * scale, 5 * scale, 3), (2, 3, 5 * scale, 7 * scale)
    case(name, lambda: make(), pixels(shape))
    case(f"{name}_fractions", lambda: make(), pixels(shape, fractions=True))
    case(f"{name}_one_image", lambda: make(), pixels(shape[1:], fractions=True))
    case(f"{name}_one_sample", lambda: make(), pixels((1, *shape[1:]), fractions=True))
    case(f"{name}_channels_first", lambda: make(data_format="channels_first"), pixels(first, fractions=True))
    case(f"{name}_one_image_channels_first", lambda: make(data_format="channels_first"), pixels(first[1:]))
    if unit:
        case(f"{name}_unit", lambda: make(value_range=UNIT), pixels(shape, UNIT))
        case(f"{name}_unit_fractions", lambda: make(value_range=UNIT), pixels(shape, UNIT, fractions=True))
        case(f"{name}_other_range", lambda: make(value_range=(-1, 3)), pixels(shape, (-1, 3), fractions=True))
    if integers:
        for dtype in ("uint8", "int32", "int64"):
            case(f"{name}_{dtype}", lambda: make(), pixels(shape, dtype=dtype))
        case(f"{name}_uint8_mixed", lambda: make(dtype="mixed_bfloat16"), pixels(shape, dtype="uint8"))
    case(f"{name}_float16", lambda: make(dtype="mixed_float16"), pixels(shape))
    case(f"{name}_bfloat16", lambda: make(dtype="mixed_bfloat16"), pixels(shape))
    case(f"{name}_float64", lambda: make(dtype="float64"), pixels(shape, dtype="float64", fractions=True))
    case(f"{name}_of_float64", lambda: make(), pixels(shape, dtype="float64"))
    if grey:
        case(f"{name}_grey", lambda: make(), pixels((2, 6, 5, 1)))
    for dtype in ("uint8", "float32"):
        case(f"{name}_inference_{dtype}", lambda: make(), pixels((2, 8, 9, 3), dtype=dtype), training=False)


def flat(dtype="float32"):
    """An image of one colour beside one whose first channel has one value."""
    images = np.full((2, 4, 3, 3), 77.0)
    images[1, :, :, 1:] = np.arange(24.0).reshape((4, 3, 2)) * 10
    return images.astype(dtype)


# Without random numbers.

colour_cases("equalization", L.Equalization, grey=True)
case("equalization_bins", lambda: L.Equalization(bins=13), pixels((2, 7, 5, 3)))
case("equalization_bins_unit", lambda: L.Equalization(UNIT, bins=300), pixels((2, 7, 5, 3), UNIT, fractions=True))
case("equalization_one_bin", lambda: L.Equalization(bins=1), pixels((2, 7, 5, 3)))
case("equalization_flat", lambda: L.Equalization(), np.full((2, 3, 3, 2), 5.0, "float32"))
case("equalization_flat_unit", lambda: L.Equalization((0, 1)), np.full((2, 3, 3, 2), 0.3, "float32"))
case("equalization_out_of_range", lambda: L.Equalization(), pixels((2, 7, 5, 3), (-100, 400), fractions=True))
case("equalization_range_in_other_order", lambda: L.Equalization((1, 0)), pixels((2, 7, 5, 3), UNIT))

colour_cases("auto_contrast", L.AutoContrast, grey=True)
case("auto_contrast_narrow", lambda: L.AutoContrast(), pixels((2, 7, 5, 3), (40, 90), fractions=True))
case("auto_contrast_flat", lambda: L.AutoContrast(), flat())
case("auto_contrast_flat_uint8", lambda: L.AutoContrast(), flat("uint8"))
case("auto_contrast_flat_unit", lambda: L.AutoContrast(UNIT), flat() / np.float32(255))
case("auto_contrast_black", lambda: L.AutoContrast(), np.zeros((1, 3, 2, 3), "float32"))

Clahe = L.ContrastLimitedAdaptiveHistogramEqualization
colour_cases("clahe", Clahe, grey=True, scale=3)
clahe_image = pixels((2, 13, 10, 2))
case("clahe_grid", lambda: Clahe(tile_grid_size=(3, 2)), clahe_image)
case("clahe_grid_divides", lambda: Clahe(tile_grid_size=(2, 5)), pixels((2, 12, 10, 3), fractions=True))
case("clahe_one_tile", lambda: Clahe(tile_grid_size=(1, 1)), clahe_image)
case("clahe_no_limit", lambda: Clahe(clip_limit=0, tile_grid_size=(2, 2)), clahe_image)
case("clahe_low_limit", lambda: Clahe(clip_limit=1.5, tile_grid_size=(2, 2)), clahe_image)
case("clahe_high_limit", lambda: Clahe(clip_limit=40.0, tile_grid_size=(2, 3)), clahe_image)
case("clahe_flat", lambda: Clahe(tile_grid_size=(2, 2)), flat())
case("clahe_out_of_range", lambda: Clahe(tile_grid_size=(2, 2)), pixels((2, 13, 10, 2), (-100, 400), fractions=True))


# With random numbers.


def with_factor(layer, *factor):
    return lambda **arguments: layer(factor, **arguments)


for number in (0.3, -0.45):
    sign = "darker" if number < 0 else "brighter"
    colour_cases(f"brightness_{sign}", with_factor(L.RandomBrightness, number, number), grey=True)
case("brightness_zero", lambda: L.RandomBrightness(0.0), pixels((2, 7, 5, 3), fractions=True))
for number in (-0.4, 0.0):
    # The factor is drawn from [1 - lower, 1 + upper).
    name = "contrast" if number else "contrast_zero"
    colour_cases(name, with_factor(L.RandomContrast, number, -number), integers=False, grey=True)
for number in (0.3, -0.2):
    name = "saturation" if number > 0 else "saturation_negative"
    colour_cases(name, with_factor(L.RandomSaturation, number, number), integers=False)
case("saturation_large", lambda: L.RandomSaturation((0.8, 0.8), UNIT), pixels((2, 7, 5, 3), UNIT, fractions=True))
colour_cases("hue_opposite", with_factor(L.RandomHue, 1.0, 1.0))
colour_cases("hue_zero", with_factor(L.RandomHue, 0.0, 0.0))
hues = [{"factor": tf.constant([sign * 0.15] * 2)} for sign in (1.0, -1.0)]
case("hue", lambda: L.RandomHue((0.3, 0.3)), pixels((2, 7, 5, 3)), transformations=hues)
case("hue_unit", lambda: L.RandomHue((0.3, 0.3), UNIT), pixels((2, 7, 5, 3), UNIT, fractions=True), transformations=hues)
colour_cases("grayscale", lambda value_range=None, **a: L.RandomGrayscale(1.0, **a), grey=True, unit=False)
case("grayscale_never", lambda: L.RandomGrayscale(0.0), pixels((2, 7, 5, 3), fractions=True))
colour_cases("invert", with_factor(L.RandomInvert, 1.0, 1.0), grey=True)
case("invert_never", lambda: L.RandomInvert((0.0, 0.0)), pixels((2, 7, 5, 3), fractions=True))
for bits in (1, 3, 8):
    colour_cases(f"posterization_{bits}", with_factor(L.RandomPosterization, bits, bits), grey=True)
colour_cases("sharpness", with_factor(L.RandomSharpness, 0.3, 0.3), grey=True)
colour_cases("sharpness_more", with_factor(L.RandomSharpness, 0.9, 0.9), grey=True)
case("sharpness_one_pixel", lambda: L.RandomSharpness((0.9, 0.9)), pixels((2, 1, 1, 3)))
for number in (0.3, -0.6):
    name = "color_degeneration" if number > 0 else "color_degeneration_negative"
    colour_cases(name, with_factor(L.RandomColorDegeneration, number, number), grey=True)


def jitter(**arguments):
    return L.RandomColorJitter(
        brightness_factor=(0.2, 0.2),
        contrast_factor=(-0.3, 0.3),
        saturation_factor=(0.4, 0.4),
        hue_factor=(0.0, 0.0),
        **arguments,
    )


images = pixels((2, 7, 5, 3), fractions=True)
case("color_jitter", jitter, images)
case("color_jitter_unit", lambda: jitter(value_range=UNIT), pixels((2, 7, 5, 3), UNIT, fractions=True))
case("color_jitter_one_image", jitter, pixels((7, 5, 3)))
case("color_jitter_uint8", jitter, pixels((2, 7, 5, 3), dtype="uint8"))
case("color_jitter_float16", lambda: jitter(dtype="mixed_float16"), pixels((2, 7, 5, 3)))
case("color_jitter_of_nothing", lambda: L.RandomColorJitter(), pixels((2, 7, 5, 3), dtype="uint8"))
case("color_jitter_brightness", lambda: L.RandomColorJitter(brightness_factor=(-0.2, -0.2), seed=3), images)
case("color_jitter_saturation", lambda: L.RandomColorJitter(saturation_factor=(0.3, 0.3)), images)
case("color_jitter_hue", lambda: L.RandomColorJitter(hue_factor=(1.0, 1.0)), images)
# The layers that it consists of take the channels for the last axis.
case(
    "color_jitter_channels_first",
    lambda: L.RandomColorJitter(contrast_factor=(-0.3, 0.3), data_format="channels_first"),
    pixels((2, 3, 5, 7)),
)
case("color_jitter_inference", jitter, pixels((2, 7, 5, 3), dtype="uint8"), training=False)

colour_cases("gaussian_blur", lambda **a: L.RandomGaussianBlur((1.0, 1.0), 3, (0.6, 0.6), **a), grey=True)
case("gaussian_blur_window", lambda: L.RandomGaussianBlur((1.0, 1.0), (5, 3), (0.9, 0.9)), images)
case("gaussian_blur_never", lambda: L.RandomGaussianBlur((0.0, 0.0)), images)
case("gaussian_blur_limits", lambda: L.RandomGaussianBlur((0.0, 0.0), value_range=(50, 100)), images)
case("gaussian_blur_sharp", lambda: L.RandomGaussianBlur((1.0, 1.0), 3, (0.0, 0.0)), images)

colour_cases("solarization", L.Solarization, grey=True)
case("solarization_out_of_range", lambda: L.Solarization(), pixels((2, 7, 5, 3), (-100, 400), fractions=True))

# Layers that mix changes, or images, where there is nothing to mix.
for name, make in {
    "rand_augment": lambda **a: L.RandAugment(num_ops=0, factor=(0.2, 0.4), seed=5, **a),
    "aug_mix": lambda **a: L.AugMix(chain_depth=0, all_ops=False, alpha=0.5, **a),
    "mix_up": lambda **a: L.MixUp(alpha=0.3, **a),
    "cut_mix": lambda **a: L.CutMix(factor=0.7, seed=2, **a),
}.items():
    for dtype in ("float32", "uint8"):
        case(f"{name}_of_nothing_{dtype}", lambda: make(), pixels((1, 5, 6, 3), dtype=dtype))
        case(f"{name}_inference_{dtype}", lambda: make(), pixels((3, 5, 6, 3), dtype=dtype), training=False)
    case(f"{name}_one_image", lambda: make(data_format="channels_first"), pixels((3, 5, 6)))
    case(f"{name}_float16", lambda: make(dtype="mixed_float16"), pixels((1, 5, 6, 3)))

golden.save()
