"""optimizers.json, optimizers.npz: ten steps of given gradients."""

from common import Golden
from common import array
from common import describe
from common import keras
from common import normal
from common import np
from common import rng_for
from common import serialized

O = keras.optimizers
golden = Golden("optimizers")
STEPS = 10
SHAPES = [(3, 4), (4,)]
NAMES = ["kernel", "bias"]


def case(name, make, gradient_scale=1.0, exclude=None):
    keras.backend.clear_session()
    rng = rng_for("optimizers")  # the same values for all cases
    initial = [normal(rng, s) for s in SHAPES]
    gradients = [normal(rng, (STEPS, *s), 1.0) for s in SHAPES]
    # Steps of very different size, including an all-zero one.
    sizes = np.array([1, 0.5, 2, 0, 1, 5, 0.01, 1, 1, 0.3], "float32")
    gradients = [
        (g * sizes.reshape(-1, *[1] * (g.ndim - 1)) * gradient_scale).astype("float32")
        for g in gradients
    ]
    variables = [keras.Variable(w, name=n) for w, n in zip(initial, NAMES)]
    optimizer = make()
    if exclude:
        optimizer.exclude_from_weight_decay(var_names=exclude)
    data = serialized(optimizer)
    optimizer.build(variables)
    trajectory = [[] for _ in variables]
    for step in range(STEPS):
        optimizer.apply([g[step] for g in gradients])
        for values, v in zip(trajectory, variables):
            values.append(array(v))

    arrays = {}
    for i, (w, g, t) in enumerate(zip(initial, gradients, trajectory)):
        arrays[f"initial{i}"] = w
        arrays[f"gradient{i}"] = g
        arrays[f"trajectory{i}"] = np.stack(t)
    states = []
    for i, v in enumerate(optimizer.variables):
        arrays[f"optimizer_variable{i}"] = array(v)
        states.append({"name": v.name, "path": v.path, **describe(array(v))})
    optimizer.finalize_variable_values(variables)
    for i, v in enumerate(variables):
        arrays[f"final{i}"] = array(v)
    golden.add(
        {
            "name": name,
            "class_name": data["class_name"],
            "config": data["config"],
            "exclude_from_weight_decay": exclude or [],
            "steps": STEPS,
            "variables": [{"name": n, "shape": list(s)} for n, s in zip(NAMES, SHAPES)],
            "iterations": int(optimizer.iterations),
            "optimizer_variables": states,
        },
        arrays,
    )


case("sgd", lambda: O.SGD())
case("sgd_learning_rate", lambda: O.SGD(learning_rate=0.5))
case("sgd_momentum", lambda: O.SGD(0.05, momentum=0.9))
case("sgd_nesterov", lambda: O.SGD(0.05, momentum=0.9, nesterov=True))
case("sgd_weight_decay", lambda: O.SGD(0.1, weight_decay=0.05))
case(
    "sgd_weight_decay_exclude_bias",
    lambda: O.SGD(0.1, momentum=0.5, weight_decay=0.05),
    exclude=["bias"],
)
case("sgd_clipnorm", lambda: O.SGD(0.1, clipnorm=1.5))
case("sgd_clipvalue", lambda: O.SGD(0.1, clipvalue=0.5))
case("sgd_global_clipnorm", lambda: O.SGD(0.1, global_clipnorm=2.0))
case("sgd_ema", lambda: O.SGD(0.1, use_ema=True, ema_momentum=0.8))
case(
    "sgd_ema_overwrite",
    lambda: O.SGD(0.1, use_ema=True, ema_momentum=0.8, ema_overwrite_frequency=3),
)
case("sgd_gradient_accumulation", lambda: O.SGD(0.1, gradient_accumulation_steps=2))
case("sgd_loss_scale_factor", lambda: O.SGD(0.1, loss_scale_factor=4.0))

case("adam", lambda: O.Adam())
case("adam_learning_rate", lambda: O.Adam(0.05, beta_1=0.8, beta_2=0.9, epsilon=1e-3))
case("adam_amsgrad", lambda: O.Adam(0.01, amsgrad=True, beta_2=0.7))
case("adam_weight_decay", lambda: O.Adam(0.01, weight_decay=0.02))
case("adam_clipnorm", lambda: O.Adam(0.01, clipnorm=0.5))
case("adam_clipvalue", lambda: O.Adam(0.01, clipvalue=0.3))
case("adam_global_clipnorm", lambda: O.Adam(0.01, global_clipnorm=0.7))
case("adam_ema", lambda: O.Adam(0.01, use_ema=True))
case(
    "adam_gradient_accumulation",
    lambda: O.Adam(0.01, gradient_accumulation_steps=3),
)
case("adam_large_gradients", lambda: O.Adam(), gradient_scale=1e4)
case("adam_small_gradients", lambda: O.Adam(), gradient_scale=1e-6)

case("adamw", lambda: O.AdamW())
case("adamw_weight_decay", lambda: O.AdamW(0.01, weight_decay=0.1))
case(
    "adamw_exclude_bias",
    lambda: O.AdamW(0.01, weight_decay=0.1),
    exclude=["bias"],
)
case("adamw_amsgrad", lambda: O.AdamW(0.01, amsgrad=True, beta_2=0.7))

case("rmsprop", lambda: O.RMSprop())
case("rmsprop_momentum", lambda: O.RMSprop(0.01, momentum=0.9))
case("rmsprop_centered", lambda: O.RMSprop(0.01, centered=True))
case(
    "rmsprop_centered_momentum",
    lambda: O.RMSprop(0.01, rho=0.8, momentum=0.5, centered=True, epsilon=1e-4),
)
case("rmsprop_weight_decay", lambda: O.RMSprop(0.01, weight_decay=0.02))
case("rmsprop_clipnorm", lambda: O.RMSprop(0.01, clipnorm=0.5))

golden.save()
