"""wrapped_recurrent.json, wrapped_recurrent.npz: Bidirectional and the ConvLSTM
layers, called with masks and states, with their gradients."""

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
golden = Golden("wrapped_recurrent")

# Left, right, gaps, a whole sample.
MASK = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0]], bool)


def case(name, make, shape, masked=False, states=()):
    """make: builds the layer; states: the shapes of the initial states. The
    gradients are those of the sum of all outputs times their cotangents."""
    keras.backend.clear_session()
    rng = rng_for("wrapped_recurrent/" + name)
    layer = make()
    layer.build(shape)
    layer.set_weights([normal(rng, w.shape, 0.5) for w in layer.weights])
    x = normal(rng, shape)
    given = [normal(rng, s) for s in states]
    tensors = [tf.constant(x)] + [tf.constant(s) for s in given]
    arguments = {}
    if masked:
        arguments["mask"] = tf.constant(MASK)
    if states:
        arguments["initial_state"] = tensors[1:]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        outputs = keras.tree.flatten(layer(tensors[0], **arguments))
        cotangents = [normal(rng, o.shape) for o in outputs]
        target = sum(
            tf.reduce_sum(o * c) for o, c in zip(outputs, cotangents, strict=True)
        )
    weights = [w.value for w in layer.weights]
    gradients = tape.gradient(target, tensors + weights)
    arrays = {"x": x}
    if masked:
        arrays["mask"] = MASK
    arrays.update({f"state{i}": s for i, s in enumerate(given)})
    arrays.update({f"weight{i}": array(w) for i, w in enumerate(weights)})
    arrays.update({f"output{i}": array(o) for i, o in enumerate(outputs)})
    arrays.update({f"cotangent{i}": c for i, c in enumerate(cotangents)})
    arrays.update({f"gradient{i}": array(g) for i, g in enumerate(gradients)})
    described = serialized(layer)
    golden.add(
        {
            "name": name,
            "class_name": described["class_name"],
            "config": described["config"],
            "states": len(given),
            "outputs": [describe(o) for o in outputs],
        },
        arrays,
    )


SEQUENCES = (4, 4, 3)
KINDS = {
    "simple_rnn": (L.SimpleRNN, 1),
    "lstm": (L.LSTM, 2),
    "gru": (L.GRU, 1),
}

for kind, (layer, states) in KINDS.items():
    halves = [(4, 2)] * (2 * states)
    for mode in ("concat", "sum", "mul", "ave", None):
        case(
            f"{kind}_{mode}",
            lambda layer=layer, mode=mode: L.Bidirectional(
                layer(2, return_sequences=True), merge_mode=mode
            ),
            SEQUENCES,
        )
    case(f"{kind}_last", lambda layer=layer: L.Bidirectional(layer(2)), SEQUENCES)
    case(
        f"{kind}_masked",
        lambda layer=layer: L.Bidirectional(
            layer(2, return_sequences=True, return_state=True)
        ),
        SEQUENCES,
        masked=True,
    )
    case(
        f"{kind}_masked_last",
        lambda layer=layer: L.Bidirectional(layer(2, return_state=True)),
        SEQUENCES,
        masked=True,
        states=halves,
    )
    case(
        f"{kind}_swapped",
        lambda layer=layer: L.Bidirectional(
            layer(2, return_sequences=True, go_backwards=True),
            backward_layer=layer(2, return_sequences=True, activation="softsign"),
        ),
        SEQUENCES,
        masked=True,
        states=halves,
    )
case(
    "stacked",
    lambda: L.Bidirectional(
        L.RNN([L.LSTMCell(3), L.GRUCell(2)], return_sequences=True), merge_mode="sum"
    ),
    SEQUENCES,
)

LINES = (4, 4, 6, 2)
IMAGES = (4, 4, 5, 4, 2)
VOLUMES = (4, 4, 3, 4, 3, 2)
ALL = {"return_sequences": True, "return_state": True}
case("lines", lambda: L.ConvLSTM1D(2, 3, **ALL), LINES)
case(
    "lines_strided",
    lambda: L.ConvLSTM1D(2, 2, strides=2, padding="same", use_bias=False, **ALL),
    LINES,
    masked=True,
)
case("lines_dilated", lambda: L.ConvLSTM1D(2, 2, dilation_rate=3), LINES)
case("images", lambda: L.ConvLSTM2D(2, 3, **ALL), IMAGES)
case(
    "images_masked",
    lambda: L.ConvLSTM2D(2, (2, 3), strides=(1, 2), padding="same", **ALL),
    IMAGES,
    masked=True,
    states=[(4, 5, 2, 2)] * 2,
)
case(
    "images_backwards",
    lambda: L.ConvLSTM2D(
        2, 2, dilation_rate=(2, 1), go_backwards=True, return_sequences=True
    ),
    IMAGES,
    masked=True,
)
case(
    "images_zero_output",
    lambda: L.ConvLSTM2D(
        2,
        2,
        activation="relu",
        recurrent_activation="hard_sigmoid",
        zero_output_for_mask=True,
        return_sequences=True,
    ),
    IMAGES,
    masked=True,
)
case("images_last", lambda: L.ConvLSTM2D(2, 2, zero_output_for_mask=True), IMAGES, masked=True)
case("volumes", lambda: L.ConvLSTM3D(2, 2, **ALL), VOLUMES)
case(
    "volumes_strided",
    lambda: L.ConvLSTM3D(2, (2, 3, 1), strides=(2, 1, 2), padding="same"),
    VOLUMES,
    masked=True,
)
case(
    "volumes_backwards",
    lambda: L.ConvLSTM3D(2, (3, 2, 2), padding="same", go_backwards=True, **ALL),
    VOLUMES,
    masked=True,
)
case(
    "lines_both",
    lambda: L.Bidirectional(L.ConvLSTM1D(2, 2, return_sequences=True)),
    LINES,
    masked=True,
)
golden.save()
