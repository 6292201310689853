"""activations.json, activations.npz: every activation id: value and gradient."""

from common import Golden
from common import array
from common import keras
from common import normal
from common import np
from common import rng_for
from common import tf

golden = Golden("activations")
DEFAULTS = """linear relu leaky_relu relu6 elu selu celu gelu silu hard_silu sigmoid
hard_sigmoid log_sigmoid tanh hard_tanh tanh_shrink soft_shrink hard_shrink
softplus softsign squareplus sparse_plus sparse_sigmoid exponential mish softmax
log_softmax sparsemax glu""".split()
ALIASES = {"swish": "silu", "hard_swish": "hard_silu"}
# The kinks of the piecewise functions; values keep a distance from them.
KINKS = [-6, -3, -1, -0.5, 0, 0.5, 0.75, 1, 3, 6]


def away_from_kinks(x):
    for kink in KINKS:
        near = np.abs(x - kink) < 0.02
        x = np.where(near, kink + 0.02 + np.abs(x - kink), x)
    return x.astype("float32")


def case(name, identifier, x, **arguments):
    function = keras.activations.get(identifier)
    t = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(t)
        y = function(t, **arguments)
        cotangent = normal(rng_for("activations/cotangent"), y.shape)
        target = tf.reduce_sum(y * cotangent)
    golden.add(
        {
            "name": name,
            "id": identifier,
            "function": function.__name__,
            "arguments": arguments,
            "shape": list(x.shape),
        },
        {
            "x": x,
            "y": array(y),
            "cotangent": cotangent,
            "gradient": array(tape.gradient(target, t)),
        },
    )


x = away_from_kinks(normal(rng_for("activations/x"), (5, 8), 2.5))
big = np.array(
    [[20, -20, 100, -100], [-100, 100, -20, 20], [15, -15, 1e-6, -1e-6]], "float32"
)
for identifier in DEFAULTS + list(ALIASES):
    case(identifier, identifier, x)
    if identifier == "exponential":
        case("exponential_large", identifier, np.clip(big, -100, 80))
    else:
        case(identifier + "_large", identifier, big)

case("relu_negative_slope", "relu", x, negative_slope=0.1)
case("relu_max_value", "relu", x, max_value=3.0)
case("relu_threshold", "relu", x, threshold=0.75)
case("relu_all_arguments", "relu", x, negative_slope=0.2, max_value=3.0, threshold=0.5)
case("leaky_relu_0.3", "leaky_relu", x, negative_slope=0.3)
case("elu_alpha_0.5", "elu", x, alpha=0.5)
case("celu_alpha_2", "celu", x, alpha=2.0)
case("gelu_approximate", "gelu", x, approximate=True)
case("gelu_approximate_large", "gelu", big, approximate=True)
case("soft_shrink_1", "soft_shrink", x, threshold=1.0)
case("hard_shrink_1", "hard_shrink", x, threshold=1.0)
case("squareplus_b_1", "squareplus", x, b=1.0)
case("threshold", "threshold", x, threshold=0.75, default_value=-2.0)
case("softmax_axis_0", "softmax", x, axis=0)
case("log_softmax_axis_0", "log_softmax", x, axis=0)
case("softmax_rank3", "softmax", x.reshape(5, 2, 4))
case("softmax_rank3_axis_1", "softmax", x.reshape(5, 2, 4), axis=1)
case("sparsemax_axis_0", "sparsemax", x, axis=0)
case("sparsemax_small", "sparsemax", x * np.float32(0.1))
case("glu_rank3", "glu", x.reshape(5, 2, 4))
case("glu_rank3_axis_1", "glu", x.reshape(5, 2, 4), axis=1)

golden.save()
