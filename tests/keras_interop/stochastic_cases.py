"""Layers that draw random numbers: their effect in training, and that they have none otherwise."""

from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import integers
from samples import numbers


def ones(*shape):
    return numbers(*shape, scale=0.0, offset=1.0)


def zeros(*shape):
    return numbers(*shape, scale=0.0)


def sgd(rate=0.02):
    return keras.optimizers.SGD(rate, momentum=0.5)


def measured(inputs, dropped):
    """Ones dropped by a layer with rate p have the mean s·(1-p), and their squares s²·(1-p): this shows scale and
    fraction. The second output is trained, without momentum, which would still have an effect at a learning rate of 0."""
    model = Model(inputs, [dropped, L.Dense(1, name="head")(L.Flatten()(dropped))])
    model.compile(keras.optimizers.SGD(0.02), loss=["mse", "mse"], metrics=[["mae", "mse"], []])
    return model


def stochastic_case(name, x, y, **arguments):
    """A case whose training draws random numbers."""
    return case(f"stochastic/{name}", x, y, is_random=True, steps=10, **arguments)


@stochastic_case("fraction_and_scale", ones(50), [zeros(50), numbers(1)])
def fraction_and_scale():
    inputs = Input((50,))
    return measured(inputs, L.Dropout(0.3, name="dropped")(inputs))


@stochastic_case("fraction_of_rows", ones(6, 10), [zeros(6, 10), numbers(1)])
def fraction_of_rows():
    inputs = Input((6, 10))
    return measured(inputs, L.Dropout(0.6, noise_shape=(None, 6, 1), name="dropped")(inputs))


@stochastic_case("nearly_everything", numbers(20), numbers(2))
def nearly_everything():
    inputs = Input((20,))
    x = L.Dense(30, activation="tanh")(inputs)
    model = Model(inputs, L.Dense(2)(L.Dropout(0.95)(x)))
    model.compile(sgd(), "mse", metrics=["mae"])
    return model


# The seed of tf.keras is not a number in Keras 3; the distributions are equal.
@stochastic_case("seed_of_its_own", numbers(10), numbers(2), in_tf_keras=False)
def seed_of_its_own():
    inputs = Input((10,))
    x = L.Dropout(0.4, seed=11)(L.Dense(12, activation="tanh")(inputs))
    model = Model(inputs, L.Dense(2)(L.Dropout(0.2, seed=12)(x)))
    model.compile(sgd(), "mse")
    return model


@stochastic_case("sequential", numbers(10), classes(3))
def sequential():
    model = Sequential(
        [Input((10,)), L.Dropout(0.2), L.Dense(12, activation="relu"), L.Dropout(0.5), L.Dense(3, activation="softmax")]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@stochastic_case("of_images", numbers(8, 8, 3), classes(3))
def of_images():
    inputs = Input((8, 8, 3))
    x = L.Conv2D(6, 3, activation="relu")(inputs)
    x = L.Dropout(0.5, noise_shape=(None, 1, 1, 6))(x)
    x = L.Dropout(0.25)(L.MaxPooling2D()(x))
    model = Model(inputs, L.Dense(3, activation="softmax")(L.Flatten()(x)))
    model.compile(sgd(), "sparse_categorical_crossentropy")
    return model


@stochastic_case("beside_batch_normalization", numbers(8), numbers(2))
def beside_batch_normalization():
    inputs = Input((8,))
    x = L.BatchNormalization()(L.Dropout(0.3)(L.Dense(8, use_bias=False)(inputs)))
    model = Model(inputs, L.Dense(2)(L.Dropout(0.4)(L.Activation("tanh")(x))))
    model.compile(sgd(), "mse")
    return model


@stochastic_case("of_tokens", integers(30, 6), classes(2))
def of_tokens():
    tokens = Input((6,), dtype="int32")
    x = L.Dropout(0.5, noise_shape=(None, 6, 1))(L.Embedding(30, 8)(tokens))
    model = Model(tokens, L.Dense(2, activation="softmax")(L.GlobalAveragePooling1D()(x)))
    model.compile(sgd(), "sparse_categorical_crossentropy")
    return model


# One layer that is called twice draws twice: their difference is not 0.
@stochastic_case("shared_layer", ones(40), [zeros(40), numbers(1)], covers=("structure: shared layers",))
def shared_layer():
    inputs = Input((40,))
    shared = L.Dropout(0.5, name="shared")
    return measured(inputs, L.Subtract(name="difference")([shared(inputs), shared(inputs)]))


@stochastic_case(
    "shared_model",
    [numbers(6), numbers(6)],
    numbers(1),
    covers=("structure: nested models", "structure: shared layers"),
)
def shared_model():
    inner_input = Input((6,))
    x = L.Dropout(0.5)(L.Dense(10, activation="tanh")(inner_input))
    encoder = Model(inner_input, L.Dense(4)(x), name="encoder")
    a, b = Input((6,), name="a"), Input((6,), name="b")
    model = Model([a, b], L.Dense(1)(L.Subtract()([encoder(a), encoder(b)])))
    model.compile(sgd(), "mse")
    return model


@stochastic_case("functional_in_functional", ones(30), [zeros(30), numbers(1)], covers=("structure: nested models",))
def functional_in_functional():
    inner_input = Input((30,))
    inner = Model(inner_input, L.Dropout(0.35)(inner_input), name="inner")
    inputs = Input((30,))
    return measured(inputs, inner(inputs))


@stochastic_case("sequential_in_functional", ones(30), [zeros(30), numbers(1)], covers=("structure: nested models",))
def sequential_in_functional():
    inner = Sequential([Input((30,)), L.Dropout(0.35), L.Dropout(0.1)], name="inner")
    inputs = Input((30,))
    return measured(inputs, inner(inputs))


@stochastic_case("functional_in_sequential", numbers(8), numbers(2), covers=("structure: nested models",))
def functional_in_sequential():
    inner_input = Input((8,))
    inner = Model(inner_input, L.Dropout(0.5)(L.Dense(8, activation="tanh")(inner_input)), name="inner")
    model = Sequential([Input((8,)), inner, L.Dense(2)])
    model.compile(sgd(), "mse")
    return model


@stochastic_case("three_deep", ones(30), [zeros(30), numbers(1)], covers=("structure: nested models",))
def three_deep():
    innermost = Sequential([Input((30,)), L.Dropout(0.5)], name="innermost")
    middle_input = Input((30,))
    middle = Model(middle_input, L.Dropout(0.2)(innermost(middle_input)), name="middle")
    inputs = Input((30,))
    return measured(inputs, middle(inputs))


# A frozen layer draws: `trainable` has no effect on layers without weights.
@stochastic_case("frozen", ones(50), [zeros(50), numbers(1)], covers=("structure: frozen layers",))
def frozen():
    inputs = Input((50,))
    return measured(inputs, L.Dropout(0.3, trainable=False, name="dropped")(inputs))


@stochastic_case("in_mixed_precision", ones(50), [zeros(50), numbers(1)], in_tf_keras=False)
def in_mixed_precision():
    inputs = Input((50,))
    return measured(inputs, L.Dropout(0.5, dtype="mixed_float16", name="dropped")(inputs))


# Keras writes `training=False` for a Dropout whether or not the call had it.
@stochastic_case("said_false", ones(50), [zeros(50), numbers(1)], covers=("structure: training=False",))
def said_false():
    inputs = Input((50,))
    return measured(inputs, L.Dropout(0.3, name="dropped")(inputs, training=False))


@stochastic_case(
    "said_true",
    ones(50),
    [zeros(50), numbers(1)],
    is_random_in_inference=True,
    in_tf_keras=False,
    covers=("structure: training=True",),
)
def said_true():
    inputs = Input((50,))
    return measured(inputs, L.Dropout(0.3, name="dropped")(inputs, training=True))


def inference_only(inputs, said):
    """A nested model that is called with training=False; for Keras 3, `trainable=False` is used instead."""
    inner_input = Input((8,))
    x = L.BatchNormalization(name="as_it_is", trainable=said)(inner_input)
    inner = Model(inner_input, L.Dropout(0.5 if said else 0.0, name="still")(x), name="inner")
    x = inner(inputs, training=False) if said else inner(inputs)
    model = Model(inputs, L.Dense(2)(L.Dropout(0.3, name="drawn")(x)))
    model.compile(keras.optimizers.SGD(0.02), "mse")
    return model


@stochastic_case(
    "model_said_false",
    numbers(8),
    numbers(2),
    drawn_with=lambda: inference_only(Input((8,)), said=False),
    in_tf_keras=False,
    covers=("structure: nested models", "structure: training=False"),
)
def model_said_false():
    return inference_only(Input((8,)), said=True)


# The argument has no effect on a layer that draws no random numbers.
@case("stochastic/rate_of_nothing", numbers(6), numbers(2), covers=("structure: training=True",), in_tf_keras=False)
def rate_of_nothing():
    inputs = Input((6,))
    x = L.Dropout(0.0)(L.Dense(5, activation="tanh")(inputs), training=True)
    model = Model(inputs, L.Dense(2)(x))
    model.compile(sgd(), "mse")
    return model
