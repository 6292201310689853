"""kinks.json, kinks.npz: activations, ops, layers and losses at their kinks and
ties: value and gradient. A kink has no derivative; the gradients are those that
TensorFlow takes there.
"""

from common import Golden
from common import array
from common import keras
from common import normal
from common import np
from common import rng_for
from common import tf

golden = Golden("kinks")
ops = keras.ops


def case(kind, name, identifier, function, inputs, arguments=None, constants=None):
    """`inputs` are differentiated, `constants` (by role) are not."""
    inputs = [np.asarray(x, "float32") for x in inputs]
    tensors = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        for tensor in tensors:
            tape.watch(tensor)
        y = function(*tensors)
        cotangent = normal(rng_for("kinks/cotangent/" + name), y.shape)
        target = tf.reduce_sum(y * cotangent)
    gradients = tape.gradient(target, tensors)
    arrays = {f"x{i}": x for i, x in enumerate(inputs)}
    arrays.update(constants or {})
    arrays["y"] = array(y)
    arrays["cotangent"] = cotangent
    for i, (gradient, x) in enumerate(zip(gradients, inputs)):
        arrays[f"gradient{i}"] = (
            np.zeros_like(x) if gradient is None else array(gradient)
        )
    golden.add(
        {
            "name": kind + "_" + name,
            "kind": kind,
            "id": identifier,
            "arguments": arguments or {},
            "inputs": len(inputs),
        },
        arrays,
    )


# --- Activations ---------------------------------------------------------------

# All kinks of these functions, both zeros, and their neighbourhood.
POINTS = np.array(
    [-6, -3, -1, -0.75, -0.5, -0.25, -0.0, 0.0, 0.25, 0.5, 0.75, 1, 3, 6, 8, -8],
    "float32",
)
ELEMENTWISE = """relu leaky_relu relu6 elu selu celu gelu silu hard_silu
sigmoid hard_sigmoid log_sigmoid tanh hard_tanh tanh_shrink soft_shrink
hard_shrink softplus softsign squareplus sparse_plus sparse_sigmoid exponential
mish""".split()
TIES = np.array(
    [
        [1, 1, 1, 1],
        [0, 0, 0, 0],
        [2, 2, 0, -1],
        [0.5, 0.5, 0.25, 0.25],
        [0.5, 0, 0.5, 0],
        [1, 0, 0, 0],
        [0.75, 0.25, -0.25, 0.75],
        [3, 1, 1, 1],
    ],
    "float32",
)


def activation(name, identifier, x=POINTS, **arguments):
    function = keras.activations.get(identifier)
    case(
        "activation",
        name,
        identifier,
        lambda t: function(t, **arguments),
        [x],
        arguments,
    )


for identifier in ELEMENTWISE:
    activation(identifier, identifier)
for identifier in ["softmax", "log_softmax", "sparsemax", "glu"]:
    activation(identifier, identifier, TIES)
activation("sparsemax_axis_0", "sparsemax", TIES.T, axis=0)
activation("relu_negative_slope", "relu", negative_slope=0.25)
activation("relu_max_value", "relu", max_value=3.0)
activation("relu_max_value_6", "relu", max_value=6.0)
activation("relu_slope_max_value_6", "relu", negative_slope=0.5, max_value=6.0)
activation("relu_threshold", "relu", threshold=0.75)
activation("relu_threshold_max_value_6", "relu", max_value=6.0, threshold=0.5)
activation(
    "relu_all_arguments", "relu", negative_slope=0.25, max_value=3.0, threshold=0.5
)
activation("leaky_relu_0.5", "leaky_relu", negative_slope=0.5)
activation("elu_alpha_0.5", "elu", alpha=0.5)
activation("elu_alpha_2", "elu", alpha=2.0)
activation("celu_alpha_2", "celu", alpha=2.0)
activation("celu_alpha_0.5", "celu", alpha=0.5)
activation("soft_shrink_1", "soft_shrink", threshold=1.0)
activation("hard_shrink_1", "hard_shrink", threshold=1.0)
activation("threshold", "threshold", threshold=0.75, default_value=-2.0)


# --- Ops -----------------------------------------------------------------------


def op(name, function, *inputs, **arguments):
    case("op", name, function.__name__, lambda *t: function(*t, **arguments), inputs, arguments)


LEFT = np.array([1, 2, -1, 0, -0.0, 3, -2], "float32")
RIGHT = np.array([1, 1, -1, -0.0, 0, 4, -2], "float32")
for function in [ops.maximum, ops.minimum, ops.add, ops.subtract, ops.multiply]:
    op(function.__name__, function, LEFT, RIGHT)
op("maximum_broadcast", ops.maximum, TIES, TIES[0])
op("minimum_broadcast", ops.minimum, TIES, TIES[0])
op("power", ops.power, [0, 0, 2, -2, -2, 1, 0], [1, 2, 0, 2, 3, 0, 3])
for function in [ops.absolute, ops.square, ops.sign, ops.floor, ops.ceil, ops.round]:
    op(function.__name__, function, POINTS)
op("clip", ops.clip, POINTS, x_min=-1.0, x_max=3.0)
op("clip_to_one_value", ops.clip, POINTS, x_min=1.0, x_max=1.0)
for function in [ops.max, ops.min, ops.prod]:
    op(function.__name__, function, TIES)
    op(function.__name__ + "_axis_0", function, TIES, axis=0)
    op(function.__name__ + "_axis_1", function, TIES, axis=1)
op("logsumexp", ops.logsumexp, TIES, axis=1)
op("var", ops.var, TIES, axis=1)


# --- Layers --------------------------------------------------------------------


def layer(name, made, *inputs):
    config = made.get_config()
    arguments = {
        key: value
        for key, value in config.items()
        if key not in ("name", "dtype", "trainable")
    }

    def call(*tensors):
        return made(list(tensors) if len(tensors) > 1 else tensors[0])

    case("layer", name, type(made).__name__, call, inputs, arguments)


L = keras.layers
PLATEAUS = np.round(normal(rng_for("kinks/plateaus"), (2, 6, 6, 2))).astype("float32")
layer("maximum", L.Maximum(), LEFT, RIGHT, LEFT)
layer("minimum", L.Minimum(), LEFT, RIGHT, LEFT)
layer("max_pooling", L.MaxPooling2D(), PLATEAUS)
layer("max_pooling_overlapping", L.MaxPooling2D(3, strides=2, padding="same"), PLATEAUS)
layer("max_pooling_of_zeros", L.MaxPooling2D(), np.zeros((1, 4, 4, 1)))
layer("relu", L.ReLU(), POINTS)
layer("relu_6", L.ReLU(6.0), POINTS)
layer("relu_arguments", L.ReLU(3.0, 0.25, 0.5), POINTS)


# --- Losses --------------------------------------------------------------------


def loss(name, made, y_true, y_pred, **arguments):
    y_true = np.asarray(y_true, "float32")
    case(
        "loss",
        name,
        type(made).__name__,
        lambda t: made(y_true, t),
        [y_pred],
        {"reduction": "none", **arguments},
        {"y_true": y_true},
    )


S = keras.losses
NONE = {"reduction": "none"}
EPSILON = keras.config.epsilon()
ERRORS = [[0.0, -0.0, 0.5, -0.5, 1, -1, 2, -2]]
ZEROS = [[0.0] * 8]
loss("mean_squared_error", S.MeanSquaredError(**NONE), ZEROS, ERRORS)
loss("mean_absolute_error", S.MeanAbsoluteError(**NONE), ZEROS, ERRORS)
loss(
    "mean_absolute_percentage_error",
    S.MeanAbsolutePercentageError(**NONE),
    [[1, -2, 0, 4]],
    [[1, -2, 0, 2]],
)
loss(
    "mean_squared_logarithmic_error",
    S.MeanSquaredLogarithmicError(**NONE),
    [[0, 1, 0, 2, 1]],
    [[0, 1, EPSILON, -1, EPSILON]],
)
loss("log_cosh", S.LogCosh(**NONE), ZEROS, ERRORS)
loss("huber", S.Huber(**NONE), ZEROS, ERRORS)
loss("huber_delta_2", S.Huber(delta=2.0, **NONE), ZEROS, ERRORS, delta=2.0)
loss("huber_delta_0.5", S.Huber(delta=0.5, **NONE), ZEROS, ERRORS, delta=0.5)
loss(
    "cosine_similarity",
    S.CosineSimilarity(**NONE),
    [[1, 0, 2], [0, 0, 0], [1, 2, 2], [1, 1, 0]],
    [[0, 0, 0], [1, 2, 2], [EPSILON, 0, 0], [0, 0, 1]],
)
for made, name in [(S.Hinge, "hinge"), (S.SquaredHinge, "squared_hinge")]:
    loss(name, made(**NONE), [[1, -1, 1, -1, 1, -1]], [[1, -1, 0, 0, 2, -2]])
    loss(name + "_binary", made(**NONE), [[1, 0, 1, 0]], [[1, -1, 0, -2]])
loss(
    "categorical_hinge",
    S.CategoricalHinge(**NONE),
    [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[1, 0, 0], [1, 1, 1], [0, 0, 0], [-1, -1, 0]],
)
PROBABILITIES = [
    [0.0, 1.0, EPSILON, 1 - EPSILON],
    [1.0, 0.0, 1 - EPSILON, EPSILON],
    [0.5, 0.5, 0.0, 1.0],
]
BITS = [[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 0]]
loss("kl_divergence", S.KLDivergence(**NONE), BITS, PROBABILITIES)
loss("poisson", S.Poisson(**NONE), BITS, PROBABILITIES)
loss("binary_crossentropy", S.BinaryCrossentropy(**NONE), BITS, PROBABILITIES)
loss(
    "binary_crossentropy_logits",
    S.BinaryCrossentropy(from_logits=True, **NONE),
    [[0, 1, 0.5, 1]],
    [[0, 0, -0.0, 2]],
    from_logits=True,
)
ONE_HOT = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
ROWS = [[1, 0, 0], [1, 0, 0], [0.5, 0.5, 0], [EPSILON, 1 - EPSILON, 0]]
loss("categorical_crossentropy", S.CategoricalCrossentropy(**NONE), ONE_HOT, ROWS)
loss(
    "sparse_categorical_crossentropy",
    S.SparseCategoricalCrossentropy(**NONE),
    [0, 1, 2, 0],
    ROWS,
)
loss(
    "categorical_crossentropy_logits",
    S.CategoricalCrossentropy(from_logits=True, **NONE),
    ONE_HOT,
    TIES[:4, :3],
    from_logits=True,
)
loss(
    "sparse_categorical_crossentropy_logits",
    S.SparseCategoricalCrossentropy(from_logits=True, **NONE),
    [0, 1, 2, 0],
    TIES[:4, :3],
    from_logits=True,
)

golden.save()
