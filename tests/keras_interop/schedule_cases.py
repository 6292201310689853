"""Each learning rate schedule, with different optimizers."""

from cases import case
from library import Input
from library import Sequential
from library import keras
from library import layers as L
from samples import numbers

O = keras.optimizers
S = keras.optimizers.schedules


def network(optimizer):
    model = Sequential([Input((5,)), L.Dense(6, activation="tanh"), L.Dense(2)])
    model.compile(optimizer, "mse")
    return model


def schedule_case(name, make, **arguments):
    case(f"schedule/{name}", numbers(5), numbers(2), **arguments)(lambda: network(make()))


schedule_case("exponential", lambda: O.SGD(S.ExponentialDecay(0.1, decay_steps=7, decay_rate=0.8)))
schedule_case("exponential_stairs", lambda: O.Adam(S.ExponentialDecay(0.02, 5, 0.5, staircase=True, name="stairs")))
schedule_case("piecewise", lambda: O.RMSprop(S.PiecewiseConstantDecay([4, 9, 15], [0.02, 0.01, 0.005, 0.001])))
schedule_case("polynomial", lambda: O.SGD(S.PolynomialDecay(0.1, 10, end_learning_rate=0.01, power=2.0), momentum=0.5))
schedule_case("polynomial_cycle", lambda: O.AdamW(S.PolynomialDecay(0.02, 6, power=0.5, cycle=True)))
schedule_case("inverse_time", lambda: O.SGD(S.InverseTimeDecay(0.1, 3, 0.5), nesterov=True, momentum=0.7))
schedule_case("inverse_time_stairs", lambda: O.Adam(S.InverseTimeDecay(0.02, 4, 1.0, staircase=True)))
schedule_case("cosine", lambda: O.Adam(S.CosineDecay(0.02, 15, alpha=0.1)))
schedule_case(
    "cosine_warmup",
    lambda: O.SGD(S.CosineDecay(0.01, 12, warmup_target=0.1, warmup_steps=6)),
    since_tf_keras=(2, 13),
)
schedule_case(
    "cosine_restarts",
    lambda: O.SGD(S.CosineDecayRestarts(0.1, 5, t_mul=1.5, m_mul=0.8, alpha=0.05)),
)
schedule_case(
    "cosine_restarts_of_one_length",
    lambda: O.Adam(S.CosineDecayRestarts(0.02, 4, t_mul=1.0, name="restarts")),
)
