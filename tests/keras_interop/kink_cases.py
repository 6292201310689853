"""Gradients and values at the kinks of functions: training on inputs exactly at the kinks.

The inputs of the function are rows of an embedding, of which each step uses some that no earlier step has changed; so
the gradient at the kink changes them. Training uses plain SGD, which changes only the rows of the batch.
"""

import itertools

import numpy as np
from cases import case
from library import Input
from library import Model
from library import keras
from library import layers as L
from samples import numbers

STEPS = 5
# The numbers of samples for prediction, evaluation and training.
ROWS = 5 + 2 * 8 + STEPS * 8


def fresh_tokens():
    """Tokens in order, each once."""
    counter = itertools.count()

    def make(rng, count):
        del rng
        return np.array([[next(counter)] for _ in range(count)], "int32")

    return make


def kink_case(name, values, apply, *, width=None, y=None, **arguments):
    """A model of `apply` on rows that are made of these values; `width`: of a row, if not the number of values."""
    width = width or len(values)

    def make():
        tokens = Input((1,), dtype="int32")
        embedding = L.Embedding(ROWS, width)
        x = L.Reshape((width,))(embedding(tokens))
        head = L.Dense(2, kernel_initializer=keras.initializers.RandomNormal(0.0, 0.5, seed=1))
        model = Model(tokens, head(apply(x)))
        repeated = np.resize(np.array(values, "float32"), (ROWS, width))
        if width > len(values):
            repeated = np.random.default_rng(0).choice(np.array(values, "float32"), (ROWS, width))
        embedding.set_weights([repeated])
        model.compile(keras.optimizers.SGD(0.5), "mse")
        return model

    case(
        f"kink/{name}",
        fresh_tokens(),
        y or numbers(2),
        steps_before=0,
        steps=STEPS,
        is_disturbed=False,
        formats=("keras",),
        covers=("kinks",),
        **arguments,
    )(make)


def activation_case(name, values, **arguments):
    kink_case(name, values, lambda x: L.Activation(name)(x), **arguments)  # pylint: disable=unnecessary-lambda


KERAS_3 = {"in_tf_keras": False, "since": (3, 4)}
NEWER = {"in_tf_keras": False, "since": (3, 7)}
NEWER_SPARSE = {"in_tf_keras": False, "since": (3, 8)}

activation_case("relu", [0.0, -0.0, 1.0, -1.0])
activation_case("relu6", [0.0, 6.0, -0.0, 3.0, 7.0], **KERAS_3)
activation_case("leaky_relu", [0.0, -0.0, 1.0, -1.0], **KERAS_3)
activation_case("elu", [0.0, -0.0, 1.0, -1.0])
activation_case("selu", [0.0, -0.0, 1.0, -1.0])
activation_case("celu", [0.0, -0.0, 1.0, -1.0], **NEWER)
activation_case("softsign", [0.0, -0.0, 1.0])
activation_case("hard_sigmoid", [-3.0, 3.0, 0.0, 4.0], **KERAS_3)
activation_case("hard_silu", [-3.0, 3.0, 0.0, 4.0], **KERAS_3)
activation_case("hard_tanh", [-1.0, 1.0, 0.0, 2.0], **NEWER)
activation_case("soft_shrink", [-0.5, 0.5, 0.0, 1.0], **NEWER)
activation_case("hard_shrink", [-0.5, 0.5, 0.0, 1.0], **NEWER)
activation_case("sparse_plus", [-1.0, 1.0, 0.0, 2.0], **NEWER_SPARSE)
activation_case("sparse_sigmoid", [-1.0, 1.0, 0.0, 2.0], in_tf_keras=False, since=(3, 10))
activation_case("squareplus", [0.0, -0.0, 1.0], **NEWER)
activation_case("tanh_shrink", [0.0, -0.0, 1.0], **NEWER)
activation_case("sparsemax", [1.0, 0.0, 2.0, 1.5], width=6, **NEWER_SPARSE)
activation_case("softmax", [1.0, 0.0, 2.0], width=6)
activation_case("log_softmax", [1.0, 0.0, 2.0], width=6, **KERAS_3)

kink_case("relu_layer", [0.25, 2.5, 0.0, 1.0, 3.0], lambda x: L.ReLU(max_value=2.5, negative_slope=0.1, threshold=0.25)(x))
kink_case("relu_layer_without_maximum", [0.5, 0.0, 1.0], lambda x: L.ReLU(negative_slope=0.1, threshold=0.5)(x))
kink_case("relu_layer_6", [0.0, 6.0, -0.0, 3.0, 7.0], lambda x: L.ReLU(max_value=6)(x))


def against_itself(layer):
    """`layer` of x and 2x - 0.5, which are equal for 0.5 and then change differently."""
    return lambda x: layer([x, L.Rescaling(2.0, offset=-0.5)(x)])


kink_case("maximum", [0.5, 0.25, 2.0, -1.0], against_itself(L.Maximum()))
kink_case("minimum", [0.5, 0.25, 2.0, -1.0], against_itself(L.Minimum()))


def pooled(layer):
    return lambda x: L.Flatten()(layer(L.Reshape((4, 4, 2))(x)))


# Windows with several largest elements.
kink_case("max_pooling", [1.0, 0.0, 2.0], pooled(L.MaxPooling2D(2)), width=32)
kink_case("max_pooling_overlapping", [1.0, 0.0], pooled(L.MaxPooling2D(3, strides=1, padding="same")), width=32)


def loss_case(name, loss, y, activation="linear", **arguments):
    """A loss of outputs that are rows of the embedding times 1."""

    def make():
        tokens = Input((1,), dtype="int32")
        embedding = L.Embedding(ROWS, 4)
        model = Model(tokens, L.Activation(activation)(L.Reshape((4,))(embedding(tokens))))
        embedding.set_weights([np.resize(np.array([0.0, 1.0, -1.0, 2.0], "float32"), (ROWS, 4))])
        model.compile(keras.optimizers.SGD(0.5), loss)
        return model

    case(
        f"kink/loss_{name}",
        fresh_tokens(),
        y,
        steps_before=0,
        steps=STEPS,
        is_disturbed=False,
        formats=("keras",),
        covers=("kinks",),
        **arguments,
    )(make)


def targets(*values):
    return lambda rng, count: rng.choice(np.array(values, "float32"), (count, 4))


loss_case("mean_absolute_error", "mae", targets(0.0, 1.0, -1.0, 2.0))
loss_case("mean_absolute_percentage_error", "mape", targets(1.0, -1.0, 2.0))
loss_case("mean_squared_logarithmic_error", "msle", targets(0.0, 1.0, 2.0))
loss_case("huber", "huber", targets(0.0, 1.0, 2.0, 3.0))
loss_case("log_cosh", "log_cosh", targets(0.0, 1.0, 2.0), **KERAS_3)
loss_case("hinge", "hinge", targets(1.0, -1.0))
loss_case("squared_hinge", "squared_hinge", targets(1.0, -1.0))
loss_case("categorical_hinge", "categorical_hinge", lambda rng, count: np.eye(4, dtype="float32")[rng.integers(0, 4, count)])
loss_case("poisson", "poisson", targets(1.0, 2.0), "softplus")


def penalty_case(name, regularizer):
    def make():
        inputs = Input((4,))
        dense = L.Dense(3, kernel_regularizer=regularizer)
        model = Model(inputs, L.Dense(1)(dense(inputs)))
        dense.set_weights([np.resize(np.array([0.0, -0.0, 0.5, -0.5], "float32"), (4, 3)), np.zeros(3, "float32")])
        model.compile(keras.optimizers.SGD(0.1), "mse")
        return model

    case(f"kink/penalty_{name}", numbers(4), numbers(1), steps_before=0, steps=STEPS, is_disturbed=False, formats=("keras",), covers=("kinks",))(make)


penalty_case("l1", keras.regularizers.L1(0.1))
penalty_case("l1_l2", keras.regularizers.L1L2(0.1, 0.2))
