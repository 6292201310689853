"""Each optimizer with each of its arguments."""

from cases import case
from library import Input
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import numbers

O = keras.optimizers

# The unit roundoff of each policy divided by that of float32 and by 512.
POLICIES = {"mixed_float16": 2.0**4, "mixed_bfloat16": 2.0**7}


def network(optimizer, policy=None, metric="accuracy"):
    model = Sequential(
        [
            Input((6,)),
            L.Dense(5, activation="tanh", kernel_regularizer="l2", dtype=policy),
            L.LayerNormalization(dtype=policy),
            L.Dense(5, activation="gelu", dtype=policy),
            L.Dense(3, activation="softmax", dtype="float32" if policy in POLICIES else policy),
        ]
    )
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=[metric])
    return model


def optimizer_case(name, make, **arguments):
    case(f"optimizer/{name}", numbers(6), classes(3), **arguments)(lambda: network(make()))


optimizer_case("sgd", lambda: "sgd")
optimizer_case("sgd_momentum", lambda: O.SGD(0.03, momentum=0.9))
optimizer_case("sgd_nesterov", lambda: O.SGD(0.03, momentum=0.8, nesterov=True, weight_decay=0.01, name="descent"))
optimizer_case("sgd_clipnorm", lambda: O.SGD(0.1, momentum=0.3, clipnorm=0.05))
optimizer_case("sgd_averages", lambda: O.SGD(0.05, use_ema=True, ema_momentum=0.9, ema_overwrite_frequency=5))
optimizer_case(
    "sgd_accumulation",
    lambda: O.SGD(0.1, momentum=0.9, gradient_accumulation_steps=4),
    since=(3, 1),
    in_tf_keras=False,
)
optimizer_case("adam", lambda: "adam")
optimizer_case("adam_amsgrad", lambda: O.Adam(0.01, beta_1=0.8, beta_2=0.95, epsilon=1e-5, amsgrad=True))
optimizer_case("adam_global_clipnorm", lambda: O.Adam(0.01, global_clipnorm=0.1, weight_decay=0.02))
optimizer_case("adam_averages", lambda: O.Adam(0.01, use_ema=True, ema_momentum=0.8))
optimizer_case(
    "adam_accumulation",
    lambda: O.Adam(0.02, gradient_accumulation_steps=2, clipvalue=0.1, amsgrad=True),
    since=(3, 1),
    computes_alike_since=(3, 15),  # older versions counted the steps between the updates too
    in_tf_keras=False,
)
# Older versions create averages and accumulators alternately, variable by variable.
optimizer_case(
    "adam_accumulation_and_averages",
    lambda: O.Adam(0.02, gradient_accumulation_steps=2, clipvalue=0.1, use_ema=True, amsgrad=True),
    since=(3, 15),
    in_tf_keras=False,
)
optimizer_case("adam_loss_scale", lambda: O.Adam(0.01, loss_scale_factor=128.0), in_tf_keras=False)
optimizer_case("adamw", lambda: O.AdamW())
optimizer_case(
    "adamw_arguments",
    lambda: O.AdamW(0.01, weight_decay=0.05, beta_1=0.85, beta_2=0.98, epsilon=1e-6, clipvalue=0.03),
)
optimizer_case("adamw_amsgrad", lambda: O.AdamW(0.005, amsgrad=True, use_ema=True, ema_overwrite_frequency=2))
optimizer_case("rmsprop", lambda: "rmsprop")
optimizer_case(
    "rmsprop_centered", lambda: O.RMSprop(0.005, rho=0.8, momentum=0.5, epsilon=1e-4, centered=True, clipnorm=1.0)
)
optimizer_case("rmsprop_momentum", lambda: O.RMSprop(0.003, momentum=0.9, weight_decay=0.1))
optimizer_case("rmsprop_center_only", lambda: O.RMSprop(0.003, epsilon=1e-3, centered=True, use_ema=True))


def scaled(make, policy):
    """The optimizer, in a LossScaleOptimizer where the policy needs it: `compile` adds that for a model under a global
    policy, with which Keras would have to read the file too."""
    optimizer = O.get(make())
    return O.LossScaleOptimizer(optimizer) if policy == "mixed_float16" else optimizer


def policy_cases(name, make, policies=tuple(POLICIES), **arguments):
    """The optimizer in mixed precision: gradients of few bits for weights in float32. An accuracy would jump where two
    scores are nearly equal."""
    metric = "sparse_categorical_crossentropy"
    arguments = {"since": (3, 4)} | arguments | {"formats": ("keras",), "in_tf_keras": False}
    for policy in policies:
        case(
            f"optimizer/{name}_{policy}",
            numbers(6),
            classes(3),
            covers=(f"dtype {policy}",),
            make_exact=lambda policy=policy: network(scaled(make, policy), "float64", metric),
            roundoff_ratio=POLICIES[policy],
            **arguments,
        )(lambda policy=policy: network(scaled(make, policy), policy, metric))


policy_cases("sgd_nesterov", lambda: O.SGD(0.03, momentum=0.8, nesterov=True, weight_decay=0.01))
policy_cases("adam_global_clipnorm", lambda: O.Adam(0.01, epsilon=1e-4, global_clipnorm=0.1))
policy_cases("adamw_averages", lambda: O.AdamW(0.005, epsilon=1e-4, amsgrad=True, use_ema=True, ema_overwrite_frequency=2))
policy_cases("rmsprop_centered", lambda: O.RMSprop(0.005, rho=0.8, momentum=0.5, epsilon=1e-3, centered=True))


def new_case(name, make, policies=tuple(POLICIES), **arguments):
    """An optimizer of which only Keras 3 is compared; also in mixed precision, unless it depends on layers' names."""
    optimizer_case(name, make, in_tf_keras=False, **arguments)
    policy_cases(name, make, policies, **arguments)


new_case("adadelta", lambda: O.Adadelta(0.5))
new_case("adadelta_arguments", lambda: O.Adadelta(0.8, rho=0.8, epsilon=1e-4, clipnorm=1.0, use_ema=True))
new_case("adagrad", lambda: "adagrad")
new_case(
    "adagrad_arguments",
    lambda: O.Adagrad(0.05, initial_accumulator_value=0.3, epsilon=1e-4, weight_decay=0.01),
)
new_case("adamax", lambda: O.Adamax(0.01))
new_case("adamax_arguments", lambda: O.Adamax(0.02, beta_1=0.8, beta_2=0.95, epsilon=1e-4, global_clipnorm=0.5))
new_case("ftrl", lambda: O.Ftrl(0.05))
new_case(
    "ftrl_arguments",
    lambda: O.Ftrl(
        0.1,
        learning_rate_power=-0.6,
        initial_accumulator_value=0.2,
        l1_regularization_strength=0.001,
        l2_regularization_strength=0.01,
        l2_shrinkage_regularization_strength=0.02,
        beta=0.1,
    ),
)
# In a LossScaleOptimizer, Keras leaves variables of Nadam and Adafactor out of the file.
UNSCALED = ("mixed_bfloat16",)
new_case("nadam", lambda: O.Nadam(0.01), UNSCALED)
new_case("nadam_arguments", lambda: O.Nadam(0.01, beta_1=0.8, beta_2=0.95, epsilon=1e-4, clipvalue=0.1), UNSCALED)
# Older versions counted the steps between the updates too.
new_case(
    "nadam_accumulation",
    lambda: O.Nadam(0.02, epsilon=1e-4, gradient_accumulation_steps=2),
    UNSCALED,
    since=(3, 15),
)
# A small rate: near 0 rounding decides about the sign of an update.
new_case("lion", lambda: O.Lion(1e-4))
new_case("lion_arguments", lambda: O.Lion(1e-4, beta_1=0.7, beta_2=0.9, weight_decay=0.1))
# Keras does not find Lamb by its name in a legacy file.
new_case("lamb", lambda: O.Lamb(0.01, epsilon=1e-4), formats=("keras", "weights.h5"), since=(3, 15))
new_case(
    "lamb_arguments",
    lambda: O.Lamb(0.01, beta_1=0.8, beta_2=0.95, epsilon=1e-3, weight_decay=0.02),
    formats=("keras", "weights.h5"),
    since=(3, 15),
)
# Keras cannot write Adafactor to a legacy file: some of its variables have the same name.
new_case("adafactor", lambda: O.Adafactor(0.05), UNSCALED, formats=("keras", "weights.h5"), since=(3, 15))
new_case(
    "adafactor_arguments",
    lambda: O.Adafactor(0.1, beta_2_decay=-0.6, epsilon_1=1e-8, epsilon_2=1e-2, clip_threshold=0.5, weight_decay=0.01),
    UNSCALED,
    formats=("keras", "weights.h5"),
    since=(3, 15),
)
new_case("muon", lambda: O.Muon(0.005, epsilon=1e-4), since=(3, 15))
new_case(
    "muon_arguments",
    lambda: O.Muon(0.01, momentum=0.8, nesterov=False, ns_steps=3, exclude_layers=["dense_1"], epsilon=1e-4, rms_rate=None),
    policies=(),
    since=(3, 15),
)
# Keras on TensorFlow trains with another formula than its source has.
new_case("schedule_free_adamw", lambda: O.ScheduleFreeAdamW(0.01), since=(3, 15), trains_alike_since=(99, 0))
new_case(
    "multi_optimizer",
    lambda: O.MultiOptimizer(
        O.OptimizerMap(O.SGD(0.05, momentum=0.5), {".*bias": O.Adam(0.01, epsilon=1e-4), ".*dense.*kernel": O.SGD(0.02)})
    ),
    formats=("keras", "weights.h5"),
    since=(3, 15),
)
