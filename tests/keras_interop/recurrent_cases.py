"""SimpleRNN, LSTM, GRU and RNN over cells: their arguments, outputs and places in models. Masks are in
recurrent_mask_cases.py, states in recurrent_state_cases.py, dropout in recurrent_dropout_cases.py."""

from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import integers
from samples import numbers

STEPS = 5
WIDTH = 3
LAYERS = {"simple_rnn": L.SimpleRNN, "lstm": L.LSTM, "gru": L.GRU}
CELLS = {"simple_rnn": L.SimpleRNNCell, "lstm": L.LSTMCell, "gru": L.GRUCell}


def sgd(rate=0.02):
    return keras.optimizers.SGD(rate, momentum=0.5)


def recurrent_case(name, x, y, covers=(), **arguments):
    arguments.setdefault("formats", formats_in_turn())
    arguments.setdefault("steps", 8)
    return case(f"recurrent/{name}", x, y, covers=covers, **arguments)


def compiled(inputs, outputs, optimizer=None, loss="mse"):
    model = Model(inputs, outputs)
    model.compile(optimizer or sgd(), loss)
    return model


def layer_case(name, make_layers, outputs=(2,), steps=STEPS, width=WIDTH, **arguments):
    """A Sequential of these layers, and a Dense layer behind them."""

    def make():
        model = Sequential([Input((steps, width)), *make_layers(), L.Dense(outputs[-1])])
        model.compile(sgd(), "mse")
        return model

    recurrent_case(name, numbers(steps or STEPS, width), numbers(*outputs), **arguments)(make)


def with_regularizers(layer, **arguments):
    return layer(
        4,
        kernel_regularizer="l2",
        recurrent_regularizer=keras.regularizers.L1(0.01),
        bias_regularizer=keras.regularizers.L1L2(0.01, 0.02),
        **arguments,
    )


for kind, layer in LAYERS.items():
    layer_case(f"{kind}/last_output", lambda layer=layer: [layer(4)], formats=("keras", "h5", "weights.h5"))
    layer_case(f"{kind}/sequences", lambda layer=layer: [layer(4, return_sequences=True)], (STEPS, 2), formats=("keras", "h5", "weights.h5"))
    layer_case(f"{kind}/stacked", lambda layer=layer: [layer(4, return_sequences=True), layer(3, return_sequences=True), layer(2)])
    layer_case(f"{kind}/backwards", lambda layer=layer: [layer(4, go_backwards=True)])
    layer_case(f"{kind}/backwards_sequences", lambda layer=layer: [layer(4, go_backwards=True, return_sequences=True)], (STEPS, 2))
    layer_case(f"{kind}/unrolled", lambda layer=layer: [layer(4, unroll=True, return_sequences=True), layer(2, unroll=True, go_backwards=True)])
    layer_case(f"{kind}/without_bias", lambda layer=layer: [layer(4, use_bias=False)])
    layer_case(f"{kind}/regularizers", lambda layer=layer: [with_regularizers(layer)])
    layer_case(f"{kind}/one_unit", lambda layer=layer: [layer(1)], width=1)
    layer_case(f"{kind}/one_step", lambda layer=layer: [layer(4)], steps=1)
    layer_case(f"{kind}/any_length", lambda layer=layer: [layer(4, return_sequences=True), layer(2)], steps=None)
    layer_case(f"{kind}/many_steps", lambda layer=layer: [layer(6)], steps=60)
    layer_case(
        f"{kind}/frozen",
        lambda layer=layer: [layer(4, return_sequences=True, trainable=False), layer(3)],
        covers=("structure: frozen layers",),
    )
    layer_case(f"{kind}/relu", lambda layer=layer: [layer(4, activation="relu")])
    layer_case(f"{kind}/elu", lambda layer=layer: [layer(4, activation="elu", return_sequences=True), layer(3, activation="softsign")])
    layer_case(f"{kind}/linear", lambda layer=layer: [layer(3, activation=None)])
    layer_case(
        f"{kind}/initializers",
        lambda layer=layer: [
            layer(
                4,
                kernel_initializer="he_normal",
                recurrent_initializer=keras.initializers.Orthogonal(gain=0.5),
                bias_initializer="ones",
            )
        ],
    )
    layer_case(
        f"{kind}/float64",
        lambda layer=layer: [layer(4, dtype="float64")],
    )

# The hard_sigmoid of tf.keras is another function.
layer_case("lstm/gate_activations", lambda: [L.LSTM(4, recurrent_activation="hard_sigmoid", return_sequences=True), L.LSTM(3, recurrent_activation="tanh")])
layer_case("gru/gate_activations", lambda: [L.GRU(4, recurrent_activation="hard_sigmoid", return_sequences=True), L.GRU(3, recurrent_activation="softplus")])
layer_case("lstm/forget_bias_of_zero", lambda: [L.LSTM(4, unit_forget_bias=False)])
layer_case("lstm/activity_regularizer", lambda: [L.LSTM(4, activity_regularizer="l2", return_sequences=True), L.LSTM(2, activity_regularizer="l1")])
layer_case("gru/activity_regularizer", lambda: [L.GRU(4, activity_regularizer="l2")])
layer_case("gru/reset_before", lambda: [L.GRU(4, reset_after=False)], formats=("keras", "h5", "weights.h5"))
layer_case("gru/reset_before_sequences", lambda: [L.GRU(4, reset_after=False, return_sequences=True), L.GRU(3, reset_after=False, use_bias=False, activation="relu")])
layer_case("gru/reset_before_backwards", lambda: [L.GRU(4, reset_after=False, go_backwards=True, recurrent_activation="hard_sigmoid")])
layer_case("gru/reset_after_without_bias", lambda: [L.GRU(4, use_bias=False, return_sequences=True), L.GRU(3, use_bias=False, activation="linear")])
layer_case("softmax_within", lambda: [L.LSTM(4, activation="softmax"), L.RepeatVector(3), L.GRU(3, recurrent_activation="softmax")])
layer_case("three_kinds", lambda: [L.LSTM(5, return_sequences=True), L.GRU(4, return_sequences=True), L.SimpleRNN(3)])
layer_case("between_convolutions", lambda: [L.Dense(4, activation="relu"), L.LSTM(4, return_sequences=True), L.BatchNormalization(), L.GRU(3)])
layer_case("repeated_vector", lambda: [L.GRU(4), L.RepeatVector(4), L.GRU(3, return_sequences=True)], (4, 2))
layer_case("large", lambda: [L.LSTM(32, return_sequences=True), L.GRU(24)], width=16, steps=20)


# Cells.


def cell_case(name, make_cell, outputs=(2,), **arguments):
    wanted = arguments.pop("layer", {})
    layer_case(f"cells/{name}", lambda: [L.RNN(make_cell(), **wanted)], outputs, **arguments)


for kind, cell in CELLS.items():
    cell_case(kind, lambda cell=cell: cell(4), formats=("keras", "h5", "weights.h5"))
    cell_case(f"{kind}_sequences_backwards", lambda cell=cell: cell(4, activation="relu"), (STEPS, 2), layer={"return_sequences": True, "go_backwards": True})
    cell_case(f"{kind}_unrolled", lambda cell=cell: cell(3, use_bias=False), layer={"unroll": True})
    cell_case(f"{kind}_regularizers", lambda cell=cell: with_regularizers(cell))

cell_case("list", lambda: [L.LSTMCell(4), L.GRUCell(3), L.GRUCell(3), L.SimpleRNNCell(2)], formats=("keras", "weights.h5"))
cell_case("list_in_h5", lambda: [L.GRUCell(4), L.LSTMCell(3)], formats=("keras", "h5"))
cell_case("stacked", lambda: L.StackedRNNCells([L.LSTMCell(4), L.LSTMCell(3)], name="pile"), (STEPS, 2), layer={"return_sequences": True})
cell_case("stacked_of_one", lambda: L.StackedRNNCells([L.GRUCell(4)]))
cell_case("stacked_backwards", lambda: L.StackedRNNCells([L.SimpleRNNCell(4), L.GRUCell(3, reset_after=False)]), layer={"go_backwards": True})
cell_case("stacked_unrolled", lambda: [L.LSTMCell(3), L.SimpleRNNCell(4)], layer={"unroll": True})
cell_case("named", lambda: [L.LSTMCell(3, name="lower"), L.LSTMCell(4, name="upper")], layer={"name": "tower"})
# tf.keras lists the weights that are trained first.
cell_case(
    "frozen",
    lambda: [L.LSTMCell(3, trainable=False), L.GRUCell(4)],
    covers=("structure: frozen layers",),
    formats=("keras", "h5", "weights.h5"),
    in_tf_keras=False,
)
# Keras 3 trains a cell although its layer is not `trainable`.
cell_case("frozen_layer", lambda: L.GRUCell(4), layer={"trainable": False}, covers=("structure: frozen layers",), in_tf_keras=False)
cell_case("stacked_twice", lambda: L.StackedRNNCells([L.StackedRNNCells([L.GRUCell(3), L.LSTMCell(3)]), L.SimpleRNNCell(4)]), in_tf_keras=False)


# Models.


@recurrent_case("functional_with_two_inputs", [numbers(STEPS, 3), numbers(4, 2)], classes(3))
def functional_with_two_inputs():
    a, b = Input((STEPS, 3)), Input((4, 2))
    x = L.Concatenate()([L.LSTM(4)(a), L.GRU(3)(b)])
    return compiled([a, b], L.Dense(3, activation="softmax")(x), "adam", "sparse_categorical_crossentropy")


@recurrent_case("shared", [numbers(STEPS, 3), numbers(STEPS, 3)], numbers(2), covers=("structure: shared layers",))
def shared():
    a, b = Input((STEPS, 3)), Input((STEPS, 3))
    encoder = L.LSTM(4, name="encoder")
    return compiled([a, b], L.Dense(2)(L.Subtract()([encoder(a), encoder(b)])))


@recurrent_case("shared_of_two_lengths", [numbers(3, 2), numbers(6, 2)], numbers(2), covers=("structure: shared layers",), in_tf_keras=False)
def shared_of_two_lengths():
    a, b = Input((3, 2)), Input((6, 2))
    encoder = L.GRU(4, name="encoder")
    return compiled([a, b], L.Dense(2)(L.Add()([encoder(a), encoder(b)])))


@recurrent_case("nested", numbers(STEPS, 3), numbers(2), covers=("structure: nested models",))
def nested():
    inner = Sequential([Input((STEPS, 3)), L.GRU(4, return_sequences=True), L.LSTM(3)], name="encoder")
    x = Input((STEPS, 3))
    return compiled(x, L.Dense(2)(inner(x)))


@recurrent_case("residual", numbers(STEPS, 4), numbers(STEPS, 4))
def residual():
    x = Input((STEPS, 4))
    y = x
    for layer in (L.GRU, L.LSTM):
        y = L.Add()([layer(4, return_sequences=True)(y), y])
    return compiled(x, L.LayerNormalization()(y))


@recurrent_case("tokens", integers(20, 7), classes(2))
def tokens():
    model = Sequential([Input((7,), dtype="int32"), L.Embedding(20, 6), L.LSTM(5), L.Dense(2, activation="softmax")])
    # Momentum would differ between Keras's backends for tokens that a batch has twice.
    model.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@recurrent_case("of_images", numbers(8, 8, 2), numbers(2))
def of_images():
    x = Input((8, 8, 2))
    y = L.Conv2D(3, 3, activation="elu")(x)
    y = L.Reshape((6, 18))(y)
    return compiled(x, L.Dense(2)(L.GRU(4)(y)))


@recurrent_case("time_distributed_inside", numbers(3, 4, 2), numbers(3, 2), in_tf_keras=False)
def time_distributed_inside():
    """A layer for each of three sequences, and one over them."""
    x = Input((3, 4, 2))
    y = L.TimeDistributed(L.LSTM(4))(x)
    y = L.TimeDistributed(L.Dense(3, activation="tanh"))(y)
    return compiled(x, L.Dense(2)(L.GRU(4, return_sequences=True)(y)))


@recurrent_case("time_distributed_sequences", numbers(3, 4, 2), numbers(3, 4, 2), in_tf_keras=False)
def time_distributed_sequences():
    x = Input((3, 4, 2))
    return compiled(x, L.Dense(2)(L.TimeDistributed(L.GRU(3, return_sequences=True))(x)))


@recurrent_case("clipped", numbers(STEPS, 3), numbers(2))
def clipped():
    model = Sequential([Input((STEPS, 3)), L.LSTM(4, return_sequences=True), L.SimpleRNN(4), L.Dense(2)])
    model.compile(keras.optimizers.RMSprop(0.01, clipnorm=0.1), "mae")
    return model


@recurrent_case("sample_weights", numbers(STEPS, 3), numbers(STEPS, 2), weight=lambda rng, count: rng.uniform(0.1, 2.0, (count, STEPS)).astype("float32"), in_tf_keras=False)
def sample_weights():
    model = Sequential([Input((STEPS, 3)), L.GRU(4, return_sequences=True), L.Dense(2)])
    model.compile("adam", "mse")
    return model


@recurrent_case("names", numbers(STEPS, 3), numbers(2), covers=("structure: names",), in_tf_keras=False)
def names():
    model = Sequential([Input((STEPS, 3)), L.LSTM(4, return_sequences=True, name="größe"), L.GRU(3, name="a layer"), L.Dense(2)])
    model.compile(sgd(), "mse")
    return model


# Dtype policies: few bits, so the bounds follow from the rounding of Keras itself.


def policy_case(name, make_layers, policy, ratio):
    """`make_layers` gets the dtype policy; with None it is that of floatx, which is float64 for the exact results."""

    def make(policy=policy):
        x = Input((STEPS, WIDTH))
        y = x
        for layer in make_layers(policy):
            y = layer(y)
        return compiled(x, L.Dense(2, dtype="float32" if policy else None)(y))

    recurrent_case(
        f"dtype/{name}",
        numbers(STEPS, WIDTH),
        numbers(2),
        make_exact=lambda: make(None),
        roundoff_ratio=ratio,
        formats=("keras", "weights.h5"),
        steps=6,
        in_tf_keras=False,
        since=(3, 4),
    )(make)


for kind, layer in LAYERS.items():
    for policy, ratio in (("mixed_float16", 2.0**4), ("mixed_bfloat16", 2.0**7), ("float16", 2.0**4)):
        policy_case(
            f"{kind}_{policy}",
            lambda policy, layer=layer: [layer(4, return_sequences=True, dtype=policy), layer(3, dtype=policy)],
            policy,
            ratio,
        )
# The cell computes in its own policy.
policy_case("cell_mixed_float16", lambda policy: [L.RNN(L.LSTMCell(4, dtype=policy))], "mixed_float16", 2.0**4)
policy_case("layer_mixed_float16", lambda policy: [L.RNN(L.GRUCell(4), dtype=policy)], "mixed_float16", 2.0**4)
