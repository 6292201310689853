"""ConvLSTM1D, ConvLSTM2D and ConvLSTM3D."""

import functools

import samples
from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from recurrent_state_cases import BATCH
from samples import numbers

STEPS = 3
# The default of tf.keras is hard_sigmoid.
LAYERS = {
    rank: functools.partial(layer, recurrent_activation="sigmoid")
    for rank, layer in ((1, L.ConvLSTM1D), (2, L.ConvLSTM2D), (3, L.ConvLSTM3D))
}
SIZES = {1: (7,), 2: (5, 6), 3: (3, 4, 3)}


def conv_case(name, x, y, covers=(), **arguments):
    arguments.setdefault("formats", formats_in_turn())
    arguments.setdefault("steps", 8)
    return case(f"conv_lstm/{name}", x, y, covers=covers, **arguments)


def compiled(inputs, outputs, loss="mse"):
    model = Model(inputs, outputs)
    model.compile(keras.optimizers.SGD(0.02, momentum=0.5), loss)
    return model


def layer_case(name, rank, make_layers, channels=2, **arguments):
    shape = (STEPS, *SIZES[rank], channels)

    def make():
        x = Input(shape)
        y = x
        for layer in make_layers(LAYERS[rank]):
            y = layer(y)
        return compiled(x, L.Dense(2)(L.Flatten()(y)))

    conv_case(f"{rank}d/{name}", numbers(*shape), numbers(2), **arguments)(make)


for rank in LAYERS:
    layer_case("last_output", rank, lambda layer: [layer(3, 2)], formats=("keras", "h5", "weights.h5"))
    layer_case("same", rank, lambda layer: [layer(2, 3, padding="same", return_sequences=True), layer(3, 2)])
    layer_case("strides", rank, lambda layer: [layer(3, 2, strides=2, padding="same")])
    layer_case("backwards", rank, lambda layer: [layer(3, 2, go_backwards=True, return_sequences=True)])
for rank in (1, 2):
    layer_case("valid_sequences", rank, lambda layer: [layer(3, 3, return_sequences=True)])
    layer_case("strides_valid", rank, lambda layer: [layer(3, 3, strides=2)])
    layer_case("dilation", rank, lambda layer: [layer(3, 2, dilation_rate=2)])
    layer_case("dilation_same", rank, lambda layer: [layer(3, 2, dilation_rate=2, padding="same", return_sequences=True)])
    layer_case("without_bias", rank, lambda layer: [layer(3, 2, use_bias=False)])
    layer_case("forget_bias_of_zero", rank, lambda layer: [layer(3, 2, unit_forget_bias=False)])
    layer_case("activations", rank, lambda layer: [layer(3, 2, activation="relu", recurrent_activation="hard_sigmoid")])
    layer_case(
        "regularizers",
        rank,
        lambda layer: [layer(3, 2, kernel_regularizer="l2", recurrent_regularizer="l1", bias_regularizer="l2", activity_regularizer="l2")],
        computes_alike_since=(3, 14),
    )
    # Keras 3 trains the cell although its layer is not `trainable`.
    layer_case(
        "frozen", rank, lambda layer: [layer(3, 2, trainable=False), L.Dense(2)], covers=("structure: frozen layers",), in_tf_keras=False
    )
    layer_case("stacked", rank, lambda layer: [layer(3, 2, return_sequences=True), L.BatchNormalization(), layer(2, 2)])
    layer_case("unrolled", rank, lambda layer: [layer(3, 2, unroll=True)], in_tf_keras=False)
    layer_case("bidirectional", rank, lambda layer: [L.Bidirectional(layer(2, 2, return_sequences=True))], since=(3, 4))
layer_case("kernel_of_two_sizes", 2, lambda layer: [layer(3, (3, 1), strides=(1, 2), padding="same")])
layer_case("kernel_of_1", 2, lambda layer: [layer(3, 1, return_sequences=True)])


for rank in (1, 2):
    shape = (STEPS, *SIZES[rank], 2)

    @conv_case(f"{rank}d/states", numbers(*shape), numbers(2), covers=("recurrent: states",))
    def states(rank=rank, shape=shape):
        x = Input(shape)
        output, h, c = LAYERS[rank](3, 2, return_state=True)(x)
        return compiled(x, L.Dense(2)(L.Flatten()(L.Concatenate()([output, h, c]))))

    @conv_case(f"{rank}d/encoder_decoder", numbers(*shape), numbers(2), covers=("recurrent: states",))
    def encoder_decoder(rank=rank, shape=shape):
        x = Input(shape)
        _, h, c = LAYERS[rank](2, 3, padding="same", return_state=True)(x)
        y = LAYERS[rank](2, 3, padding="same", return_sequences=True)(x, initial_state=[h, c])
        return compiled(x, L.Dense(2)(L.Flatten()(y)))

    # Before Keras 3.11, a layer that is called with a mask as an argument does not hand it on.
    @conv_case(
        f"{rank}d/mask",
        [numbers(*shape), lambda rng, count: rng.random((count, STEPS)) < 0.6],
        numbers(2),
        covers=("masks of recurrent layers",),
        since=(3, 11),
        in_tf_keras=False,
    )
    def mask(rank=rank, shape=shape):
        x, kept = Input(shape), Input((STEPS,), dtype="bool")
        y = LAYERS[rank](3, 2, return_sequences=True)(x, mask=kept)
        y = L.Concatenate()([L.Flatten()(y), L.Flatten()(LAYERS[rank](2, 2, zero_output_for_mask=True)(y))])
        return compiled([x, kept], L.Dense(2)(y))

    @conv_case(
        f"{rank}d/stateful",
        numbers(*shape),
        numbers(2),
        covers=("recurrent: stateful",),
        batch_size=BATCH,
        predicted=2 * BATCH,
        evaluated=2 * BATCH,
        is_fitted=True,
        steps=4,
    )
    def stateful(rank=rank, shape=shape):
        x = Input(shape, batch_size=BATCH)
        return compiled(x, L.Dense(2)(L.Flatten()(LAYERS[rank](2, 2, stateful=True)(x))))


@conv_case("prediction_of_frames", numbers(4, 6, 6, 1), samples.probabilities(4, 6, 6, 1), steps=6)
def prediction_of_frames():
    """Keras's example of the next frames of a video."""
    x = Input((4, 6, 6, 1))
    y = LAYERS[2](4, 3, padding="same", return_sequences=True)(x)
    y = L.BatchNormalization()(y)
    y = LAYERS[2](3, 3, padding="same", return_sequences=True, activation="relu")(y)
    y = L.TimeDistributed(L.Conv2D(1, 3, padding="same", activation="sigmoid"))(y)
    model = Model(x, y)
    model.compile("adam", "binary_crossentropy")
    return model


@conv_case("time_distributed_behind", numbers(STEPS, 5, 5, 2), numbers(STEPS, 2))
def time_distributed_behind():
    x = Input((STEPS, 5, 5, 2))
    y = LAYERS[2](3, 2, return_sequences=True)(x)
    y = L.TimeDistributed(L.MaxPooling2D(2))(y)
    return compiled(x, L.Dense(2)(L.GRU(3, return_sequences=True)(L.TimeDistributed(L.Flatten())(y))))


@conv_case("in_float64", numbers(STEPS, 7, 2), numbers(2))
def in_float64():
    x = Input((STEPS, 7, 2))
    y = LAYERS[1](3, 2, dtype="float64")(x)
    return compiled(x, L.Dense(2)(L.Flatten()(y)))
