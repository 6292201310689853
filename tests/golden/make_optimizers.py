"""optimizers and more_optimizers (json, npz): ten or twenty steps of given gradients."""

from common import Golden
from common import array
from common import describe
from common import keras
from common import normal
from common import np
from common import rng_for
from common import serialized
from schedule_free import ScheduleFreeAdamW

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
    run(golden, name, make, NAMES, initial, gradients, exclude)


def run(golden, name, make, names, initial, gradients, exclude=None):
    steps = len(gradients[0])
    variables = [keras.Variable(w, name=n) for w, n in zip(initial, names)]
    optimizer = make()
    if exclude:
        optimizer.exclude_from_weight_decay(var_names=exclude)
    data = serialized(optimizer)
    trajectory = [[] for _ in variables]
    for step in range(steps):
        optimizer.apply([g[step] for g in gradients], variables)
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
            "steps": steps,
            "variables": [{"name": n, "shape": list(s)} for n, s in zip(names, (w.shape for w in initial))],
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


# --- The other optimizers -----------------------------------------------------

more = Golden("more_optimizers")
S = keras.optimizers.schedules
MORE_STEPS = 20
MORE_NAMES = ["kernel", "bias", "embeddings", "tall", "filter"]
MORE_SHAPES = [(2, 3), (3,), (2, 2), (4, 2), (2, 1, 2)]


def other(name, make, gradient_scale=1.0, exclude=None):
    keras.backend.clear_session()
    rng = rng_for("more_optimizers")
    initial = [normal(rng, s) for s in MORE_SHAPES]
    sizes = np.array([1, 0.5, 2, 0, 1, 5, 0.01, 1, 1, 0.3] * 2, "float32") * gradient_scale
    gradients = [normal(rng, (MORE_STEPS, *s)) for s in MORE_SHAPES]
    gradients = [(g * sizes.reshape(-1, *[1] * (g.ndim - 1))).astype("float32") for g in gradients]
    run(more, name, make, MORE_NAMES, initial, gradients, exclude)


other("adadelta", lambda: O.Adadelta())
other("adadelta_arguments", lambda: O.Adadelta(1.0, rho=0.8, epsilon=1e-3))
other("adadelta_weight_decay", lambda: O.Adadelta(0.5, weight_decay=0.02), exclude=["bias"])
other("adadelta_accumulation", lambda: O.Adadelta(0.5, gradient_accumulation_steps=3))
other("adadelta_small_gradients", lambda: O.Adadelta(0.5), gradient_scale=1e-4)

other("adagrad", lambda: O.Adagrad())
other("adagrad_arguments", lambda: O.Adagrad(0.05, initial_accumulator_value=0.5, epsilon=1e-3))
other("adagrad_from_zero", lambda: O.Adagrad(0.05, initial_accumulator_value=0.0))
other("adagrad_clipnorm", lambda: O.Adagrad(0.05, clipnorm=0.5))
other("adagrad_averages", lambda: O.Adagrad(0.05, use_ema=True, ema_momentum=0.8, ema_overwrite_frequency=3))
other("adagrad_loss_scale_factor", lambda: O.Adagrad(0.05, loss_scale_factor=8.0))

other("adamax", lambda: O.Adamax())
other("adamax_arguments", lambda: O.Adamax(0.05, beta_1=0.8, beta_2=0.9, epsilon=1e-3))
other("adamax_clipvalue", lambda: O.Adamax(0.02, clipvalue=0.3))
other("adamax_accumulation", lambda: O.Adamax(0.02, gradient_accumulation_steps=2, use_ema=True))
other("adamax_schedule", lambda: O.Adamax(S.ExponentialDecay(0.05, 5, 0.5)))

other("ftrl", lambda: O.Ftrl())
other("ftrl_power", lambda: O.Ftrl(0.1, learning_rate_power=-0.3, initial_accumulator_value=0.5))
other("ftrl_power_of_zero", lambda: O.Ftrl(0.1, learning_rate_power=0.0))
other("ftrl_l1", lambda: O.Ftrl(0.1, l1_regularization_strength=0.5))
other("ftrl_l2", lambda: O.Ftrl(0.1, l2_regularization_strength=0.3))
other("ftrl_shrinkage", lambda: O.Ftrl(0.1, l2_shrinkage_regularization_strength=0.2))
other("ftrl_beta", lambda: O.Ftrl(0.1, beta=0.7))
other(
    "ftrl_arguments",
    lambda: O.Ftrl(
        0.2,
        learning_rate_power=-0.6,
        initial_accumulator_value=0.0,
        l1_regularization_strength=0.01,
        l2_regularization_strength=0.02,
        l2_shrinkage_regularization_strength=0.03,
        beta=0.1,
    ),
)
other("ftrl_global_clipnorm", lambda: O.Ftrl(0.1, global_clipnorm=0.7))
other("ftrl_accumulation", lambda: O.Ftrl(0.1, gradient_accumulation_steps=2, weight_decay=0.01))

other("lion", lambda: O.Lion())
other("lion_arguments", lambda: O.Lion(0.01, beta_1=0.7, beta_2=0.9))
other("lion_weight_decay", lambda: O.Lion(0.01, weight_decay=0.1), exclude=["bias"])
other("lion_averages", lambda: O.Lion(0.01, use_ema=True, ema_momentum=0.9))
other("lion_accumulation", lambda: O.Lion(0.01, gradient_accumulation_steps=2))

other("nadam", lambda: O.Nadam())
other("nadam_arguments", lambda: O.Nadam(0.05, beta_1=0.8, beta_2=0.9, epsilon=1e-3))
other("nadam_global_clipnorm", lambda: O.Nadam(0.01, global_clipnorm=0.7, weight_decay=0.05))
other("nadam_accumulation", lambda: O.Nadam(0.02, gradient_accumulation_steps=3))
other("nadam_averages", lambda: O.Nadam(0.02, use_ema=True, ema_overwrite_frequency=4))
other("nadam_schedule", lambda: O.Nadam(S.CosineDecayRestarts(0.05, 4, t_mul=1.5, m_mul=0.8, alpha=0.1)))

other("lamb", lambda: O.Lamb())
other("lamb_arguments", lambda: O.Lamb(0.05, beta_1=0.8, beta_2=0.9, epsilon=1e-3))
other("lamb_weight_decay", lambda: O.Lamb(0.02, weight_decay=0.05), exclude=["bias"])
other("lamb_accumulation", lambda: O.Lamb(0.02, gradient_accumulation_steps=2))
other("lamb_averages", lambda: O.Lamb(0.02, use_ema=True, ema_overwrite_frequency=3))

other("adafactor", lambda: O.Adafactor())
other(
    "adafactor_arguments",
    lambda: O.Adafactor(
        0.5, beta_2_decay=-0.6, epsilon_1=1e-6, epsilon_2=1e-2, clip_threshold=0.5, relative_step=False
    ),
)
other("adafactor_large_rate", lambda: O.Adafactor(2.0))
other("adafactor_clipnorm", lambda: O.Adafactor(0.1, clipnorm=0.5, weight_decay=0.02))
other("adafactor_accumulation", lambda: O.Adafactor(0.1, gradient_accumulation_steps=2))
other("adafactor_schedule", lambda: O.Adafactor(S.InverseTimeDecay(0.2, 5, 0.5)))

other("muon", lambda: O.Muon())
other("muon_arguments", lambda: O.Muon(0.02, momentum=0.8, ns_steps=3, nesterov=False, rms_rate=0.5))
other("muon_no_rms_rate", lambda: O.Muon(0.02, rms_rate=None, weight_decay=None, adam_weight_decay=0.1))
other(
    "muon_excluded",
    lambda: O.Muon(0.02, exclude_layers=["ta.l"], exclude_embeddings=False, adam_lr_ratio=0.5, adam_beta_1=0.8),
)
other("muon_coefficients", lambda: O.Muon(0.02, muon_a=3.0, muon_b=-3.0, muon_c=1.0, adam_beta_2=0.9, epsilon=1e-4))
other("muon_decay", lambda: O.Muon(0.05, weight_decay=0.1, adam_weight_decay=None), exclude=["kernel"])
other("muon_accumulation", lambda: O.Muon(0.02, gradient_accumulation_steps=2, use_ema=True))
other("muon_clipvalue", lambda: O.Muon(0.02, clipvalue=0.3))

other("schedule_free_adamw", lambda: ScheduleFreeAdamW())
other(
    "schedule_free_adamw_arguments",
    lambda: ScheduleFreeAdamW(0.05, beta_1=0.7, beta_2=0.9, epsilon=1e-4, warmup_steps=6),
)
other("schedule_free_adamw_weight_decay", lambda: ScheduleFreeAdamW(0.05, weight_decay=0.1), exclude=["bias"])
other("schedule_free_adamw_accumulation", lambda: ScheduleFreeAdamW(0.05, gradient_accumulation_steps=2))

other(
    "multi_optimizer",
    lambda: O.MultiOptimizer(O.OptimizerMap(O.SGD(0.1, momentum=0.5), {"kernel": O.Adam(0.02), ".*ll": O.Lion(0.01)})),
)
other(
    "multi_optimizer_arguments",
    lambda: O.MultiOptimizer(
        O.OptimizerMap(O.RMSprop(0.01, use_ema=True, ema_momentum=0.8), {"bias|filter": O.SGD(0.1, global_clipnorm=0.5)}),
        loss_scale_factor=4.0,
        name="several",
    ),
)
more.save()
