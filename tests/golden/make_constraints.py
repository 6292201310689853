"""constraints.json, .npz: weights projected, and steps of optimizers on constrained variables.
constrained_layers.json, .npz: layers with each argument that is a constraint, in models trained for ten steps."""

import json

from common import Golden
from common import array
from common import keras
from common import normal
from common import np
from common import rng_for
from common import serialized
from common import tf

C = keras.constraints
L = keras.layers
O = keras.optimizers
golden = Golden("constraints")


# --- Values


def value(name, constraint, shape=(4, 3), dtype="float32", scale=1.0):
    """Of normally distributed weights, the first third of which, along the first axis, are 0."""
    weights = normal(rng_for("constraints/" + name), shape, scale)
    weights[: max(shape[0] // 3, 1)] = 0.0
    weights[:, 0] *= 0.1
    projected = constraint(tf.constant(weights, dtype))
    data = serialized(constraint)
    golden.add(
        {
            "name": name,
            "kind": "value",
            "class_name": data["class_name"],
            "config": data["config"],
            "dtype": dtype,
        },
        {"weights": weights.astype(dtype).astype("float32"), "projected": array(tf.cast(projected, "float32"))},
    )


value("none", C.Constraint())
value("non_neg", C.NonNeg())
value("non_neg/float16", C.NonNeg(), dtype="float16")
for axis in (0, 1, -1, [0, 1], [1, 0], [], None):
    of = "axis " + json.dumps(axis)
    value(f"max_norm/{of}", C.MaxNorm(1.0, axis=axis))
    value(f"unit_norm/{of}", C.UnitNorm(axis=axis))
    value(f"min_max_norm/{of}", C.MinMaxNorm(0.5, 1.5, axis=axis))
for kind, constraint in (("max_norm", C.MaxNorm), ("unit_norm", C.UnitNorm), ("min_max_norm", C.MinMaxNorm)):
    value(f"{kind}/default", constraint())
    value(f"{kind}/of filters", constraint(axis=[0, 1, 2]), (3, 2, 2, 4))
    value(f"{kind}/float16", constraint(), dtype="float16")
    value(f"{kind}/large float16", constraint(axis=1), dtype="float16", scale=20.0)
    value(f"{kind}/bfloat16", constraint(), dtype="bfloat16")
    value(f"{kind}/float64", constraint(axis=1), dtype="float64")
value("max_norm/integer", C.MaxNorm(3), scale=5.0)
value("max_norm/fraction", C.MaxNorm(0.25))
value("max_norm/zero", C.MaxNorm(0))
for rate in (0.0, 0.3, 1.0, 1.5):
    value(f"min_max_norm/rate {rate}", C.MinMaxNorm(0.5, 1.0, rate=rate))
value("min_max_norm/equal bounds", C.MinMaxNorm(0.7, 0.7, axis=1))


# --- Steps of optimizers

STEPS = 10
SHAPES = [(3, 4), (4,), (2, 3)]
NAMES = ["kernel", "bias", "unused"]


def steps(name, make, constraints=(C.MaxNorm(0.8), C.NonNeg()), infinite=None):
    """The third variable has a constraint that it breaks, and no gradients. In the step `infinite` a gradient overflows."""
    keras.backend.clear_session()
    rng = rng_for("constraints")  # the same values for all cases
    initial = [normal(rng, s) for s in SHAPES]
    gradients = [normal(rng, (STEPS, *s)) for s in SHAPES[:2]]
    variables = [keras.Variable(w, name=n) for w, n in zip(initial, NAMES)]
    for variable, constraint in zip(variables, [*constraints, C.NonNeg()]):
        variable.constraint = constraint
    optimizer = make()
    data = serialized(optimizer)
    optimizer.build(variables)
    trajectory = [[] for _ in variables]
    for step in range(STEPS):
        factor = np.float32("inf") if step == infinite else 1.0
        optimizer.apply([g[step] * factor for g in gradients] + [None], variables)
        for values, v in zip(trajectory, variables):
            values.append(array(v))
    arrays = {}
    for i, (w, t) in enumerate(zip(initial, trajectory)):
        arrays[f"initial{i}"] = w
        arrays[f"trajectory{i}"] = np.stack(t)
    for i, g in enumerate(gradients):
        arrays[f"gradient{i}"] = g
    for i, v in enumerate(optimizer.variables):
        arrays[f"optimizer_variable{i}"] = array(v)
    optimizer.finalize_variable_values(variables)
    for i, v in enumerate(variables):
        arrays[f"final{i}"] = array(v)
    golden.add(
        {
            "name": name,
            "kind": "steps",
            "class_name": data["class_name"],
            "config": data["config"],
            "constraints": [serialized(v.constraint) if v.constraint else None for v in variables],
            "steps": STEPS,
            "infinite_step": infinite,
            "optimizer_variables": len(optimizer.variables),
        },
        arrays,
    )


SLOWLY = (C.MinMaxNorm(1.5, 2.0, rate=0.2), C.MinMaxNorm(0.1, 0.5, rate=0.3))
steps("steps/sgd", lambda: O.SGD(0.1))
steps("steps/one constraint", lambda: O.SGD(0.1), (None, C.UnitNorm()))
steps("steps/slowly", lambda: O.SGD(0.1), SLOWLY)
steps("steps/momentum and weight decay", lambda: O.SGD(0.1, momentum=0.9, weight_decay=0.05, clipnorm=1.0))
steps("steps/adam", lambda: O.Adam(0.05), (C.UnitNorm(axis=1), C.NonNeg()))
steps("steps/adamw", lambda: O.AdamW(0.05, weight_decay=0.1))
steps("steps/rmsprop", lambda: O.RMSprop(0.05))
steps("steps/accumulation", lambda: O.SGD(0.1, gradient_accumulation_steps=3), SLOWLY)
steps("steps/ema", lambda: O.SGD(0.2, use_ema=True, ema_momentum=0.7))
steps("steps/ema overwrites", lambda: O.SGD(0.2, use_ema=True, ema_momentum=0.7, ema_overwrite_frequency=3), SLOWLY)
steps(
    "steps/ema and accumulation",
    lambda: O.Adam(0.05, use_ema=True, ema_overwrite_frequency=2, gradient_accumulation_steps=2),
    SLOWLY,
)
steps("steps/loss scale", lambda: O.LossScaleOptimizer(O.SGD(0.1), initial_scale=8.0), SLOWLY)
steps("steps/loss scale, skipped", lambda: O.LossScaleOptimizer(O.SGD(0.1), initial_scale=8.0), SLOWLY, infinite=4)
golden.save()


# --- Layers

golden = Golden("constrained_layers")


# Small steps: ten larger ones can make rounding a thousand times as large.
def layer(name, make, shape, tokens=None, policy=None, optimizer=lambda: O.SGD(0.02)):
    """A model of the layer and a Dense of 2 on its outputs."""
    keras.backend.clear_session()
    keras.config.set_dtype_policy(policy or "float32")
    rng = rng_for("constrained_layers/" + name)
    inputs = keras.Input(shape, dtype="int32" if tokens else None)
    y = make()(inputs)
    y = L.Dense(2, dtype="float32" if policy else None)(L.Flatten()(y) if len(y.shape) > 2 else y)
    model = keras.Model(inputs, y)
    model.set_weights([normal(rng, w.shape, 0.7) ** 2 if "variance" in w.path else normal(rng, w.shape, 0.7) for w in model.weights])
    model.compile(optimizer(), "mse", run_eagerly=True)
    x = rng.integers(0, tokens, (6, *shape)).astype("int32") if tokens else normal(rng, (6, *shape))
    target = normal(rng, (6, 2))
    arrays = {"x": x, "y": target}
    for i, w in enumerate(model.weights):
        arrays[f"initial{i}"] = array(tf.cast(w, "float32"))
    losses = [model.train_on_batch(x, target) for _ in range(10)]
    for i, w in enumerate(model.weights):
        arrays[f"trained{i}"] = array(tf.cast(w, "float32"))
    golden.add(
        {
            "name": name,
            "model": json.loads(model.to_json()),
            "compile_config": model.get_compile_config(),
            "policy": policy or "float32",
            "weights": len(model.weights),
            "losses": [float(loss) for loss in losses],
        },
        arrays,
    )
    keras.config.set_dtype_policy("float32")


KERNEL = {"kernel_constraint": C.MaxNorm(0.5), "bias_constraint": "non_neg"}
RECURRENT = {**KERNEL, "recurrent_constraint": C.UnitNorm(axis=1)}
SCALES = {"gamma_constraint": C.MinMaxNorm(0.5, 1.0, rate=0.5), "beta_constraint": C.NonNeg()}
OF_FILTERS = {"kernel_constraint": C.UnitNorm(axis=[0, 1, 2]), "bias_constraint": C.MaxNorm(0.1)}

layer("dense", lambda: L.Dense(4, **KERNEL), (5,))
layer("dense/frozen", lambda: L.Dense(4, trainable=False, **KERNEL), (5,))
layer("dense/adam", lambda: L.Dense(4, **KERNEL), (5,), optimizer=lambda: O.Adam(0.05, gradient_accumulation_steps=2))
layer("dense/base class", lambda: L.Dense(4, kernel_constraint=C.Constraint()), (5,))
layer("dense/float16", lambda: L.Dense(4, **KERNEL, dtype="float16"), (5,))
layer("dense/mixed_float16", lambda: L.Dense(4, **KERNEL), (5,), policy="mixed_float16")
layer("einsum_dense", lambda: L.EinsumDense("abc,cd->abd", (3, 4), bias_axes="d", **KERNEL), (3, 5))
layer("embedding", lambda: L.Embedding(7, 3, embeddings_constraint=C.UnitNorm(axis=1)), (4,), tokens=7)
layer("reversible_embedding", lambda: L.ReversibleEmbedding(7, 3, embeddings_constraint="non_neg"), (4,), tokens=7)
layer("conv1d", lambda: L.Conv1D(3, 2, kernel_constraint=C.MaxNorm(0.6, axis=[0, 1]), bias_constraint="non_neg"), (6, 2))
layer("conv2d", lambda: L.Conv2D(3, 2, **OF_FILTERS), (4, 5, 2))
layer("conv3d", lambda: L.Conv3D(2, 2, **OF_FILTERS), (3, 3, 4, 2))
layer("conv1d_transpose", lambda: L.Conv1DTranspose(3, 2, **KERNEL), (4, 2))
layer("conv2d_transpose", lambda: L.Conv2DTranspose(3, 2, **OF_FILTERS), (3, 4, 2))
layer("conv3d_transpose", lambda: L.Conv3DTranspose(2, 2, **OF_FILTERS), (2, 3, 2, 2))
DEPTHWISE = {"depthwise_constraint": C.MaxNorm(0.4), "bias_constraint": "non_neg"}
layer("depthwise_conv1d", lambda: L.DepthwiseConv1D(2, depth_multiplier=2, **DEPTHWISE), (5, 2))
layer("depthwise_conv2d", lambda: L.DepthwiseConv2D(2, **DEPTHWISE), (4, 4, 2))
SEPARABLE = {**DEPTHWISE, "pointwise_constraint": "unit_norm"}
layer("separable_conv1d", lambda: L.SeparableConv1D(3, 2, **SEPARABLE), (5, 2))
layer("separable_conv2d", lambda: L.SeparableConv2D(3, 2, **SEPARABLE), (4, 4, 2))
layer("batch_normalization", lambda: L.BatchNormalization(**SCALES), (4,))
layer("layer_normalization", lambda: L.LayerNormalization(**SCALES), (4,))
layer("group_normalization", lambda: L.GroupNormalization(2, **SCALES), (3, 4))
layer("prelu", lambda: L.PReLU(alpha_constraint=C.MaxNorm(0.3)), (4,))
for name, kind, cell in (
    ("simple_rnn", L.SimpleRNN, L.SimpleRNNCell),
    ("lstm", L.LSTM, L.LSTMCell),
    ("gru", L.GRU, L.GRUCell),
):
    layer(name, lambda: kind(3, **RECURRENT), (4, 2))
    layer(f"{name}_cell", lambda: L.RNN(cell(3, **RECURRENT)), (4, 2))
layer("bidirectional", lambda: L.Bidirectional(L.GRU(2, **RECURRENT)), (4, 2))
layer("conv_lstm1d", lambda: L.ConvLSTM1D(2, 2, **RECURRENT), (3, 4, 2))
layer("conv_lstm2d", lambda: L.ConvLSTM2D(2, 2, **RECURRENT), (3, 3, 3, 2))
layer("conv_lstm3d", lambda: L.ConvLSTM3D(2, 2, **RECURRENT), (2, 3, 2, 2, 2))
layer("time_distributed", lambda: L.TimeDistributed(L.Dense(3, **KERNEL)), (4, 2))
layer("spectral_normalization", lambda: L.SpectralNormalization(L.Dense(3, **KERNEL)), (4,))
layer("multi_head_attention", lambda: lambda x: L.MultiHeadAttention(2, 2, **KERNEL)(x, x), (4, 3), optimizer=lambda: O.SGD(0.01))
layer("group_query_attention", lambda: lambda x: L.GroupQueryAttention(2, 4, 2, **KERNEL)(x, x), (4, 3), optimizer=lambda: O.SGD(0.01))
golden.save()
