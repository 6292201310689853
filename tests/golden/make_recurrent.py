"""recurrent.json, recurrent.npz: SimpleRNN, LSTM, GRU and RNN with masks and states, called once, with their gradients."""

import copy

from common import Golden
from common import array
from common import describe
from common import keras
from common import normal
from common import np
from common import rng_for
from common import serialized
from common import tf

L = keras.layers
R = keras.regularizers
golden = Golden("recurrent")

BATCH = 4
STEPS = 5
WIDTH = 3
UNITS = 3

# Which steps of the samples are not masked.
MASKS = {
    "right": [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1], [1, 0, 0, 0, 0], [1, 1, 1, 1, 0]],
    "left": [[0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 1], [0, 1, 1, 1, 1]],
    "gaps": [[1, 0, 1, 0, 1], [0, 1, 0, 0, 1], [1, 1, 0, 1, 0], [0, 0, 1, 0, 0]],
    "samples": [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0], [0, 1, 1, 0, 1]],
}


def flat(structure):
    return [array(leaf) for leaf in keras.tree.flatten(structure)]


def case(name, make, shape=(BATCH, STEPS, WIDTH), mask=None, states=None, calls=1):
    """make: builds the layer; mask: a name of MASKS; states: shapes of the initial state, nested like it. The gradients are
    those of the sum of output · cotangent over all outputs of the last of the calls, without the layer's losses."""
    keras.backend.clear_session()
    rng = rng_for("recurrent/" + name)
    layer = make()
    x = tf.constant(normal(rng, shape))
    layer.build(shape)
    layer.set_weights([normal(rng, w.shape, 0.5) for w in layer.weights])
    kept = None if mask is None else np.array(MASKS[mask], "bool")[:, : shape[1]]
    initial = None
    if states is not None:
        made = [tf.constant(normal(rng, each)) for each in states if isinstance(each, tuple)]
        made += [[tf.constant(normal(rng, inner)) for inner in each] for each in states if isinstance(each, list)]
        initial = made
    given = keras.tree.flatten(initial) if initial is not None else []
    arguments = {} if kept is None else {"mask": tf.constant(kept)}
    arguments |= {} if initial is None else {"initial_state": initial}
    for _ in range(calls - 1):
        layer(x, **arguments)
    with tf.GradientTape(persistent=True) as tape:
        for tensor in (x, *given):
            tape.watch(tensor)
        outputs = keras.tree.flatten(layer(x, **arguments))
        cotangents = [normal(rng, output.shape) for output in outputs]
        target = tf.add_n([tf.reduce_sum(output * cotangent) for output, cotangent in zip(outputs, cotangents)])
        losses = list(layer.losses)
        total = tf.add_n(losses) if losses else None

    arrays = {"input0": array(x), "input_gradient0": array(tape.gradient(target, x))}
    if kept is not None:
        arrays["mask0"] = kept
    for i, state in enumerate(given):
        arrays[f"state{i}"] = array(state)
        arrays[f"state_gradient{i}"] = array(tape.gradient(target, state))
    for i, (output, cotangent) in enumerate(zip(outputs, cotangents)):
        arrays[f"output{i}"] = array(output)
        arrays[f"cotangent{i}"] = cotangent
    for i, w in enumerate(layer.weights):
        arrays[f"weight{i}"] = array(w)
        if w.trainable:
            arrays[f"weight_gradient{i}"] = array(tape.gradient(target, w.value))
            if losses:
                arrays[f"loss_weight_gradient{i}"] = array(tape.gradient(total, w.value))
    for i, loss in enumerate(losses):
        arrays[f"loss{i}"] = array(loss)
    data = serialized(layer)
    # The cells of an RNN are built when the configuration is read, before the layer.
    restored = keras.saving.deserialize_keras_object(copy.deepcopy(data))
    paths = [w.path for w in restored.weights or layer.weights]
    golden.add(
        {
            "name": name,
            "class_name": data["class_name"],
            "config": data["config"],
            "input": describe(arrays["input0"]),
            "mask": kept is not None,
            "states": len(given),
            "calls": calls,
            "outputs": [describe(output) for output in flat(outputs)],
            "weights": [
                {"name": w.name, "path": path, "shape": list(w.shape), "trainable": bool(w.trainable)}
                for w, path in zip(layer.weights, paths)
            ],
            "losses": len(losses),
        },
        arrays,
    )


STATE = (BATCH, UNITS)

for kind, layer, count in (
    ("simple_rnn", L.SimpleRNN, 1),
    ("lstm", L.LSTM, 2),
    ("gru", L.GRU, 1),
    ("gru_reset_before", lambda units, **arguments: L.GRU(units, reset_after=False, **arguments), 1),
):

    def made(layer=layer, **arguments):
        return lambda: layer(UNITS, **arguments)

    gates = {} if kind == "simple_rnn" else {"recurrent_activation": "hard_sigmoid"}
    start = [STATE] * count
    case(kind, made())
    case(f"{kind}_sequences", made(return_sequences=True))
    case(f"{kind}_all_outputs", made(return_sequences=True, return_state=True))
    case(f"{kind}_backwards", made(return_sequences=True, return_state=True, go_backwards=True))
    case(f"{kind}_backwards_last", made(go_backwards=True))
    case(f"{kind}_initial_state", made(return_sequences=True, return_state=True), states=start)
    case(f"{kind}_initial_state_last", made(), states=start)
    case(f"{kind}_initial_state_backwards", made(go_backwards=True, return_state=True), states=start)
    case(f"{kind}_without_bias", made(use_bias=False, return_state=True), states=start)
    case(f"{kind}_activations", made(activation="elu", **gates, return_sequences=True))
    case(f"{kind}_relu", made(activation="relu", return_sequences=True, return_state=True))
    case(f"{kind}_linear", made(activation=None, **gates, return_state=True))
    case(f"{kind}_softmax", made(activation="softmax", return_sequences=True, return_state=True), mask="gaps", states=start)
    case(f"{kind}_unrolled", made(unroll=True, return_sequences=True, return_state=True), mask="gaps", states=start)
    case(f"{kind}_one_step", made(return_state=True), shape=(BATCH, 1, WIDTH), states=start)
    case(f"{kind}_one_sample", made(return_sequences=True), shape=(1, STEPS, WIDTH))
    case(
        f"{kind}_regularized",
        made(
            kernel_regularizer=R.L2(0.01),
            recurrent_regularizer=R.L1(0.02),
            bias_regularizer=R.L1L2(0.01, 0.02),
            activity_regularizer=R.L2(0.05),
            return_sequences=True,
            return_state=True,
        ),
    )
    case(f"{kind}_frozen", made(trainable=False, return_sequences=True))
    case(f"{kind}_stateful", made(stateful=True, return_sequences=True, return_state=True), calls=3)
    case(f"{kind}_stateful_masked", made(stateful=True, return_state=True), mask="samples", calls=2)
    case(f"{kind}_large", lambda layer=layer: layer(19, return_sequences=True), shape=(6, 9, 17))
    for mask in MASKS:
        case(f"{kind}_mask_{mask}", made(return_sequences=True, return_state=True), mask=mask, states=start)
        case(f"{kind}_mask_{mask}_last", made(), mask=mask)
        case(f"{kind}_mask_{mask}_backwards", made(go_backwards=True, return_sequences=True, return_state=True), mask=mask, states=start)
        case(f"{kind}_mask_{mask}_zeros", made(zero_output_for_mask=True, return_sequences=True, return_state=True), mask=mask, states=start)
        case(f"{kind}_mask_{mask}_zero_of_last", made(zero_output_for_mask=True, return_state=True), mask=mask, states=start)

# Cells.
case("rnn_simple_rnn_cell", lambda: L.RNN(L.SimpleRNNCell(UNITS), return_sequences=True, return_state=True), states=[STATE])
case("rnn_lstm_cell", lambda: L.RNN(L.LSTMCell(UNITS), return_state=True), mask="gaps", states=[STATE, STATE])
case("rnn_gru_cell", lambda: L.RNN(L.GRUCell(UNITS, reset_after=False, activation="softsign"), go_backwards=True), mask="left")
for mask in (None, "right", "gaps", "samples"):
    name = "rnn_stacked_cells" + (f"_mask_{mask}" if mask else "")
    case(
        name,
        lambda: L.RNN([L.LSTMCell(2), L.GRUCell(4), L.SimpleRNNCell(3)], return_sequences=True, return_state=True),
        mask=mask,
    )
case("rnn_stacked_cells_backwards", lambda: L.RNN([L.GRUCell(2), L.GRUCell(3)], go_backwards=True), mask="gaps")
case("rnn_stacked_cells_zeros", lambda: L.RNN([L.LSTMCell(2), L.LSTMCell(3)], zero_output_for_mask=True, return_sequences=True), mask="gaps")
case(
    "rnn_stacked_cells_initial_state",
    lambda: L.RNN([L.LSTMCell(2), L.LSTMCell(3)], return_sequences=True, return_state=True),
    states=[[(BATCH, 2), (BATCH, 2)], [(BATCH, 3), (BATCH, 3)]],
)
case("rnn_stacked_gru_cells_initial_state", lambda: L.RNN([L.GRUCell(2), L.GRUCell(3)], return_state=True), states=[(BATCH, 2), (BATCH, 3)])
case("rnn_stateful_cells", lambda: L.RNN([L.LSTMCell(2), L.GRUCell(3)], stateful=True), calls=2)

golden.save()
