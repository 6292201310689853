"""States of recurrent layers: as outputs, as arguments of calls, kept from batch to batch."""

import samples
from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from recurrent_mask_cases import HANDED_ON
from samples import numbers

STEPS = 4
WIDTH = 3
LAYERS = {"simple_rnn": L.SimpleRNN, "lstm": L.LSTM, "gru": L.GRU}


def state_case(name, x, y, covers=(), **arguments):
    arguments.setdefault("formats", formats_in_turn())
    arguments.setdefault("steps", 8)
    return case(f"recurrent/states/{name}", x, y, covers=("recurrent: states", *covers), **arguments)


def compiled(inputs, outputs, loss="mse", optimizer=None):
    model = Model(inputs, outputs)
    model.compile(optimizer or keras.optimizers.SGD(0.02, momentum=0.5), loss)
    return model


def returned(layer, x, **arguments):
    """The output and the list of states."""
    output, *states = layer(x, **arguments)
    return output, states


# Returned.

for kind, layer in LAYERS.items():

    @state_case(f"returned/{kind}", numbers(STEPS, WIDTH), numbers(2))
    def of_last_output(layer=layer):
        x = Input((STEPS, WIDTH))
        output, states = returned(layer(3, return_state=True), x)
        return compiled(x, L.Dense(2)(L.Concatenate()([output, *states])))

    @state_case(f"returned/{kind}_sequences", numbers(STEPS, WIDTH), [numbers(STEPS, 2), numbers(1)])
    def of_sequences(layer=layer):
        x = Input((STEPS, WIDTH))
        output, states = returned(layer(3, return_state=True, return_sequences=True, go_backwards=True), x)
        return compiled(x, [L.Dense(2)(output), L.Dense(1)(L.Concatenate()([states[-1], states[0]]))], ["mse", "mse"])

    # Keras 3 does not give the mask of the input to layers whose call has states too.
    @state_case(f"returned/{kind}_masked", samples.with_masked(0.0, STEPS, WIDTH), numbers(2), covers=("masks of recurrent layers",))
    def of_masked(layer=layer):
        x = Input((STEPS, WIDTH))
        output, states = returned(layer(3, return_state=True, zero_output_for_mask=True), L.Masking()(x))
        return compiled(x, L.Dense(2)(L.Concatenate()([output, *states])))

    # tf.keras counts the outputs of a layer in their names.
    @state_case(f"as_outputs/{kind}", numbers(STEPS, WIDTH), [numbers(3)] * (3 if kind == "lstm" else 2), in_tf_keras=False)
    def as_outputs(layer=layer):
        x = Input((STEPS, WIDTH))
        output, states = returned(layer(3, return_state=True), x)
        return compiled(x, [output, *states], ["mse"] * (1 + len(states)))

    # As arguments.

    @state_case(f"encoder_decoder/{kind}", [numbers(STEPS, WIDTH), numbers(3, 2)], numbers(3, 2))
    def encoder_decoder(layer=layer):
        source, target = Input((STEPS, WIDTH)), Input((3, 2))
        _, states = returned(layer(4, return_state=True, name="encoder"), source)
        y = layer(4, return_sequences=True, name="decoder")(target, initial_state=states)
        return compiled([source, target], L.Dense(2)(y))

    @state_case(f"positional/{kind}", [numbers(STEPS, WIDTH), numbers(3, 2)], numbers(2), in_tf_keras=False)
    def positional(layer=layer):
        source, target = Input((STEPS, WIDTH)), Input((3, 2))
        _, states = returned(layer(4, return_state=True), source)
        return compiled([source, target], L.Dense(2)(layer(4)(target, states)))

    count = 2 if kind == "lstm" else 1

    @state_case(f"inputs/{kind}", [numbers(STEPS, WIDTH)] + [numbers(4)] * count, numbers(2))
    def as_inputs(layer=layer, count=count):
        x, states = Input((STEPS, WIDTH)), [Input((4,)) for _ in range(count)]
        return compiled([x, *states], L.Dense(2)(layer(4)(x, initial_state=states)))

    @state_case(f"computed/{kind}", [numbers(STEPS, WIDTH), numbers(5)], numbers(STEPS, 2))
    def computed(layer=layer, count=count):
        x, start = Input((STEPS, WIDTH)), Input((5,))
        states = [L.Dense(4, activation="tanh")(start) for _ in range(count)]
        return compiled([x, start], L.Dense(2)(layer(4, return_sequences=True, go_backwards=True)(x, initial_state=states)))

    # The mask of a call with states has to be an argument.
    @state_case(
        f"with_mask/{kind}",
        [numbers(STEPS, WIDTH), numbers(4), samples.flags(STEPS)],
        [numbers(STEPS, 2), numbers(2)],
        covers=("masks of recurrent layers",),
        since=HANDED_ON,
        in_tf_keras=False,
    )
    def with_mask(layer=layer, count=count):
        x, start, mask = Input((STEPS, WIDTH)), Input((4,)), Input((STEPS,), dtype="bool")
        output, states = returned(layer(4, return_sequences=True, return_state=True), x, initial_state=[start] * count, mask=mask)
        return compiled([x, start, mask], [L.Dense(2)(output), L.Dense(2)(L.Concatenate()(states))], ["mse", "mse"])

    @state_case(
        f"own_mask_is_not_used/{kind}",
        [samples.with_masked(0.0, STEPS, WIDTH), numbers(4)],
        [numbers(STEPS, 2), numbers(2)],
        covers=("masks of recurrent layers", "masks of outputs"),
        since=(3, 4),
        in_tf_keras=False,
    )
    def own_mask_is_not_used(layer=layer, count=count):
        """The output has the mask nevertheless: the loss uses it, and the layer behind."""
        x, start = Input((STEPS, WIDTH)), Input((4,))
        y = layer(4, return_sequences=True)(L.Masking()(x), initial_state=[start] * count)
        return compiled([x, start], [L.Dense(2)(y), L.Dense(2)(layer(3)(y))], ["mse", "mse"])


@state_case("single_tensor", [numbers(STEPS, WIDTH), numbers(4)], numbers(2))
def single_tensor():
    x, start = Input((STEPS, WIDTH)), Input((4,))
    return compiled([x, start], L.Dense(2)(L.GRU(4)(x, initial_state=start)))


@state_case("chain", [numbers(STEPS, WIDTH), numbers(3, WIDTH)], numbers(2), covers=("structure: shared layers",))
def chain():
    """One layer goes on where it has stopped."""
    a, b = Input((STEPS, WIDTH)), Input((3, WIDTH))
    layer = L.LSTM(4, return_state=True, name="memory")
    _, states = returned(layer, a)
    output, states = returned(layer, b, initial_state=states)
    return compiled([a, b], L.Dense(2)(L.Concatenate()([output, *states])))


@state_case("from_lstm_to_gru", numbers(STEPS, WIDTH), numbers(2))
def from_lstm_to_gru():
    x = Input((STEPS, WIDTH))
    output, states = returned(L.LSTM(4, return_state=True, return_sequences=True), x)
    y = L.GRU(4)(output, initial_state=[states[1]])
    return compiled(x, L.Dense(2)(L.Add()([y, states[0]])))


@state_case("of_cell", [numbers(STEPS, WIDTH), numbers(4), numbers(4)], numbers(2))
def of_cell():
    x, h, c = Input((STEPS, WIDTH)), Input((4,)), Input((4,))
    output, states = returned(L.RNN(L.LSTMCell(4), return_state=True), x, initial_state=[h, c])
    return compiled([x, h, c], L.Dense(2)(L.Concatenate()([output, *states])))


@state_case("of_cells", numbers(STEPS, WIDTH), numbers(2), in_tf_keras=False, since=(3, 4))
def of_cells():
    x = Input((STEPS, WIDTH))
    output, first, second = L.RNN([L.GRUCell(4), L.GRUCell(3)], return_state=True)(x)
    return compiled(x, L.Dense(2)(L.Concatenate()([output, first, second])))


@state_case("of_nested_cells", numbers(STEPS, WIDTH), numbers(2), in_tf_keras=False, since=(3, 4))
def of_nested_cells():
    x = Input((STEPS, WIDTH))
    output, lower, upper = L.RNN([L.LSTMCell(4), L.LSTMCell(3)], return_state=True)(x)
    return compiled(x, L.Dense(2)(L.Concatenate()([output, *lower, *upper])))


@state_case("into_cells", [numbers(STEPS, WIDTH), numbers(2, WIDTH)], numbers(2), in_tf_keras=False, since=(3, 4))
def into_cells():
    x, y = Input((STEPS, WIDTH)), Input((2, WIDTH))
    _, lower, upper = L.RNN([L.LSTMCell(4), L.LSTMCell(3)], return_state=True)(x)
    z = L.RNN([L.LSTMCell(4), L.LSTMCell(3)])(y, initial_state=[lower, upper])
    return compiled([x, y], L.Dense(2)(z))


@state_case("unrolled", [numbers(STEPS, WIDTH), numbers(4)], numbers(STEPS, 2))
def unrolled():
    x, start = Input((STEPS, WIDTH)), Input((4,))
    y = L.GRU(4, unroll=True, return_sequences=True, reset_after=False)(x, initial_state=[start])
    return compiled([x, start], L.Dense(2)(y))


@state_case("training_said", [numbers(STEPS, WIDTH), numbers(4)], numbers(2), covers=("structure: training=True",), in_tf_keras=False)
def training_said():
    x, start = Input((STEPS, WIDTH)), Input((4,))
    return compiled([x, start], L.Dense(2)(L.GRU(4)(x, initial_state=[start], training=True)))


@state_case("two_decoders", [samples.words(12, STEPS), samples.words(9, 3)], samples.classes(9, 3), covers=("masks of recurrent layers",), in_tf_keras=False, since=(3, 12))
def two_decoders():
    """The decoder of Keras's translation example: an LSTM that begins with the encoder's states."""
    source, target = Input((STEPS,), dtype="int32"), Input((3,), dtype="int32")
    x = L.Embedding(12, 4, mask_zero=True)(source)
    _, h, c = L.LSTM(5, return_state=True, name="encoder")(x)
    y = L.Embedding(9, 4, mask_zero=True)(target)
    y, *_ = L.LSTM(5, return_sequences=True, return_state=True, name="decoder")(y, initial_state=[h, c])
    model = Model([source, target], L.Dense(9, activation="softmax")(y))
    model.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


# Kept from batch to batch: within each prediction, evaluation and epoch.

BATCH = 32


def stateful_case(name, make_layers, covers=(), **arguments):
    def make():
        model = Sequential([Input((STEPS, WIDTH), batch_size=BATCH), *make_layers(), L.Dense(2)])
        model.compile(keras.optimizers.SGD(0.02), "mse")
        return model

    state_case(
        f"stateful/{name}",
        numbers(STEPS, WIDTH),
        numbers(2),
        covers=("recurrent: stateful", *covers),
        batch_size=BATCH,
        predicted=3 * BATCH,
        evaluated=3 * BATCH,
        is_fitted=True,
        **arguments,
    )(make)


for kind, layer in LAYERS.items():
    stateful_case(kind, lambda layer=layer: [layer(4, stateful=True)])
    stateful_case(f"{kind}_stacked", lambda layer=layer: [layer(4, stateful=True, return_sequences=True), layer(3, stateful=True, go_backwards=True)])
stateful_case("unrolled", lambda: [L.GRU(4, stateful=True, unroll=True)])
stateful_case("cell", lambda: [L.RNN(L.LSTMCell(4), stateful=True)])
# Keras cannot reset the states of several cells: they are nested.
stateful_case("beside_stateless", lambda: [L.LSTM(4, return_sequences=True), L.GRU(3, stateful=True)])


@state_case(
    "stateful/masked",
    samples.with_masked(0.0, STEPS, WIDTH),
    numbers(2),
    covers=("recurrent: stateful", "masks of recurrent layers"),
    batch_size=BATCH,
    predicted=2 * BATCH,
    evaluated=2 * BATCH,
    is_fitted=True,
)
def stateful_masked():
    x = Input((STEPS, WIDTH), batch_size=BATCH)
    y = L.LSTM(4, stateful=True, return_sequences=True)(L.Masking()(x))
    return compiled(x, L.Dense(2)(L.GRU(3, stateful=True)(y)))


@state_case(
    "stateful/returned",
    numbers(STEPS, WIDTH),
    numbers(2),
    covers=("recurrent: stateful",),
    batch_size=BATCH,
    predicted=2 * BATCH,
    evaluated=2 * BATCH,
    is_fitted=True,
)
def stateful_returned():
    x = Input((STEPS, WIDTH), batch_size=BATCH)
    output, states = returned(L.LSTM(4, stateful=True, return_state=True), x)
    return compiled(x, L.Dense(2)(L.Concatenate()([output, *states])))
