"""attention.json, attention.npz: the attention layers with masks and all arguments, called once, with their gradients."""

from common import Golden
from common import array
from common import describe
from common import keras
from common import normal
from common import np
from common import rng_for
from common import serialized
from common import tf
from keras.src import backend

L = keras.layers
R = keras.regularizers
golden = Golden("attention")

BATCH = 3
QUERIES = 4
KEYS = 5
WIDTH = 6


def shapes(query=(QUERIES, WIDTH), value=(KEYS, WIDTH), key=None):
    return [(BATCH, *shape) for shape in (query, value, key) if shape is not None]


SAME = shapes(value=(QUERIES, WIDTH))
# Which steps count: all, some, none.
STEPS = {
    QUERIES: [[1, 1, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0]],
    KEYS: [[1, 1, 0, 0, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0]],
}


def steps(length):
    return np.array(STEPS[length], "bool")


def pairs(rng, *shape):
    """Masks of pairs; the first query of each may use no key."""
    mask = rng.random(shape) < 0.6
    mask[..., 0, :] = False
    return mask


def case(name, make, inputs=None, own=(), listed=False, training=False, **given):
    """make: builds the layer. inputs: shapes of query, value and key. own: masks of these tensors, by number. listed: the
    call is on a list, with the list of masks in `mask`. given: arguments of the call, functions of a generator for arrays.
    The gradients are those of the sum of output * cotangent over all outputs, without the layer's losses."""
    keras.backend.clear_session()
    rng = rng_for("attention/" + name)
    layer = make()
    xs = [tf.constant(normal(rng, shape)) for shape in inputs or shapes()]
    if listed:
        layer.build([tuple(x.shape) for x in xs])
    else:
        layer.build(*[tuple(x.shape) for x in xs])
    layer.set_weights([normal(rng, w.shape, 0.5) for w in layer.weights])
    arrays = {f"input{i}": array(x) for i, x in enumerate(xs)}
    flags, masks = {}, {}
    for key, value in given.items():
        if callable(value):
            masks[key] = tf.constant(value(rng))
            arrays[key] = array(masks[key])
        elif key == "mask":
            masks[key] = [None if mask is None else tf.constant(mask) for mask in value]
            arrays |= {f"mask{i}": mask for i, mask in enumerate(value) if mask is not None}
        else:
            flags[key] = value
    for i, x in enumerate(xs):
        if i in own:
            arrays[f"own_mask{i}"] = steps(x.shape[1])
    arguments = {**masks, **flags}
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(xs)
        for i in own:
            backend.set_keras_mask(xs[i], tf.constant(steps(xs[i].shape[1])))
        called = (xs,) if listed else tuple(xs)
        outputs = keras.tree.flatten(layer(*called, training=training, **arguments))
        cotangents = [normal(rng, output.shape) for output in outputs]
        target = tf.add_n([tf.reduce_sum(output * cotangent) for output, cotangent in zip(outputs, cotangents)])
        losses = list(layer.losses)
        total = tf.add_n(losses) if losses else None
    for i, x in enumerate(xs):
        gradient = tape.gradient(target, x)
        arrays[f"input_gradient{i}"] = array(tf.zeros_like(x) if gradient is None else gradient)
    for i, (output, cotangent) in enumerate(zip(outputs, cotangents)):
        arrays[f"output{i}"] = array(output)
        arrays[f"cotangent{i}"] = cotangent
    mask = backend.get_keras_mask(outputs[0])
    if mask is not None:
        arrays["output_mask"] = array(mask)
    for i, w in enumerate(layer.weights):
        arrays[f"weight{i}"] = array(w)
        gradient = tape.gradient(target, w.value)
        arrays[f"weight_gradient{i}"] = array(tf.zeros(w.shape) if gradient is None else gradient)
        if losses:
            gradient = tape.gradient(total, w.value)
            arrays[f"loss_weight_gradient{i}"] = array(tf.zeros(w.shape) if gradient is None else gradient)
    for i, loss in enumerate(losses):
        arrays[f"loss{i}"] = array(loss)
    data = serialized(layer)
    golden.add(
        {
            "name": name,
            "class_name": data["class_name"],
            "config": data["config"],
            "build_config": data["build_config"],
            "listed": listed,
            "training": training,
            "flags": flags,
            "inputs": [describe(x) for x in xs],
            "outputs": [describe(output) for output in outputs],
            "weights": [
                {"name": w.name, "path": w.path, "shape": list(w.shape), "trainable": bool(w.trainable)}
                for w in layer.weights
            ],
            "losses": len(losses),
        },
        arrays,
    )


REGULARIZED = {
    "kernel_regularizer": R.L2(0.01),
    "bias_regularizer": R.L1(0.02),
    "activity_regularizer": R.L2(0.05),
}
MASKED = {"own": (0, 1)}


def attention_mask(*shape):
    return lambda rng: pairs(rng, *shape)


for kind, layer in (
    ("multi_head", lambda **arguments: L.MultiHeadAttention(4, 3, **arguments)),
    ("group_query", lambda **arguments: L.GroupQueryAttention(3, 4, 2, **arguments)),
):

    def made(layer=layer, **arguments):
        return lambda: layer(**arguments)

    scores = {"return_attention_scores": True}
    causal = {"use_causal_mask": True}
    case(f"{kind}/cross", made())
    case(f"{kind}/same", made(), SAME)
    case(f"{kind}/with_key", made(), shapes(key=(KEYS, 3)))
    case(f"{kind}/one_query", made(), shapes(query=(1, WIDTH)))
    case(f"{kind}/scores", made(), **scores)
    case(f"{kind}/scores_with_key", made(), shapes(key=(KEYS, WIDTH)), **scores)
    case(f"{kind}/without_bias", made(use_bias=False))
    case(f"{kind}/gate", made(use_gate=True))
    case(f"{kind}/gate_without_bias", made(use_gate=True, use_bias=False), **scores)
    case(f"{kind}/dropout_in_inference", made(dropout=0.4))
    case(f"{kind}/dropout_in_inference_masked", made(dropout=0.4), **MASKED)
    case(f"{kind}/causal", made(), SAME, **causal)
    case(f"{kind}/causal_cross", made(), **causal)
    case(f"{kind}/causal_more_queries", made(), shapes(query=(KEYS, WIDTH), value=(QUERIES, WIDTH)), **causal)
    case(f"{kind}/causal_scores", made(), SAME, **causal, **scores)
    case(f"{kind}/causal_dropout", made(dropout=0.2), SAME, **causal)
    case(f"{kind}/masked", made(), **MASKED)
    case(f"{kind}/masked_same", made(), SAME, **MASKED)
    case(f"{kind}/masked_query", made(), own=(0,))
    case(f"{kind}/masked_value", made(), own=(1,))
    case(f"{kind}/masked_key", made(), shapes(key=(KEYS, WIDTH)), own=(1, 2))
    case(f"{kind}/masked_causal", made(), SAME, **MASKED, **causal)
    case(f"{kind}/masked_scores", made(), **MASKED, **scores)
    case(f"{kind}/masked_causal_scores", made(), SAME, **MASKED, **causal, **scores)
    case(f"{kind}/given_query_mask", made(), query_mask=lambda rng: steps(QUERIES))
    case(f"{kind}/given_query_mask_scores", made(), query_mask=lambda rng: steps(QUERIES), **scores)
    case(f"{kind}/given_value_mask", made(), own=(0,), value_mask=lambda rng: steps(KEYS))
    case(f"{kind}/given_key_mask", made(), shapes(key=(KEYS, WIDTH)), key_mask=lambda rng: steps(KEYS))
    case(f"{kind}/mask_of_rank_2", made(), attention_mask=attention_mask(QUERIES, KEYS))
    case(f"{kind}/mask_of_rank_3", made(), attention_mask=attention_mask(BATCH, QUERIES, KEYS))
    case(f"{kind}/mask_of_heads", made(), attention_mask=attention_mask(BATCH, 4, QUERIES, KEYS))
    case(f"{kind}/mask_of_queries", made(), attention_mask=attention_mask(BATCH, QUERIES, 1))
    case(f"{kind}/mask_of_keys", made(), attention_mask=lambda rng: steps(KEYS)[:, None, :])
    case(f"{kind}/mask_scores", made(), attention_mask=attention_mask(BATCH, QUERIES, KEYS), **scores)
    case(f"{kind}/mask_causal", made(), SAME, attention_mask=attention_mask(BATCH, QUERIES, QUERIES), **causal)
    case(f"{kind}/mask_of_heads_causal", made(), SAME, attention_mask=attention_mask(BATCH, 4, QUERIES, QUERIES), **causal)
    case(f"{kind}/mask_and_masked", made(), **MASKED, attention_mask=attention_mask(BATCH, QUERIES, KEYS))
    case(f"{kind}/mask_of_numbers", made(), attention_mask=lambda rng: rng.choice([0.0, 0.3, 1.0], (BATCH, QUERIES, KEYS)).astype("float32"))
    case(f"{kind}/mask_of_numbers_scores", made(), attention_mask=lambda rng: rng.choice([0.0, 0.3, 1.0], (BATCH, QUERIES, KEYS)).astype("float32"), **scores)
    case(f"{kind}/mask_of_integers", made(), attention_mask=lambda rng: pairs(rng, QUERIES, KEYS).astype("int32"))
    case(f"{kind}/window", made(sliding_window=2))
    case(f"{kind}/window_causal", made(sliding_window=2), SAME, **causal)
    case(f"{kind}/window_masked", made(sliding_window=2), SAME, **MASKED)
    case(f"{kind}/window_scores", made(sliding_window=1), **causal, **scores)
    case(f"{kind}/regularized", made(**REGULARIZED))
    case(f"{kind}/regularized_scores", made(use_gate=True, **REGULARIZED), **scores)
    case(f"{kind}/initializers", made(kernel_initializer="he_normal", bias_initializer="ones", seed=3, dropout=0.1))
    case(f"{kind}/one_step", made(), shapes(query=(1, WIDTH), value=(1, WIDTH)), **causal)

MHA = L.MultiHeadAttention
case("multi_head/value_dim", lambda: MHA(2, 3, value_dim=5, use_gate=True))
case("multi_head/other_sizes", lambda: MHA(2, 3, value_dim=2), shapes(value=(KEYS, 2), key=(KEYS, 7)))
case("multi_head/output_shape", lambda: MHA(2, 3, output_shape=8))
case("multi_head/output_shape_of_two", lambda: MHA(2, 3, output_shape=(2, 3), use_gate=True))
case("multi_head/one_head", lambda: MHA(1, 4), **MASKED)
case("multi_head/frozen_output", lambda: MHA(2, 3, trainable=False))
case("multi_head/initializer_with_seed", lambda: MHA(2, 3, kernel_initializer=keras.initializers.GlorotUniform(seed=5)))
GRID = {"query": (QUERIES, 2, WIDTH), "value": (QUERIES, 2, WIDTH)}
case("multi_head/axes_all_of_grid", lambda: MHA(2, 3), shapes((2, 3, 4), (3, 2, 4)))
case("multi_head/axes_all_scores", lambda: MHA(2, 3), shapes((2, 3, 4), (3, 2, 4)), return_attention_scores=True)
case("multi_head/axes_first", lambda: MHA(2, 3, attention_axes=1), shapes((4, 2, 3), (5, 2, 3)), use_causal_mask=True)
case("multi_head/axes_second", lambda: MHA(2, 3, attention_axes=(2,)), shapes((2, 4, 3), (2, 5, 3)), return_attention_scores=True)
case("multi_head/axes_negative", lambda: MHA(2, 3, attention_axes=-2), shapes((2, 4, 3), (2, 5, 3)))
case("multi_head/axes_permuted", lambda: MHA(2, 3, attention_axes=(2, 1)), shapes((2, 3, 4), (2, 3, 4)), return_attention_scores=True)
case("multi_head/axes_masked", lambda: MHA(2, 3, attention_axes=2), shapes((2, 4, 3), (2, 5, 3)), attention_mask=attention_mask(BATCH, 4, 5))
case("multi_head/axes_mask_of_all", lambda: MHA(2, 2), shapes((2, 3, 4), (3, 2, 4)), attention_mask=lambda rng: rng.random((BATCH, 2, 3, 3, 2)) < 0.5)
case("multi_head/axes_with_dropout", lambda: MHA(2, 3, attention_axes=(1,), dropout=0.3), shapes((4, 2, 3), (5, 2, 3)))
case("multi_head/axes_gate", lambda: MHA(2, 3, attention_axes=(1, 2), use_gate=True, output_shape=(2,)), shapes((2, 3, 4), (2, 3, 4)))
case("multi_head/rank_of_5", lambda: MHA(2, 2, attention_axes=(2, 3)), shapes((2, 2, 3, 4), (2, 3, 2, 4)))

case("group_query/one_key_head", lambda: L.GroupQueryAttention(3, 4, 1), **MASKED)
case("group_query/all_heads", lambda: L.GroupQueryAttention(3, 2, 2), use_causal_mask=True)
case("group_query/other_sizes", lambda: L.GroupQueryAttention(2, 6, 3), shapes(value=(KEYS, 2), key=(KEYS, 7)))

for kind, layer in (
    ("attention", L.Attention),
    ("concat", lambda **arguments: L.Attention(score_mode="concat", **arguments)),
    ("additive", L.AdditiveAttention),
):

    def made(layer=layer, **arguments):
        return lambda: layer(**arguments)

    both = {"mask": [steps(QUERIES), steps(KEYS)]}
    same = {"mask": [steps(QUERIES), steps(QUERIES)]}
    case(f"{kind}/plain", made(), listed=True)
    case(f"{kind}/with_key", made(), shapes(value=(KEYS, 3), key=(KEYS, WIDTH)), listed=True)
    case(f"{kind}/use_scale", made(use_scale=True), listed=True)
    case(f"{kind}/no_scale", made(use_scale=False), listed=True, return_attention_scores=True)
    case(f"{kind}/scores", made(use_scale=True), listed=True, return_attention_scores=True)
    case(f"{kind}/causal", made(), SAME, listed=True, use_causal_mask=True)
    case(f"{kind}/causal_cross", made(), listed=True, use_causal_mask=True, return_attention_scores=True)
    case(f"{kind}/dropout_in_inference", made(dropout=0.5, seed=4), listed=True)
    case(f"{kind}/masked", made(), listed=True, **both)
    case(f"{kind}/masked_scores", made(), listed=True, return_attention_scores=True, **both)
    case(f"{kind}/masked_causal", made(), SAME, listed=True, use_causal_mask=True, **same)
    case(f"{kind}/masked_query", made(), listed=True, mask=[steps(QUERIES), None])
    case(f"{kind}/masked_value", made(use_scale=True), listed=True, mask=[None, steps(KEYS)])
    case(f"{kind}/own_masks", made(), listed=True, own=(0, 1))
    case(f"{kind}/own_masks_with_key", made(), shapes(key=(KEYS, WIDTH)), listed=True, own=(0, 1, 2))
    case(f"{kind}/regularized", made(activity_regularizer=R.L2(0.05)), listed=True, return_attention_scores=True)
case("attention/rank_of_4", lambda: L.Attention(use_scale=True), shapes((2, 4, 3), (2, 5, 3)), listed=True, return_attention_scores=True)
case("attention/rank_of_4_causal", L.Attention, shapes((2, 4, 3), (2, 5, 3)), listed=True, use_causal_mask=True)

golden.save()
