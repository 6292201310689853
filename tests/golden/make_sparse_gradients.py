"""sparse_gradients (json, npz): steps of optimizers whose gradients are tf.IndexedSlices, and of models with embeddings."""

from common import Golden
from common import array
from common import keras
from common import normal
from common import np
from common import rng_for
from common import serialized
from common import tf
from schedule_free import ScheduleFreeAdamW

O = keras.optimizers
golden = Golden("sparse_gradients")
STEPS = 20
# Those whose values are kept.
KEPT = [0, 1, 4, 9, 19]
ROWS, WIDTH, SLICES = 6, 3, 9
NAMES = ["embeddings", "kernel"]

rng = rng_for("sparse_gradients")
initial = [normal(rng, (ROWS, WIDTH)), normal(rng, (WIDTH, 2))]
sizes = np.array([1, 0.5, 2, 0, 1, 5, 0.01, 1, 1, 0.3] * 2, "float32")
# The last row has no slice before the sixth step; each step has rows with one slice and with several.
indices = np.stack([rng.integers(0, ROWS - (step < 5), SLICES) for step in range(STEPS)]).astype("int32")
values = normal(rng, (STEPS, SLICES, WIDTH)) * sizes[:, None, None]
kernel_gradients = normal(rng, (STEPS, WIDTH, 2)) * sizes[:, None, None]
golden.add(
    {"name": "inputs", "steps": STEPS, "kept": KEPT, "variables": NAMES},
    {
        "initial0": initial[0],
        "initial1": initial[1],
        "indices": indices,
        "values": values.astype("float32"),
        "kernel_gradients": kernel_gradients.astype("float32"),
    },
)


def case(name, make):
    keras.backend.clear_session()
    optimizer = make()
    data = serialized(optimizer)
    variables = [keras.Variable(w, name=n) for w, n in zip(initial, NAMES)]
    kept = [[] for _ in variables]
    for step in range(STEPS):
        slices = tf.IndexedSlices(values[step], indices[step], tf.constant([ROWS, WIDTH]))
        optimizer.apply([slices, tf.constant(kernel_gradients[step])], variables)
        for list_, v in zip(kept, variables):
            list_.append(array(v))
    arrays = {f"trajectory{i}": np.stack([t[k] for k in KEPT]) for i, t in enumerate(kept)}
    # All variables of floating dtypes in one array.
    state = [array(v) for v in optimizer.variables]
    arrays["state"] = np.concatenate([s.reshape(-1) for s in state if s.dtype.kind == "f"])
    golden.add({"name": name, "kind": "steps", "class_name": data["class_name"], "config": data["config"]}, arrays)


OPTIMIZERS = {
    "sgd": (O.SGD, {"learning_rate": 0.1}),
    "sgd_momentum": (O.SGD, {"learning_rate": 0.05, "momentum": 0.9}),
    "sgd_nesterov": (O.SGD, {"learning_rate": 0.05, "momentum": 0.9, "nesterov": True}),
    "rmsprop": (O.RMSprop, {"learning_rate": 0.01}),
    "rmsprop_momentum": (O.RMSprop, {"learning_rate": 0.01, "momentum": 0.9}),
    "rmsprop_centered": (O.RMSprop, {"learning_rate": 0.01, "momentum": 0.5, "centered": True, "epsilon": 1e-2}),
    "adam": (O.Adam, {"learning_rate": 0.02}),
    "adam_arguments": (O.Adam, {"learning_rate": 0.05, "beta_1": 0.8, "beta_2": 0.9, "epsilon": 1e-3}),
    "adam_amsgrad": (O.Adam, {"learning_rate": 0.02, "amsgrad": True, "beta_2": 0.7}),
    "adam_no_memory": (O.Adam, {"learning_rate": 0.02, "beta_2": 0.0, "epsilon": 1e-3}),
    "adamw": (O.AdamW, {"learning_rate": 0.02}),
    "nadam": (O.Nadam, {"learning_rate": 0.02}),
    "lamb": (O.Lamb, {"learning_rate": 0.02}),
    "adagrad": (O.Adagrad, {"learning_rate": 0.05}),
    "adadelta": (O.Adadelta, {"learning_rate": 0.5}),
    "adamax": (O.Adamax, {"learning_rate": 0.02}),
    "adafactor": (O.Adafactor, {"learning_rate": 0.1}),
    "adafactor_arguments": (O.Adafactor, {"learning_rate": 0.5, "epsilon_1": 1e-6, "clip_threshold": 0.5}),
    "ftrl": (O.Ftrl, {"learning_rate": 0.1}),
    "ftrl_arguments": (
        O.Ftrl,
        {
            "learning_rate": 0.2,
            "learning_rate_power": -0.6,
            "l1_regularization_strength": 0.01,
            "l2_regularization_strength": 0.02,
            "l2_shrinkage_regularization_strength": 0.03,
            "beta": 0.1,
        },
    ),
    "lion": (O.Lion, {"learning_rate": 0.01}),
    "muon": (O.Muon, {"learning_rate": 0.02, "adam_lr_ratio": 0.5}),
    "muon_of_embeddings": (O.Muon, {"learning_rate": 0.02, "exclude_embeddings": False}),
}
OPTIONS = {
    "plain": {},
    "clipnorm": {"clipnorm": 0.5},
    "clipvalue": {"clipvalue": 0.3},
    "global_clipnorm": {"global_clipnorm": 0.7},
    "weight_decay": {"weight_decay": 0.02},
    "averages": {"use_ema": True, "ema_momentum": 0.8, "ema_overwrite_frequency": 3},
    "accumulation": {"gradient_accumulation_steps": 2},
}


def scaled(optimizer):
    return O.LossScaleOptimizer(optimizer, initial_scale=2.0, dynamic_growth_steps=15)


for name, (cls, arguments) in OPTIMIZERS.items():
    for options, more in OPTIONS.items():
        case(f"{name}/{options}", lambda: cls(**(arguments | more)))
    case(f"{name}/loss_scale", lambda: scaled(cls(**arguments)))
    case(f"{name}/loss_scale_clipvalue", lambda: scaled(cls(**arguments, clipvalue=0.3)))


def several(**more):
    return O.MultiOptimizer(O.OptimizerMap(O.Adam(0.02, **more), {"kernel": O.SGD(0.1)}))


for options, more in OPTIONS.items():
    case(f"multi_optimizer/{options}", lambda: several(**more))
case("multi_optimizer/loss_scale", lambda: scaled(several()))
case("schedule_free_adamw/plain", lambda: ScheduleFreeAdamW(0.05))


# --- Models -------------------------------------------------------------------

TOKENS, SAMPLES, TIME, CLASSES = 8, 24, 6, 3
x = rng_for("sparse_gradients/x").integers(0, TOKENS, (STEPS, SAMPLES, TIME)).astype("int32")
x[:, :, 1] = x[:, :, 0]
y = rng_for("sparse_gradients/y").integers(0, CLASSES, (STEPS, SAMPLES)).astype("int32")
golden.add({"name": "batches", "steps": STEPS}, {"x": x, "y": y})
L = keras.layers


def one_lookup():
    inputs = L.Input((TIME,), dtype="int32", name="tokens")
    h = L.Embedding(TOKENS, 4, name="table")(inputs)
    return keras.Model(inputs, L.Dense(CLASSES, name="dense")(L.GlobalAveragePooling1D(name="mean")(h)), name="one")


def two_lookups():
    inputs = L.Input((TIME,), dtype="int32", name="tokens")
    table = L.Embedding(TOKENS, 4, name="table")
    h = L.Add(name="sum")([L.GlobalAveragePooling1D(name="mean")(table(inputs)), table(inputs[:, 2])])
    return keras.Model(inputs, L.Dense(CLASSES, name="dense")(h), name="two")


def tied():
    inputs = L.Input((TIME,), dtype="int32", name="tokens")
    table = L.ReversibleEmbedding(TOKENS, 4, name="table")
    h = L.GlobalAveragePooling1D(name="mean")(table(inputs))
    return keras.Model(inputs, L.Dense(CLASSES, name="dense")(table(h, reverse=True)), name="tied")


def regularized():
    inputs = L.Input((TIME,), dtype="int32", name="tokens")
    h = L.Embedding(TOKENS, 4, name="table", embeddings_regularizer=keras.regularizers.L2(0.01))(inputs)
    return keras.Model(inputs, L.Dense(CLASSES, name="dense")(L.GlobalAveragePooling1D(name="mean")(h)), name="reg")


def model_case(name, make, optimizer, policy="float32"):
    keras.backend.clear_session()
    keras.config.set_dtype_policy(policy)
    keras.utils.set_random_seed(3)
    model = make()
    model.compile(optimizer(), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    arrays = {f"initial{i}": w for i, w in enumerate(model.get_weights())}
    losses = [model.train_on_batch(x[step], y[step]) for step in range(STEPS)]
    arrays |= {f"trained{i}": w for i, w in enumerate(model.get_weights())}
    arrays["losses"] = np.array(losses, "float32")
    golden.add(
        {
            "name": name,
            "kind": "model",
            "policy": policy,
            "model": model.to_json(),
            "optimizer": serialized(optimizer()),
        },
        arrays,
    )
    keras.config.set_dtype_policy("float32")


for name, optimizer in {
    "adam": lambda: O.Adam(0.02, name="optimizer"),
    "rmsprop_clipnorm": lambda: O.RMSprop(0.02, clipnorm=0.05, name="optimizer"),
    "adagrad_clipvalue": lambda: O.Adagrad(0.05, clipvalue=0.002, name="optimizer"),
    "adamax_global_clipnorm": lambda: O.Adamax(0.02, global_clipnorm=0.05, name="optimizer"),
    "adafactor": lambda: O.Adafactor(0.05, name="optimizer"),
}.items():
    for make in (one_lookup, two_lookups):
        model_case(f"{make.__name__}/{name}", make, optimizer)
    model_case(f"one_lookup/mixed_float16/{name}", one_lookup, optimizer, "mixed_float16")
model_case("tied/adam", tied, lambda: O.Adam(0.02, name="optimizer"))
model_case("regularized/adam", regularized, lambda: O.Adam(0.02, name="optimizer"))
golden.save()
