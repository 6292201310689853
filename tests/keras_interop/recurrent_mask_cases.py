"""Masks of recurrent layers: Masking, Embedding with `mask_zero` and masks as arguments; at the left, the right, in gaps, of
whole samples."""

import numpy as np
import samples
from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import numbers
from samples import with_masked

TOKENS = 12
STEPS = 5
WIDTH = 3
# Classes of these arguments are not in all versions.
SINCE = (3, 4)
# Before, a layer that is called with a mask as an argument does not hand it on.
HANDED_ON = (3, 11)
# Before, metrics left out masked steps only beside weights of samples.
METRICS_WITH_MASKS = (3, 12)


def sgd(rate=0.05):
    # Momentum would differ between Keras's backends for tokens that a batch has twice.
    return keras.optimizers.SGD(rate)


def tokens_at(ends):
    """`ends` draws the first and the end of the steps that are not masked."""

    def make(rng, count):
        tokens = rng.integers(1, TOKENS, (count, STEPS))
        first, last = ends(rng, count)
        steps = np.arange(STEPS)
        return np.where((steps >= first[:, None]) & (steps < last[:, None]), tokens, 0).astype("int32")

    return make


def gaps(rng, count):
    tokens = rng.integers(1, TOKENS, (count, STEPS))
    return np.where(rng.random((count, STEPS)) < 0.6, tokens, 0).astype("int32")


PLACES = {
    "right": samples.words(TOKENS, STEPS, range(1, STEPS + 1)),
    "left": tokens_at(lambda rng, count: (rng.integers(0, STEPS, count), np.full(count, STEPS))),
    "both": tokens_at(lambda rng, count: (rng.integers(0, 2, count), rng.integers(3, STEPS + 1, count))),
    # Also whole samples.
    "gaps": gaps,
    "all": lambda rng, count: np.zeros((count, STEPS), "int32"),
    "none": samples.words(TOKENS, STEPS, [STEPS]),
}


def mask_case(name, x, y, covers=(), **arguments):
    arguments.setdefault("formats", formats_in_turn())
    arguments.setdefault("steps", 8)
    arguments.setdefault("since", SINCE)
    arguments.setdefault("in_tf_keras", False)
    return case(f"recurrent/masks/{name}", x, y, covers=("masks of recurrent layers", *covers), **arguments)


def text_case(name, make_layers, place="right", outputs=(2,), **arguments):
    """Layers behind an embedding."""

    def make():
        chain = [*make_layers(), L.Dense(outputs[-1])]
        model = Sequential([Input((STEPS,), dtype="int32"), L.Embedding(TOKENS, 4, mask_zero=True), *chain])
        model.compile(sgd(), "mse")
        return model

    mask_case(name, PLACES[place], numbers(*outputs), **arguments)(make)


LAYERS = {"simple_rnn": L.SimpleRNN, "lstm": L.LSTM, "gru": L.GRU}

for kind, layer in LAYERS.items():
    for place in PLACES:
        text_case(f"{kind}/{place}", lambda layer=layer: [layer(4, return_sequences=True), layer(3)], place)
    text_case(f"{kind}/sequences", lambda layer=layer: [layer(4, return_sequences=True)], "gaps", (STEPS, 2))
    text_case(f"{kind}/backwards", lambda layer=layer: [layer(4, go_backwards=True)], "gaps")
    text_case(f"{kind}/backwards_sequences", lambda layer=layer: [layer(4, go_backwards=True, return_sequences=True)], "gaps", (STEPS, 2))
    # The mask of the reversed sequence is that of the steps in their first order.
    text_case(f"{kind}/backwards_twice", lambda layer=layer: [layer(4, go_backwards=True, return_sequences=True), layer(3, go_backwards=True)], "right")
    text_case(f"{kind}/unrolled", lambda layer=layer: [layer(4, unroll=True, return_sequences=True), layer(3, unroll=True, go_backwards=True)], "gaps")
    text_case(f"{kind}/zeros", lambda layer=layer: [layer(4, zero_output_for_mask=True, return_sequences=True)], "gaps", (STEPS, 2))
    text_case(f"{kind}/zero_of_last", lambda layer=layer: [layer(4, zero_output_for_mask=True)], "both")
    text_case(f"{kind}/zeros_backwards", lambda layer=layer: [layer(4, zero_output_for_mask=True, go_backwards=True, return_sequences=True)], "gaps", (STEPS, 2))
    text_case(f"{kind}/zeros_unrolled", lambda layer=layer: [layer(4, zero_output_for_mask=True, unroll=True, return_sequences=True)], "gaps", (STEPS, 2))
    # Steps of an activation that depends on all units: the slow path.
    text_case(f"{kind}/softmax", lambda layer=layer: [layer(4, activation="softmax", return_sequences=True), layer(3)], "gaps")

text_case("gru/reset_before", lambda: [L.GRU(4, reset_after=False, return_sequences=True), L.GRU(3, reset_after=False)], "gaps")
text_case("cell", lambda: [L.RNN(L.LSTMCell(4))], "gaps")
text_case("cell_sequences", lambda: [L.RNN(L.GRUCell(4), return_sequences=True)], "left", (STEPS, 2))
text_case("cell_unrolled", lambda: [L.RNN(L.SimpleRNNCell(4), unroll=True, zero_output_for_mask=True)], "both")
text_case("cells", lambda: [L.RNN([L.LSTMCell(4), L.GRUCell(3)])], "gaps")
text_case("cells_sequences", lambda: [L.RNN([L.GRUCell(3), L.SimpleRNNCell(4)], return_sequences=True, go_backwards=True)], "gaps", (STEPS, 2))
text_case("cells_zeros", lambda: [L.RNN([L.LSTMCell(3), L.LSTMCell(4)], return_sequences=True, zero_output_for_mask=True)], "gaps", (STEPS, 2))
text_case("through_layers", lambda: [L.Dense(4, activation="tanh"), L.LayerNormalization(), L.LSTM(4, return_sequences=True), L.Dense(3, activation="relu"), L.GRU(3)], "right")
text_case("then_mean", lambda: [L.GRU(4, return_sequences=True), L.GlobalAveragePooling1D()], "right")
text_case("then_batch_normalization", lambda: [L.LSTM(4, return_sequences=True), L.BatchNormalization(momentum=0.7), L.LSTM(3)], "right")
text_case("activity_regularizer", lambda: [L.LSTM(4, activity_regularizer="l2", return_sequences=True)], "gaps", (STEPS, 2), since=(3, 12))  # penalties on outputs
text_case("flattened", lambda: [L.GRU(4, return_sequences=True), L.Flatten()], "gaps")
text_case("time_distributed_behind", lambda: [L.GRU(4, return_sequences=True), L.TimeDistributed(L.Dense(3, activation="tanh")), L.LSTM(3)], "right")


def masking_case(name, value, make_layers, outputs=(2,), optimizer="adam"):
    def make():
        model = Sequential([Input((STEPS, WIDTH)), L.Masking(value), *make_layers(), L.Dense(outputs[-1])])
        model.compile(optimizer, "mse")
        return model

    mask_case(f"masking_{name}", with_masked(value, STEPS, WIDTH), numbers(*outputs), in_tf_keras=True, since=(3, 0))(make)


for kind, layer in LAYERS.items():
    masking_case(kind, 0.0, lambda layer=layer: [layer(4)])
    masking_case(f"{kind}_sequences", -1.0, lambda layer=layer: [layer(4, return_sequences=True), layer(3, return_sequences=True)], (STEPS, 2))
masking_case("cells", 0.5, lambda: [L.RNN([L.GRUCell(4), L.GRUCell(3)])])


# Masks as arguments of calls.


def some_flags(steps):
    """Truth values: some samples have none or all of them."""
    return lambda rng, count: rng.random((count, steps)) < rng.choice([0.0, 0.5, 0.8, 1.0], (count, 1))


def argument_case(name, call, outputs=(2,), **arguments):
    """`call` gets a sequence and a mask for its steps."""

    def make():
        x, mask = Input((STEPS, WIDTH)), Input((STEPS,), dtype="bool", name="mask")
        model = Model([x, mask], L.Dense(outputs[-1])(call(L.Dense(WIDTH, use_bias=False)(x), mask)))
        model.compile(sgd(), "mse")
        return model

    mask_case(f"argument/{name}", [numbers(STEPS, WIDTH), some_flags(STEPS)], numbers(*outputs), **arguments)(make)


for kind, layer in LAYERS.items():
    argument_case(kind, lambda x, mask, layer=layer: layer(4)(x, mask=mask))
    argument_case(f"{kind}_sequences", lambda x, mask, layer=layer: layer(4, return_sequences=True)(x, mask=mask), (STEPS, 2), since=HANDED_ON)
argument_case("computed", lambda x, mask: L.GRU(4)(x, mask=(x[:, :, 0] > 0.0) | mask))
argument_case("constant", lambda x, mask: L.LSTM(4)(x, mask=np.array([[True, False, True, True, False]])))
argument_case("of_cells", lambda x, mask: L.RNN([L.LSTMCell(3), L.GRUCell(4)])(x, mask=mask))
argument_case("handed_on", lambda x, mask: L.LSTM(3)(L.GRU(4, return_sequences=True)(x, mask=mask)), since=HANDED_ON)
argument_case("of_model", lambda x, mask: Sequential([Input((STEPS, WIDTH)), L.GRU(4, return_sequences=True), L.LSTM(3)])(x, mask=mask))
argument_case("with_rank_of_3", lambda x, mask: L.GRU(4)(x, mask=keras.ops.expand_dims(mask, -1)))


@mask_case("argument/in_place_of_own", [PLACES["right"], some_flags(STEPS)], numbers(2))
def argument_in_place_of_own():
    tokens, mask = Input((STEPS,), dtype="int32"), Input((STEPS,), dtype="bool")
    x = L.Embedding(TOKENS, 4, mask_zero=True)(tokens)
    y = L.LSTM(4, return_sequences=True)(x, mask=mask)
    model = Model([tokens, mask], L.Dense(2)(L.Concatenate()([L.GRU(3)(y), L.GRU(3)(x)])))
    model.compile(sgd(), "mse")
    return model


# Losses of masked outputs.


@mask_case("loss_of_sequences", PLACES["right"], numbers(STEPS, 2), covers=("masks of outputs",), since=METRICS_WITH_MASKS)
def loss_of_sequences():
    tokens = Input((STEPS,), dtype="int32")
    x = L.LSTM(4, return_sequences=True)(L.Embedding(TOKENS, 4, mask_zero=True)(tokens))
    model = Model(tokens, L.Dense(2)(x))
    model.compile(sgd(), "mse", metrics=["mae"], weighted_metrics=["mse"])
    return model


@mask_case("tagger", PLACES["both"], samples.classes(3, STEPS), covers=("masks of outputs",), since=METRICS_WITH_MASKS)
def tagger():
    tokens = Input((STEPS,), dtype="int32")
    x = L.Embedding(TOKENS, 4, mask_zero=True)(tokens)
    x = L.Concatenate()([L.GRU(4, return_sequences=True)(x), L.LSTM(3, return_sequences=True)(x)])
    model = Model(tokens, L.Dense(3, activation="softmax")(x))
    model.compile(sgd(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@mask_case("nested_embedding", PLACES["right"], numbers(2), covers=("structure: nested models",))
def nested_embedding():
    inner = Sequential([Input((STEPS,), dtype="int32"), L.Embedding(TOKENS, 4, mask_zero=True), L.GRU(4, return_sequences=True)], name="encoder")
    model = Sequential([Input((STEPS,), dtype="int32"), inner, L.LSTM(3), L.Dense(2)])
    model.compile(sgd(), "mse")
    return model


@mask_case("siamese", [PLACES["right"], PLACES["left"]], numbers(1), covers=("structure: shared layers",))
def siamese():
    a, b = Input((STEPS,), dtype="int32"), Input((STEPS,), dtype="int32")
    embedding, encoder = L.Embedding(TOKENS, 4, mask_zero=True), L.LSTM(4)
    model = Model([a, b], L.Dense(1)(L.Multiply()([encoder(embedding(a)), encoder(embedding(b))])))
    model.compile(sgd(), "mse")
    return model
