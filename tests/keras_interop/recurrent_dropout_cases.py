"""Dropout of recurrent layers: of their inputs and their states. Measured by the distribution of losses."""

import numpy as np
from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import numbers

STEPS = 4
WIDTH = 6
LAYERS = {"simple_rnn": L.SimpleRNN, "lstm": L.LSTM, "gru": L.GRU}
CELLS = {"simple_rnn": L.SimpleRNNCell, "lstm": L.LSTMCell, "gru": L.GRUCell}


def drop_case(name, x, y, **arguments):
    # Older versions have one mask for all gates.
    arguments.setdefault("computes_alike_since", (3, 8))
    return case(f"recurrent/dropout/{name}", x, y, is_random=True, steps=6, covers=("recurrent: dropout",), **arguments)


def constants(*shape):
    return numbers(*shape, scale=0.0, offset=0.1)


def zeros(*shape):
    return numbers(*shape, scale=0.0)


def layer_case(name, make_layers, outputs=(2,), **arguments):
    def make():
        model = Sequential([Input((STEPS, WIDTH)), *make_layers(), L.Dense(outputs[-1])])
        model.compile(keras.optimizers.SGD(0.02), "mse", metrics=["mae"])
        return model

    drop_case(name, numbers(STEPS, WIDTH), numbers(*outputs), **arguments)(make)


for kind, layer in LAYERS.items():
    layer_case(f"{kind}/inputs", lambda layer=layer: [layer(5, dropout=0.4)])
    layer_case(f"{kind}/states", lambda layer=layer: [layer(5, recurrent_dropout=0.4)])
    layer_case(f"{kind}/both", lambda layer=layer: [layer(5, dropout=0.3, recurrent_dropout=0.5, return_sequences=True), layer(3, dropout=0.2)])
    layer_case(f"{kind}/seeded", lambda layer=layer: [layer(5, dropout=0.3, recurrent_dropout=0.2, seed=4)], in_tf_keras=False)
    layer_case(f"{kind}/backwards", lambda layer=layer: [layer(5, dropout=0.5, recurrent_dropout=0.5, go_backwards=True, unroll=True)])
    layer_case(f"{kind}/bidirectional", lambda layer=layer: [L.Bidirectional(layer(4, dropout=0.4, recurrent_dropout=0.2))])
for kind, cell in CELLS.items():
    layer_case(f"{kind}/cell", lambda cell=cell: [L.RNN(cell(5, dropout=0.5, recurrent_dropout=0.3))])
layer_case("gru/reset_before", lambda: [L.GRU(5, dropout=0.3, recurrent_dropout=0.5, reset_after=False)])
layer_case("cells", lambda: [L.RNN([L.LSTMCell(5, dropout=0.5), L.GRUCell(4, recurrent_dropout=0.4), L.SimpleRNNCell(3, dropout=0.3)])])
layer_case("beside_dropout", lambda: [L.Dropout(0.3), L.LSTM(5, dropout=0.2, return_sequences=True), L.Dropout(0.2), L.GRU(3)])


# What is dropped: sums of equal numbers over features, steps and gates have other variances if steps share their mask or not.


def passing(layer, units, **arguments):
    """The layer hands its first inputs through: kernel of ones, no activation."""
    return layer(
        units,
        activation="linear",
        kernel_initializer="ones",
        recurrent_initializer=keras.initializers.Identity(),
        use_bias=False,
        return_sequences=True,
        **arguments,
    )


def measured(name, make_layer, **arguments):
    """The outputs and their sums over the steps: means and squares."""

    def make():
        x = Input((STEPS, WIDTH))
        y = make_layer()(x)
        total = L.Dense(1, kernel_initializer="ones", use_bias=False, trainable=False, name="total")(L.Permute((2, 1))(y))
        model = Model(x, [y, L.Dense(1, kernel_initializer="ones", name="head")(L.Flatten()(y)), total])
        model.compile(keras.optimizers.SGD(1e-4), loss=["mse", "mse", "mse"], metrics=[["mae"], [], ["mae"]])
        return model

    y = [zeros(STEPS, 3), numbers(1), zeros(3, 1)]
    drop_case(f"measured/{name}", constants(STEPS, WIDTH), y, is_disturbed=False, steps_before=0, **arguments)(make)


measured("simple_rnn_inputs", lambda: passing(L.SimpleRNN, 3, dropout=0.5, name="layer"))
measured("simple_rnn_states", lambda: passing(L.SimpleRNN, 3, recurrent_dropout=0.5, name="layer"))
# Gates that are open: only the masks matter.
measured("lstm_inputs", lambda: passing(L.LSTM, 3, recurrent_activation="linear", dropout=0.5, name="layer"))
measured("lstm_states", lambda: passing(L.LSTM, 3, recurrent_dropout=0.5, name="layer"))
measured("lstm_both", lambda: passing(L.LSTM, 3, dropout=0.3, recurrent_dropout=0.2, name="layer"))
measured("gru_inputs", lambda: passing(L.GRU, 3, dropout=0.5, name="layer"))
measured("gru_states", lambda: passing(L.GRU, 3, recurrent_dropout=0.5, name="layer"))
measured("gru_both", lambda: passing(L.GRU, 3, dropout=0.3, recurrent_dropout=0.2, reset_after=False, name="layer"))


@drop_case("simple_rnn/everything", numbers(STEPS, WIDTH), numbers(2), since=(3, 12), in_tf_keras=False)
def everything():
    """A rate of 1 drops all inputs of a SimpleRNN, and nothing in the other layers."""
    x = Input((STEPS, WIDTH))
    y = L.Concatenate()([L.SimpleRNN(4, dropout=1.0)(x), L.LSTM(4, dropout=1.0)(x), L.GRU(4, recurrent_dropout=1.0)(x), L.Dropout(0.1)(L.GRU(2)(x))])
    model = Model(x, L.Dense(2)(y))
    model.compile(keras.optimizers.SGD(0.02), "mse")
    return model


@drop_case("masked", lambda rng, count: np.where(rng.random((count, STEPS)) < 0.6, rng.integers(1, 9, (count, STEPS)), 0).astype("int32"), numbers(2), since=(3, 4), in_tf_keras=False)
def masked():
    tokens = Input((STEPS,), dtype="int32")
    x = L.Embedding(9, 4, mask_zero=True)(tokens)
    x = L.LSTM(5, dropout=0.4, recurrent_dropout=0.3, return_sequences=True)(x)
    model = Model(tokens, L.Dense(2)(L.GRU(4, dropout=0.4)(x)))
    model.compile(keras.optimizers.SGD(0.02), "mse")
    return model


@drop_case("said_true", numbers(STEPS, WIDTH), numbers(2), is_random_in_inference=True, in_tf_keras=False)
def said_true():
    x = Input((STEPS, WIDTH))
    model = Model(x, L.Dense(2)(L.GRU(5, dropout=0.4, recurrent_dropout=0.3)(x, training=True)))
    model.compile(keras.optimizers.SGD(0.02), "mse")
    return model


@drop_case("shared", [numbers(STEPS, WIDTH), numbers(STEPS, WIDTH)], numbers(1))
def shared():
    a, b = Input((STEPS, WIDTH)), Input((STEPS, WIDTH))
    layer = L.LSTM(5, dropout=0.5)
    model = Model([a, b], L.Dense(1)(L.Subtract()([layer(a), layer(b)])))
    model.compile(keras.optimizers.SGD(0.02), "mse")
    return model


@drop_case("with_states", [numbers(STEPS, WIDTH), numbers(4)], numbers(2))
def with_states():
    x, start = Input((STEPS, WIDTH)), Input((4,))
    model = Model([x, start], L.Dense(2)(L.GRU(4, dropout=0.3, recurrent_dropout=0.5)(x, initial_state=[start])))
    model.compile(keras.optimizers.SGD(0.02), "mse")
    return model


for rank, layer in ((1, L.ConvLSTM1D), (2, L.ConvLSTM2D)):

    # In tf.keras, a mask of one batch does not fit the next one.
    @case(
        f"conv_lstm/{rank}d/dropout",
        numbers(3, *(6, 5)[:rank], 2),
        numbers(2),
        is_random=True,
        steps=6,
        covers=("recurrent: dropout",),
        computes_alike_since=(3, 8),  # Keras 3.0 and 3.4 drop nothing
        in_tf_keras=False,
    )
    def conv_lstm(rank=rank, layer=layer):
        x = Input((3, *(6, 5)[:rank], 2))
        y = layer(3, 2, dropout=0.3, recurrent_dropout=0.3)(x)
        model = Model(x, L.Dense(2)(L.Flatten()(y)))
        model.compile(keras.optimizers.SGD(0.02), "mse")
        return model
