"""quantization (json, npz): layers and models after quantize("int8"): weights, outputs, gradients of inputs, LoRA."""

import os
import tempfile

from common import FOLDER, Golden, keras, normal, np, rng_for, serialized, tf

L = keras.layers
Q = keras.quantizers
golden = Golden("quantization")


def saved(layer):
    """The layer's own variables in files."""
    store = {}
    layer.save_own_variables(store)
    return [np.asarray(keras.ops.convert_to_numpy(store[str(i)])) for i in range(len(store))]


def case(name, make, shape, policy="float32", config=None, indices=0, lora=True):
    keras.backend.clear_session()
    keras.config.set_dtype_policy(policy)
    rng = rng_for(name)
    layer = make()
    layer.build((None, *shape[1:]))
    for weight in layer.weights:
        weight.assign(normal(rng, weight.shape))
    before = {f"before{i}": keras.ops.convert_to_numpy(w) for i, w in enumerate(layer.weights)}
    x = rng.integers(0, indices, shape).astype("int32") if indices else normal(rng, shape, 2.0)
    layer.quantize("int8", config=config)
    arrays = {"x": x, **before}
    for i, weight in enumerate(layer.weights):
        arrays[f"weight{i}"] = keras.ops.convert_to_numpy(weight)

    def call(prefix):
        inputs = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = layer(inputs)
            upstream = tf.constant(normal(rng, y.shape))
            loss = tf.reduce_sum(tf.cast(y, "float32") * upstream)
        arrays[prefix + "y"] = np.asarray(tf.cast(y, "float32"))
        arrays[prefix + "upstream"] = upstream.numpy()
        # Keras's gradient of a layer with LoRA in mixed precision adds two dtypes, which TensorFlow refuses.
        if not indices and not (prefix and policy != "float32"):
            arrays[prefix + "gradient"] = tape.gradient(loss, inputs).numpy()
        return keras.backend.standardize_dtype(y.dtype)

    dtype = call("")
    for i, value in enumerate(saved(layer)):
        arrays[f"saved{i}"] = value
    names = [w.path.split("/", 1)[1] for w in layer.weights]
    if lora:
        layer.enable_lora(2, lora_alpha=3)
        for i, weight in enumerate([w for w in layer.weights if "lora" in w.name]):
            weight.assign(normal(rng, weight.shape))
            arrays[f"lora{i}"] = weight.numpy()
        call("lora_")
        for i, value in enumerate(saved(layer)):
            arrays[f"merged{i}"] = value
    golden.add(
        {
            "name": name,
            "policy": policy,
            "layer": serialized(make()),
            "quantized": serialized(layer),
            "dtype_policy": layer.dtype_policy.name,
            "dtype": dtype,
            "names": names,
            "config": serialized(config) if config else None,
            "input_shape": list(shape),
            "lora": lora,
            "weights": len(before),
            "all_weights": len(names),
        },
        arrays,
    )


def main():
    case("dense", lambda: L.Dense(4, activation="tanh"), (3, 5))
    case("dense_of_sequences", lambda: L.Dense(4, use_bias=False), (3, 2, 5))
    case("dense_in_mixed_precision", lambda: L.Dense(4), (3, 5), policy="mixed_bfloat16")
    weights_only = Q.Int8QuantizationConfig(weight_quantizer=Q.AbsMaxQuantizer(axis=0), activation_quantizer=None)
    case("dense_with_real_inputs", lambda: L.Dense(4), (3, 5), config=weights_only)
    other = Q.Int8QuantizationConfig(
        weight_quantizer=Q.AbsMaxQuantizer(axis=0, value_range=(-100, 100)),
        activation_quantizer=Q.AbsMaxQuantizer(value_range=(-64, 63)),
    )
    case("dense_with_other_ranges", lambda: L.Dense(4), (3, 5), config=other)
    case("deep_dense", lambda: L.Dense(3), (2, 1500))
    case("einsum_of_queries", lambda: L.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de"), (3, 4, 5))
    case("einsum_of_heads", lambda: L.EinsumDense("abde,def->abf", (None, 4), activation="relu"), (3, 2, 4, 5))
    case("einsum_with_rows", lambda: L.EinsumDense("abc,dc->adb", (6, 4)), (3, 4, 5), lora=False)
    case("einsum_transposed", lambda: L.EinsumDense("abc,cd->adb", (6, 4)), (3, 4, 5), lora=False)
    case("einsum_with_real_inputs", lambda: L.EinsumDense("abc,cd->abd", (4, 6)), (3, 4, 5),
         config=Q.Int8QuantizationConfig(activation_quantizer=None))  # fmt: skip
    case("embedding", lambda: L.Embedding(9, 4), (3, 5), indices=9)
    keras.config.set_dtype_policy("float32")

    golden.save()


if __name__ == "__main__":
    main()
