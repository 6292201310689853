"""Mixed precision: mixed_layers, loss_scale_optimizer and mixed_training (json,
npz), and the files of mixed_precision/. After make_layers.py, whose cases are run
again here."""

import json
import os

from common import FOLDER
from common import Golden
from common import array
from common import describe
from common import keras
from common import normal
from common import np
from common import one_hot
from common import rng_for
from common import serialized
from common import tf
from common import write_json

L = keras.layers
O = keras.optimizers
MIXED = ["mixed_float16", "mixed_bfloat16"]


def floats(value):
    """Half types as float32, which represents all their values."""
    value = tf.convert_to_tensor(value)
    return np.asarray(tf.cast(value, "float32") if value.dtype.is_floating else value)


def dtype_of(value):
    return keras.backend.standardize_dtype(value.dtype)


# --- Every layer under every policy -----------------------------------------


def with_dtype(config, policy):
    """The configuration of a layer with that policy, which a wrapped layer gets too."""
    arguments = {**config["config"], "dtype": policy}
    if "layer" in arguments:
        arguments["layer"] = with_dtype(arguments["layer"], policy)
        # Built by the wrapper, in its policy.
        arguments["layer"].pop("build_config", None)
    return {**config, "config": arguments}


def layer_case(golden, source, arrays, policy):
    name = source["name"]
    layer = keras.saving.deserialize_keras_object(
        with_dtype({k: source[k] for k in ("class_name", "config")} | {"module": "keras.layers"}, policy)
    )
    inputs = [arrays[f"{name}/input{i}"] for i in range(len(source["inputs"]))]
    shapes = [(None, *x.shape[1:]) for x in inputs]
    layer.build(shapes if source["call"] == "list" else shapes[0])
    weights = [arrays[f"{name}/weight{i}"] for i in range(len(source["weights"]))]
    layer.set_weights(weights)
    tensors = [tf.convert_to_tensor(x) for x in inputs]
    with tf.GradientTape(persistent=True) as tape:
        for x in tensors:
            if x.dtype.is_floating:
                tape.watch(x)
        output = layer(tensors if source["call"] == "list" else tensors[0], training=source["training"])
        total = tf.reduce_sum(tf.cast(output, "float32") * arrays[f"{name}/cotangent0"])
    result = {"output": floats(output)}
    for i, w in enumerate(layer.weights):
        if w.trainable and policy in MIXED:
            result[f"weight_gradient{i}"] = floats(tape.gradient(total, w.value))
    for i in source["changed_weights"]:
        result[f"weight_after{i}"] = floats(layer.weights[i].value)
    golden.add(
        {
            "name": f"{name}/{policy}",
            "layer": name,
            "policy": policy,
            "compute_dtype": layer.compute_dtype,
            "variable_dtype": layer.variable_dtype,
            "output_dtype": dtype_of(output),
            "weight_dtypes": [dtype_of(w) for w in layer.weights],
            "config_dtype": layer.get_config()["dtype"],
            "changed_weights": source["changed_weights"],
        },
        result,
    )


def make_layers():
    with open(os.path.join(FOLDER, "layers.json"), encoding="utf-8") as f:
        cases = json.load(f)
    with np.load(os.path.join(FOLDER, "layers.npz")) as file:
        arrays = dict(file)
    golden = Golden("mixed_layers")
    for source in cases:
        if source["config"].get("data_format") == "channels_first" and "Conv" in source["class_name"]:
            continue
        if source["class_name"] == "Dropout" and source["training"]:
            continue
        policies = MIXED + ([] if any(c["layer"].startswith(source["class_name"].lower()) for c in golden.cases)
                            else ["float16", "bfloat16"])
        for policy in policies:
            try:
                layer_case(golden, source, arrays, policy)
            except (tf.errors.UnimplementedError, tf.errors.InvalidArgumentError, tf.errors.NotFoundError) as error:
                print(f"skipped: {source['name']}/{policy}: {str(error)[:80]}")
    golden.save()


# --- LossScaleOptimizer ------------------------------------------------------

STEPS = 12
SHAPES = [(3, 4), (4,)]
# The gradients that get an element that is not finite, and the steps.
OVERFLOWS = {"1": "inf", "2": "-inf", "6": "nan"}


def optimizer_case(golden, name, make):
    keras.backend.clear_session()
    rng = rng_for("loss_scale_optimizer")
    initial = [normal(rng, s) for s in SHAPES]
    gradients = [normal(rng, (STEPS, *s), 1000.0) for s in SHAPES]
    variables = [keras.Variable(w, name=n) for w, n in zip(initial, ["kernel", "bias"])]
    optimizer = make()
    data = serialized(optimizer)
    arrays = {}
    trajectory = [[] for _ in variables]
    scales, counters, iterations, losses = [], [], [], []
    for step in range(STEPS):
        losses.append(float(optimizer.scale_loss(tf.constant(0.5))))
        given = [g[step].copy() for g in gradients]
        if str(step) in OVERFLOWS:
            given[step % 2].flat[1] = float(OVERFLOWS[str(step)])
        optimizer.apply([tf.constant(g) for g in given], variables)
        for values, v in zip(trajectory, variables):
            values.append(array(v))
        scales.append(float(array(optimizer.dynamic_scale)))
        counters.append(int(array(optimizer.step_counter)))
        iterations.append(int(optimizer.iterations))
    for i, (w, g, t) in enumerate(zip(initial, gradients, trajectory)):
        arrays[f"initial{i}"] = w
        arrays[f"gradient{i}"] = g
        arrays[f"trajectory{i}"] = np.stack(t)
    states = []
    for i, v in enumerate(optimizer.variables):
        arrays[f"optimizer_variable{i}"] = array(v)
        states.append({"name": v.name, "path": v.path, **describe(array(v))})
    golden.add(
        {
            "name": name,
            "class_name": data["class_name"],
            "config": data["config"],
            "steps": STEPS,
            "overflows": OVERFLOWS,
            "variables": [{"name": n, "shape": list(s)} for n, s in zip(["kernel", "bias"], SHAPES)],
            "scales": scales,
            "counters": counters,
            "iterations": iterations,
            "scaled_losses": losses,
            "learning_rate": float(array(optimizer.learning_rate)),
            "optimizer_variables": states,
        },
        arrays,
    )


def make_optimizer():
    golden = Golden("loss_scale_optimizer")
    wrap = O.LossScaleOptimizer
    optimizer_case(golden, "defaults", lambda: wrap(O.SGD(0.1)))
    optimizer_case(golden, "growth", lambda: wrap(O.Adam(0.01), initial_scale=64.0, dynamic_growth_steps=3))
    optimizer_case(
        golden,
        "growth_every_step",
        lambda: wrap(O.RMSprop(0.01), initial_scale=2.0, dynamic_growth_steps=1, name="scaled"),
    )
    optimizer_case(golden, "momentum", lambda: wrap(O.SGD(0.05, momentum=0.9), initial_scale=1024.0))
    optimizer_case(golden, "clipped", lambda: wrap(O.Adam(0.01, global_clipnorm=0.5), initial_scale=16.0))
    optimizer_case(
        golden,
        "averages",
        lambda: wrap(O.SGD(0.1, use_ema=True, ema_momentum=0.8), initial_scale=8.0),
    )
    optimizer_case(
        golden,
        "accumulation",
        lambda: wrap(O.SGD(0.1, gradient_accumulation_steps=2), initial_scale=8.0),
    )
    optimizer_case(golden, "own_factor", lambda: wrap(O.SGD(0.1, loss_scale_factor=4.0), initial_scale=8.0))
    golden.save()


# --- Training ----------------------------------------------------------------


def mlp():
    return keras.Sequential(
        [L.Input((12,)), L.Dense(16, activation="tanh"), L.Dense(8, activation="relu"), L.Dense(3)], name="mlp"
    )


def cnn():
    return keras.Sequential(
        [
            L.Input((8, 8, 2)),
            L.Conv2D(6, 3, padding="same", use_bias=False),
            L.BatchNormalization(),
            L.Activation("relu"),
            L.AveragePooling2D(2),
            L.Conv2D(8, 3, activation="tanh"),
            L.GlobalAveragePooling2D(),
            L.Dense(3, dtype="float32"),
        ],
        name="cnn",
    )


def functional():
    x = L.Input((12,), name="x")
    a = L.Dense(8, activation="tanh", name="a")(x)
    b = L.LayerNormalization(name="n")(a)
    y = L.Dense(3, name="y", activation="softmax")(L.Add(name="s")([a, b]))
    return keras.Model(x, y, name="functional")


def batch_of(name, shape, step, scale):
    rng = rng_for(f"mixed_training/{name}/{step}")
    return normal(rng, (16, *shape), scale), one_hot(rng.integers(0, 3, 16), 3)


def compiled(make, policy):
    keras.backend.clear_session()
    keras.utils.set_random_seed(5)
    keras.config.set_dtype_policy(policy)
    model = make()
    # Adam's first steps depend only on the signs of gradients, and those of biases near 0 on rounding.
    model.compile(
        O.Adam(0.01) if make is cnn else O.SGD(0.1, momentum=0.9),
        loss=keras.losses.CategoricalCrossentropy(from_logits=make is not functional),
        metrics=["accuracy"],
    )
    return model


def train(model, name, shape, scale, initial=None, first=0, steps=5):
    if initial is not None:
        model.set_weights(initial)
    logs = []
    for step in range(first, first + steps):
        x, y = batch_of(name, shape, step, scale)
        values = model.train_on_batch(x, y, return_dict=True)
        logs.append({k: float(v) for k, v in values.items()})
    return logs


MODELS = {"mlp": (mlp, (12,), 1.0), "cnn": (cnn, (8, 8, 2), 1.0), "functional": (functional, (12,), 1.0)}


def make_training():
    golden = Golden("mixed_training")
    for name, (make, shape, scale) in {**MODELS, "mlp_overflow": (mlp, (12,), 500.0)}.items():
        plain = compiled(make, "float32")
        initial = plain.get_weights()
        float32_logs = train(plain, name, shape, scale)
        for policy in MIXED:
            model = compiled(make, policy)
            logs = train(model, name, shape, scale, initial)
            arrays = {f"initial_weight{i}": w for i, w in enumerate(initial)}
            for step in range(5):
                x, y = batch_of(name, shape, step, scale)
                arrays.update({f"step{step}/x": x, f"step{step}/y": y})
            arrays.update({f"final_weight{i}": w for i, w in enumerate(model.get_weights())})
            arrays["prediction"] = floats(model(batch_of(name, shape, 9, scale)[0]))
            arrays["predict_x"] = batch_of(name, shape, 9, scale)[0]
            golden.add(
                {
                    "name": f"{name}_{policy}",
                    "policy": policy,
                    "model": json.loads(model.to_json()),
                    "compile_config": model.get_compile_config(),
                    "optimizer": serialized(model.optimizer),
                    "optimizer_variables": [
                        {"name": v.name, "path": v.path, **describe(array(v))} for v in model.optimizer.variables
                    ],
                    "scale": float(array(model.optimizer.dynamic_scale)) if policy == "mixed_float16" else None,
                    "iterations": int(model.optimizer.iterations),
                    "output_dtype": dtype_of(model.outputs[0]),
                    "logs": logs,
                    "float32_logs": float32_logs,
                },
                arrays,
            )
    golden.save()


# --- Files -------------------------------------------------------------------


def make_files():
    folder = os.path.join(FOLDER, "mixed_precision")
    os.makedirs(folder, exist_ok=True)
    index = []
    for name, policy, ending in [
        ("mlp", "mixed_float16", "keras"),
        ("mlp", "mixed_float16", "h5"),
        ("cnn", "mixed_bfloat16", "keras"),
        ("functional", "mixed_float16", "keras"),
    ]:
        make, shape, scale = MODELS[name]
        model = compiled(make, policy)
        train(model, name, shape, scale, steps=3)
        file = f"{name}_{policy}.{ending}"
        model.save(os.path.join(folder, file))
        x = batch_of(name, shape, 9, scale)[0]
        arrays = {"x": x, "prediction": floats(model(x))}
        arrays.update({f"weight{i}": w for i, w in enumerate(model.get_weights())})
        arrays.update({f"optimizer_variable{i}": array(v) for i, v in enumerate(model.optimizer.variables)})
        next_x, next_y = batch_of(name, shape, 3, scale)
        arrays.update({"next_x": next_x, "next_y": next_y})
        next_logs = train(model, name, shape, scale, first=3, steps=1)[0]
        np.savez_compressed(os.path.join(folder, f"{file}.npz"), **arrays)
        index.append(
            {
                "name": file,
                "policy": policy,
                "layer_policies": [layer.dtype_policy.name for layer in model.layers if "Input" not in type(layer).__name__],
                "optimizer": serialized(model.optimizer),
                "optimizer_variables": len(model.optimizer.variables),
                "next_logs": next_logs,
            }
        )
    write_json("mixed_precision/index.json", index)


make_layers()
make_optimizer()
make_training()
keras.config.set_dtype_policy("float32")
make_files()
