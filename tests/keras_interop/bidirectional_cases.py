"""Bidirectional: its layers, ways to merge, masks and states."""

import samples
from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from recurrent_mask_cases import HANDED_ON
from recurrent_mask_cases import PLACES
from recurrent_mask_cases import TOKENS
from recurrent_state_cases import BATCH
from samples import numbers

STEPS = 5
WIDTH = 3
LAYERS = {"simple_rnn": L.SimpleRNN, "lstm": L.LSTM, "gru": L.GRU}
MODES = ["concat", "sum", "mul", "ave"]


def sgd(rate=0.02):
    return keras.optimizers.SGD(rate, momentum=0.5)


def both_case(name, x, y, covers=(), **arguments):
    arguments.setdefault("formats", formats_in_turn())
    arguments.setdefault("steps", 8)
    return case(f"bidirectional/{name}", x, y, covers=covers, **arguments)


def compiled(inputs, outputs, loss="mse"):
    model = Model(inputs, outputs)
    model.compile(sgd(), loss)
    return model


def layer_case(name, make_layers, outputs=(2,), **arguments):
    def make():
        model = Sequential([Input((STEPS, WIDTH)), *make_layers(), L.Dense(outputs[-1])])
        model.compile(sgd(), "mse")
        return model

    both_case(name, numbers(STEPS, WIDTH), numbers(*outputs), **arguments)(make)


def text_case(name, make_layers, place="gaps", outputs=(2,), **arguments):
    def make():
        chain = [*make_layers(), L.Dense(outputs[-1])]
        model = Sequential([Input((STEPS,), dtype="int32"), L.Embedding(TOKENS, 4, mask_zero=True), *chain])
        model.compile(keras.optimizers.SGD(0.05), "mse")
        return model

    covers = ("masks of recurrent layers",)
    both_case(f"masks/{name}", PLACES[place], numbers(*outputs), covers, since=(3, 4), in_tf_keras=False, **arguments)(make)


for kind, layer in LAYERS.items():
    layer_case(f"{kind}/last_output", lambda layer=layer: [L.Bidirectional(layer(4))], formats=("keras", "h5", "weights.h5"))
    layer_case(
        f"{kind}/sequences",
        lambda layer=layer: [L.Bidirectional(layer(4, return_sequences=True))],
        (STEPS, 2),
        formats=("keras", "h5", "weights.h5"),
    )
    layer_case(
        f"{kind}/stacked",
        lambda layer=layer: [L.Bidirectional(layer(4, return_sequences=True)), L.Bidirectional(layer(3)), L.Dense(3, activation="tanh")],
    )
    for place in PLACES:
        text_case(
            f"{kind}/{place}",
            lambda layer=layer: [L.Bidirectional(layer(4, return_sequences=True)), L.Bidirectional(layer(3))],
            place,
        )
    text_case(f"{kind}/sequences", lambda layer=layer: [L.Bidirectional(layer(4, return_sequences=True))], "gaps", (STEPS, 2))
for mode in MODES:
    layer_case(f"{mode}/last_output", lambda mode=mode: [L.Bidirectional(L.LSTM(4), merge_mode=mode)])
    layer_case(f"{mode}/sequences", lambda mode=mode: [L.Bidirectional(L.GRU(4, return_sequences=True), merge_mode=mode)], (STEPS, 2))
    text_case(mode, lambda mode=mode: [L.Bidirectional(L.LSTM(4, return_sequences=True), merge_mode=mode), L.GRU(3)], "gaps")
    text_case(f"{mode}_last", lambda mode=mode: [L.Bidirectional(L.SimpleRNN(4), merge_mode=mode)], "left")

layer_case("cell", lambda: [L.Bidirectional(L.RNN(L.LSTMCell(4)))])
layer_case(
    "cells",
    lambda: [L.Bidirectional(L.RNN([L.LSTMCell(4), L.GRUCell(3)], return_sequences=True))],
    (STEPS, 2),
    since=(3, 4),  # Keras 3.0 lists the weights of cells twice, and cannot read its own files of them
    in_tf_keras=False,
)
layer_case("unrolled", lambda: [L.Bidirectional(L.GRU(4, unroll=True))])
# Without a mask: with one, the unrolled loop of Keras on TensorFlow differs from the other one.
layer_case("unrolled_sequences", lambda: [L.Bidirectional(L.LSTM(4, unroll=True, return_sequences=True))], (STEPS, 2))
text_case("unrolled_last", lambda: [L.Bidirectional(L.LSTM(4, unroll=True))], "left")
layer_case("reset_before", lambda: [L.Bidirectional(L.GRU(4, reset_after=False))])
layer_case("regularizers", lambda: [L.Bidirectional(L.LSTM(4, kernel_regularizer="l2", recurrent_regularizer="l1", activity_regularizer="l2"))], computes_alike_since=(3, 14))
# Keras 3 trains the inner layers although the outer one is not `trainable`.
layer_case("frozen", lambda: [L.Bidirectional(L.LSTM(4), trainable=False)], covers=("structure: frozen layers",), in_tf_keras=False)
layer_case("frozen_inside", lambda: [L.Bidirectional(L.GRU(4, trainable=False)), L.Dense(3)], covers=("structure: frozen layers",))
layer_case("named", lambda: [L.Bidirectional(L.LSTM(4, name="encoder"), name="both")])
layer_case(
    "backward_layer",
    lambda: [L.Bidirectional(L.LSTM(4, return_sequences=True), backward_layer=L.GRU(4, go_backwards=True, return_sequences=True, activation="relu"))],
    (STEPS, 2),
    in_tf_keras=False,
)
layer_case(
    "backward_layer_sum",
    lambda: [L.Bidirectional(L.GRU(4), merge_mode="sum", backward_layer=L.LSTM(4, go_backwards=True, name="other"))],
)
# The first layer goes backwards, the other one forwards.
layer_case(
    "first_backwards",
    lambda: [L.Bidirectional(L.GRU(4, go_backwards=True, return_sequences=True), backward_layer=L.GRU(4, return_sequences=True))],
    (STEPS, 2),
)
text_case("cells", lambda: [L.Bidirectional(L.RNN([L.GRUCell(3), L.LSTMCell(4)], return_sequences=True)), L.LSTM(3)], "both")
text_case("zeros", lambda: [L.Bidirectional(L.LSTM(4, zero_output_for_mask=True))], "gaps")
text_case("then_mean", lambda: [L.Bidirectional(L.LSTM(4, return_sequences=True)), L.GlobalAveragePooling1D()], "right")


@both_case("merged_by_nothing", numbers(STEPS, WIDTH), [numbers(2), numbers(2)])
def merged_by_nothing():
    x = Input((STEPS, WIDTH))
    a, b = L.Bidirectional(L.LSTM(4), merge_mode=None)(x)
    return compiled(x, [L.Dense(2)(a), L.Dense(2)(L.Multiply()([a, b]))], ["mse", "mse"])


@both_case("merged_by_nothing_sequences", PLACES["gaps"], [numbers(STEPS, 2), numbers(2)], covers=("masks of recurrent layers",), since=(3, 4), in_tf_keras=False)
def merged_by_nothing_sequences():
    tokens = Input((STEPS,), dtype="int32")
    x = L.Embedding(TOKENS, 4, mask_zero=True)(tokens)
    a, b = L.Bidirectional(L.GRU(4, return_sequences=True), merge_mode=None)(x)
    model = Model(tokens, [L.Dense(2)(a), L.Dense(2)(L.LSTM(3)(b))])
    model.compile(keras.optimizers.SGD(0.05), ["mse", "mse"])
    return model


# Keras 3.0 cannot call a Bidirectional that returns its states.
OF_STATES = {"since": (3, 4)}

for kind, layer in LAYERS.items():
    count = 4 if kind == "lstm" else 2

    @both_case(f"states/{kind}", numbers(STEPS, WIDTH), numbers(2), covers=("recurrent: states",), **OF_STATES)
    def states(layer=layer):
        x = Input((STEPS, WIDTH))
        output, *found = L.Bidirectional(layer(4, return_state=True))(x)
        return compiled(x, L.Dense(2)(L.Concatenate()([output, *found])))

    @both_case(f"states_into/{kind}", [numbers(STEPS, WIDTH), numbers(3, 2)], numbers(3, 2), covers=("recurrent: states",), **OF_STATES)
    def states_into(layer=layer):
        """A bidirectional encoder, and a bidirectional decoder that begins with its states."""
        x, y = Input((STEPS, WIDTH)), Input((3, 2))
        _, *found = L.Bidirectional(layer(4, return_state=True), name="encoder")(x)
        z = L.Bidirectional(layer(4, return_sequences=True), merge_mode="sum", name="decoder")(y, initial_state=found)
        return compiled([x, y], L.Dense(2)(z))


@both_case("states/merged_by_nothing", numbers(STEPS, WIDTH), [numbers(STEPS, 4), numbers(2)], covers=("recurrent: states",), **OF_STATES)
def states_merged_by_nothing():
    x = Input((STEPS, WIDTH))
    a, b, *found = L.Bidirectional(L.LSTM(4, return_state=True, return_sequences=True), merge_mode=None)(x)
    return compiled(x, [L.Add()([a, b]), L.Dense(2)(L.Concatenate()(found))], ["mse", "mse"])


@both_case("states/masked", samples.with_masked(0.0, STEPS, WIDTH), numbers(2), covers=("recurrent: states", "masks of recurrent layers"), **OF_STATES)
def states_masked():
    x = Input((STEPS, WIDTH))
    output, *found = L.Bidirectional(L.GRU(4, return_state=True))(L.Masking()(x))
    return compiled(x, L.Dense(2)(L.Concatenate()([output, *found])))


@both_case("states/encoder_for_decoder", [numbers(STEPS, WIDTH), numbers(3, 2)], numbers(3, 2), covers=("recurrent: states",), **OF_STATES)
def encoder_for_decoder():
    x, y = Input((STEPS, WIDTH)), Input((3, 2))
    _, forward_h, forward_c, backward_h, backward_c = L.Bidirectional(L.LSTM(3, return_state=True))(x)
    h, c = L.Concatenate()([forward_h, backward_h]), L.Concatenate()([forward_c, backward_c])
    return compiled([x, y], L.Dense(2)(L.LSTM(6, return_sequences=True)(y, initial_state=[h, c])))


@both_case(
    "argument_mask",
    [numbers(STEPS, WIDTH), lambda rng, count: rng.random((count, STEPS)) < 0.6],
    numbers(STEPS, 2),
    covers=("masks of recurrent layers",),
    since=HANDED_ON,
    in_tf_keras=False,
)
def argument_mask():
    x, mask = Input((STEPS, WIDTH)), Input((STEPS,), dtype="bool")
    return compiled([x, mask], L.Dense(2)(L.Bidirectional(L.LSTM(4, return_sequences=True))(x, mask=mask)))


@both_case(
    "stateful",
    numbers(STEPS, WIDTH),
    numbers(2),
    covers=("recurrent: stateful",),
    batch_size=BATCH,
    predicted=2 * BATCH,
    evaluated=2 * BATCH,
    is_fitted=True,
)
def stateful():
    model = Sequential([Input((STEPS, WIDTH), batch_size=BATCH), L.Bidirectional(L.GRU(4, stateful=True)), L.Dense(2)])
    model.compile(keras.optimizers.SGD(0.02), "mse")
    return model


@both_case("shared", [numbers(STEPS, WIDTH), numbers(STEPS, WIDTH)], numbers(2), covers=("structure: shared layers",))
def shared():
    a, b = Input((STEPS, WIDTH)), Input((STEPS, WIDTH))
    encoder = L.Bidirectional(L.LSTM(3), merge_mode="ave")
    return compiled([a, b], L.Dense(2)(L.Subtract()([encoder(a), encoder(b)])))


@both_case("time_distributed_inside", numbers(3, STEPS, 2), numbers(3, 2), in_tf_keras=False)
def time_distributed_inside():
    x = Input((3, STEPS, 2))
    y = L.TimeDistributed(L.Bidirectional(L.GRU(3)))(x)
    return compiled(x, L.Dense(2)(L.Bidirectional(L.GRU(3, return_sequences=True))(y)))


@both_case(
    "mixed_float16",
    numbers(STEPS, WIDTH),
    numbers(2),
    make_exact=lambda: in_policy(None),
    roundoff_ratio=2.0**4,
    formats=("keras", "weights.h5"),
    steps=6,
    in_tf_keras=False,
    since=(3, 4),
)
def in_policy(policy="mixed_float16"):
    x = Input((STEPS, WIDTH))
    y = L.Bidirectional(L.LSTM(4, dtype=policy), dtype=policy)(x)
    return compiled(x, L.Dense(2, dtype="float32" if policy else None)(y))
