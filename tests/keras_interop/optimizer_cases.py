"""Each optimizer with each of its arguments."""

from cases import case
from library import Input
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import numbers

O = keras.optimizers


def network(optimizer):
    model = Sequential(
        [
            Input((6,)),
            L.Dense(5, activation="tanh", kernel_regularizer="l2"),
            L.LayerNormalization(),
            L.Dense(5, activation="gelu"),
            L.Dense(3, activation="softmax"),
        ]
    )
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
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
    trains_alike_since=(3, 15),  # older versions counted the steps between the updates too
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
