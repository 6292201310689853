"""Functions and classes of keras.quantizers."""

import json
import os

from common import FOLDER, keras, np, plain, tf

quantizers = keras.quantizers


def listed(x):
    return np.asarray(tf.cast(x, "float64")).tolist()


def abs_max(dtype, axis, **options):
    x = tf.cast(RANDOM.normal(size=(3, 4, 5)) * 3, dtype)
    y, scale = quantizers.abs_max_quantize(x, axis, **options)
    return {
        "dtype": dtype,
        "axis": list(axis),
        "range": list(options.get("value_range", (-127, 127))),
        "x": listed(x),
        "outputs": listed(y),
        "scale": listed(scale),
    }


def fake_quant(low, high, axis=None, **options):
    x = tf.constant(RANDOM.uniform(-4, 4, size=(3, 4, 5)), "float32")
    low, high = tf.constant(low, "float32"), tf.constant(high, "float32")
    upstream = tf.constant(RANDOM.normal(size=x.shape), "float32")
    with tf.GradientTape() as tape:
        tape.watch([x, low, high])
        y = quantizers.fake_quant_with_min_max_vars(x, low, high, axis=axis, **options)
        loss = tf.reduce_sum(y * upstream)
    gradients = tape.gradient(loss, [x, low, high])
    return {
        "axis": axis,
        "options": options,
        "x": listed(x),
        "min": listed(low),
        "max": listed(high),
        "upstream": listed(upstream),
        "y": listed(y),
        "gradients": [listed(g) for g in gradients],
    }


def float8(name, dtype):
    # All exponents, ties of the significand, and numbers beyond the range.
    exponents = RANDOM.integers(-18, 18, size=300)
    x = np.concatenate([RANDOM.normal(size=300) * 2.0**exponents, (8 + np.arange(0, 8, 0.5)) * 2.0**-9, [0, 1e6, -1e6]])
    x = tf.cast(x, dtype)
    scale = tf.constant(0.75, "float32")
    y = quantizers.quantize_and_dequantize(x, scale, name, dtype)
    return {"name": name, "dtype": dtype, "x": listed(x), "scale": 0.75, "y": listed(y)}


def int4(shape, axis, dtype):
    low, high = (-8, 8) if dtype == "int8" else (0, 16)
    x = tf.constant(RANDOM.integers(low, high, size=shape), dtype)
    packed, packed_shape, length = quantizers.pack_int4(x, axis=axis, dtype=dtype)
    unpacked = quantizers.unpack_int4(packed, length, axis=axis, dtype=dtype)
    np.testing.assert_array_equal(x, unpacked)
    return {"dtype": dtype, "axis": axis, "x": listed(x), "packed": listed(packed), "shape": list(packed_shape)}


def main():
    amax = tf.constant([0.0, 3.0, float("inf"), 10.0])
    history = tf.constant([1.0, 5.0, 2.0, 4.0])
    content = {
        "abs_max": [
            abs_max("float32", (0,)),
            abs_max("float32", (-1,)),
            abs_max("float32", (0, 2)),
            abs_max("float32", (1,), value_range=(-8, 7)),
            abs_max("bfloat16", (-1,)),
            abs_max("float64", (2,)),
        ],
        "fake_quant": [
            fake_quant(-1.5, 2.0),
            fake_quant(-3.0, 3.0, num_bits=4, narrow_range=True),
            fake_quant(0.5, 2.0, num_bits=5),
            fake_quant(0.0, 0.0),
            fake_quant([-1.0, -2.0, 0.0, -0.1, -3.0], [1.0, 2.5, 3.0, 0.4, -1.0], axis=-1),
            fake_quant([-1.0, -2.0, 0.0, -0.1], [1.0, 2.5, 3.0, 0.4], axis=1, num_bits=6, narrow_range=True),
        ],
        "float8": [float8(name, dtype) for name in ("float8_e4m3fn", "float8_e5m2") for dtype in ("float32", "bfloat16")],
        "float8_scale": listed(quantizers.compute_float8_scale(amax, tf.constant(2.0), tf.constant(448.0))),
        "float8_history": listed(quantizers.compute_float8_amax_history(tf.constant([[-7.0, 3.0]]), history)),
        "int4": [
            int4((3, 2), 0, "int8"),
            int4((4, 5), 1, "int8"),
            int4((2, 3, 4), -2, "int8"),
            int4((5, 2), 0, "uint8"),
        ],
        "configs": [
            quantizers.serialize(quantizers.AbsMaxQuantizer()),
            quantizers.serialize(
                quantizers.AbsMaxQuantizer(axis=0, value_range=(-8, 7), epsilon=0.5, output_dtype="int8")
            ),
        ],
        "int8_configs": [
            keras.saving.serialize_keras_object(quantizers.Int8QuantizationConfig()),
            keras.saving.serialize_keras_object(
                quantizers.Int8QuantizationConfig(
                    weight_quantizer=quantizers.AbsMaxQuantizer(axis=0), activation_quantizer=None
                )
            ),
        ],
    }
    with open(os.path.join(FOLDER, "quantizers.json"), "w", encoding="utf-8") as f:
        json.dump(plain(content), f, allow_nan=False)
        f.write("\n")
    print("quantizers")


RANDOM = np.random.default_rng(20261128)

if __name__ == "__main__":
    main()
