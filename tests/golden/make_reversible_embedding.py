"""reversible_embedding.json, .npz: ReversibleEmbedding called in both directions, with gradients."""

from common import Golden
from common import array
from common import keras
from common import normal
from common import rng_for
from common import serialized
from common import tf

golden = Golden("reversible_embedding")
TOKENS, WIDTH = 6, 4


def dtype_name(tensor):
    return keras.backend.standardize_dtype(tensor.dtype)


def case(name, model_policy="float32", **arguments):
    """The gradients are those of the sum of both results, each multiplied by its cotangent. `model_policy` is that of
    the model that calls the layer."""
    keras.backend.clear_session()
    rng = rng_for("reversible_embedding/" + name)
    layer = keras.layers.ReversibleEmbedding(TOKENS, WIDTH, **arguments)
    tokens = rng.integers(0, TOKENS, (2, 3)).astype("int32")
    x = normal(rng, (2, 3, WIDTH))
    layer.build((None, 3))
    layer.set_weights([normal(rng, w.shape) for w in layer.weights])
    x_tensor = tf.constant(x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x_tensor)
        rows = layer(tf.constant(tokens))
        mask = keras.src.backend.get_keras_mask(rows)
        logits = layer(x_tensor, reverse=True)
        cotangents = [normal(rng, rows.shape), normal(rng, logits.shape)]
        target = tf.add_n([tf.reduce_sum(tf.cast(y, "float32") * c) for y, c in zip((rows, logits), cotangents)])
    keras.config.set_dtype_policy(model_policy)
    inputs = keras.Input((3,), dtype="int32")
    model = keras.Model(inputs, layer(layer(inputs), reverse=True))
    in_model = model(tokens)
    keras.config.set_dtype_policy("float32")
    arrays = {
        "tokens": tokens,
        "x": x,
        "rows": array(tf.cast(rows, "float32")),
        "logits": array(tf.cast(logits, "float32")),
        "in_model": array(tf.cast(in_model, "float32")),
        "cotangent0": cotangents[0],
        "cotangent1": cotangents[1],
        "x_gradient": array(tape.gradient(target, x_tensor)),
    }
    for i, weight in enumerate(layer.weights):
        arrays[f"weight{i}"] = array(weight.value)
        gradient = tape.gradient(target, weight.value)
        arrays[f"weight_gradient{i}"] = array(tf.convert_to_tensor(gradient))
    if mask is not None:
        arrays["mask"] = array(mask)
    data = serialized(layer)
    entry = {
        "name": name,
        "model_policy": model_policy,
        "class_name": data["class_name"],
        "config": data["config"],
        "weights": [{"name": w.name, "shape": list(w.shape)} for w in layer.weights],
        "dtypes": {"rows": dtype_name(rows), "logits": dtype_name(logits), "in_model": dtype_name(in_model)},
        "masked": mask is not None,
    }
    golden.add(entry, arrays)


case("tied")
case("own_weights", tie_weights=False)
case("masked", mask_zero=True)
case("capped", logit_soft_cap=1.5)
case("capped_own_weights", tie_weights=False, logit_soft_cap=0.5, mask_zero=True)
case("reverse_float64", reverse_dtype="float64")
case("reverse_float16", reverse_dtype="float16", logit_soft_cap=2.0)
case("regularized", embeddings_regularizer="l2", tie_weights=False)
case("mixed_float16", dtype="mixed_float16")
case("mixed_float16_reverse_float32", dtype="mixed_float16", reverse_dtype="float32")
case("mixed_bfloat16_own_weights", dtype="mixed_bfloat16", tie_weights=False)
case("float16", dtype="float16")
# Within a model of a mixed policy weights keep their dtype.
case("mixed_model", model_policy="mixed_float16", dtype="mixed_float16")
case("mixed_model_own_weights", model_policy="mixed_bfloat16", dtype="mixed_bfloat16", tie_weights=False)
case("mixed_model_reverse_float16", model_policy="mixed_float16", dtype="mixed_float16", reverse_dtype="float16")

golden.save()
