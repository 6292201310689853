"""pooling_layers.json, pooling_layers.npz: pooling in one and three dimensions, global and adaptive pooling."""

import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"  # see traced

from common import keras
from common import np
from common import tf
from layer_cases import LayerCases
from layer_cases import floats
from layer_cases import spread

L = keras.layers
cases = LayerCases("pooling_layers")
case = cases.case


def tied(shape):
    """A few different values, so that windows have several largest ones."""
    return lambda rng: [rng.integers(0, 3, shape).astype("float32")]


def traced(layer):
    """Computes the gradient in a graph, as training does: there, with oneDNN as by default, the
    first of equal values gets it. TensorFlow's own kernels give it to all of them in three dimensions."""
    call = layer.call

    @tf.function
    def gradient(x, dy):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        return tape.gradient(y, x, dy)

    layer.call = tf.custom_gradient(lambda x: (call(x), lambda dy: gradient(x, dy)))
    return layer


FIRST = "channels_first"

# By the number of axes: arguments and the shape of the input.
windows = {
    1: {
        "of_2": (dict(pool_size=2), (2, 6, 3)),
        "valid_odd": (dict(pool_size=2), (2, 7, 3)),
        "same_odd": (dict(pool_size=2, padding="same"), (2, 7, 3)),
        "of_3": (dict(pool_size=3), (2, 8, 2)),
        "overlapping_valid": (dict(pool_size=3, strides=2), (2, 8, 2)),
        "overlapping_same": (dict(pool_size=3, strides=2, padding="same"), (2, 8, 2)),
        "wide_overlapping_same": (dict(pool_size=5, strides=2, padding="same"), (2, 6, 2)),
        "strides_1_valid": (dict(pool_size=4, strides=1), (2, 6, 2)),
        "strides_1_same": (dict(pool_size=4, strides=1, padding="same"), (2, 6, 2)),
        "strides_beyond_pool": (dict(pool_size=2, strides=3), (2, 9, 2)),
        "strides_beyond_pool_same": (dict(pool_size=2, strides=4, padding="same"), (2, 9, 2)),
        "pool_of_1": (dict(pool_size=1, strides=2), (2, 5, 2)),
        "pool_is_input": (dict(pool_size=5), (2, 5, 2)),
        "one_step_same": (dict(pool_size=3, padding="same"), (2, 1, 4)),
        "same_beyond_input": (dict(pool_size=7, strides=2, padding="same"), (2, 4, 2)),
        "one_channel": (dict(pool_size=2), (3, 6, 1)),
        "wide": (dict(pool_size=2), (1, 5, 19)),
        "channels_first": (dict(pool_size=2, data_format=FIRST), (2, 3, 7)),
        "channels_first_same": (dict(pool_size=3, strides=2, padding="same", data_format=FIRST), (2, 3, 6)),
    },
    3: {
        "of_2": (dict(pool_size=2), (2, 4, 4, 2, 2)),
        "valid_odd": (dict(pool_size=2), (1, 5, 3, 5, 2)),
        "same_odd": (dict(pool_size=2, padding="same"), (1, 5, 3, 4, 2)),
        "overlapping_valid": (dict(pool_size=3, strides=2), (1, 5, 6, 5, 2)),
        "overlapping_same": (dict(pool_size=3, strides=2, padding="same"), (1, 4, 5, 4, 2)),
        "strides_1_same": (dict(pool_size=3, strides=1, padding="same"), (1, 3, 4, 3, 2)),
        "strides_1_valid": (dict(pool_size=2, strides=1), (1, 3, 4, 3, 2)),
        "uneven": (dict(pool_size=(1, 2, 3)), (2, 3, 4, 6, 1)),
        "uneven_strides": (dict(pool_size=(3, 1, 2), strides=(1, 2, 3)), (1, 4, 5, 6, 2)),
        "uneven_strides_same": (dict(pool_size=(2, 3, 1), strides=(3, 1, 2), padding="same"), (1, 5, 3, 4, 2)),
        "planes_only": (dict(pool_size=(1, 2, 2)), (2, 3, 4, 4, 2)),
        "depth_only": (dict(pool_size=(2, 1, 1)), (2, 4, 2, 3, 2)),
        "strides_beyond_pool": (dict(pool_size=2, strides=3), (1, 6, 5, 6, 2)),
        "pool_is_input": (dict(pool_size=(3, 2, 4)), (2, 3, 2, 4, 2)),
        "one_voxel_same": (dict(pool_size=2, padding="same"), (2, 1, 1, 1, 3)),
        "wide": (dict(pool_size=2), (1, 2, 2, 4, 19)),
        "channels_first": (dict(pool_size=2, data_format=FIRST), (1, 2, 4, 5, 3)),
        "channels_first_same": (
            dict(pool_size=(3, 2, 1), strides=2, padding="same", data_format=FIRST),
            (1, 2, 4, 5, 3),
        ),
    },
}
for rank, largest, average in ((1, L.MaxPooling1D, L.AveragePooling1D), (3, L.MaxPooling3D, L.AveragePooling3D)):
    for name, (arguments, shape) in windows[rank].items():
        case(f"max_pooling{rank}d_{name}", lambda: largest(**arguments), spread(shape))
        case(f"average_pooling{rank}d_{name}", lambda: average(**arguments), floats(shape))

case("max_pooling1d_without_arguments", L.MaxPooling1D, spread((2, 5, 2)))
case("max_pooling3d_without_arguments", L.MaxPooling3D, spread((1, 3, 4, 2, 2)))

# Which of equal values gets the gradient.
tied_windows = {
    "valid": dict(pool_size=2),
    "overlapping": dict(pool_size=3, strides=1),
    "overlapping_same": dict(pool_size=3, strides=2, padding="same"),
}
for rank, largest, shape in (
    (1, L.MaxPooling1D, (3, 9, 2)),
    (2, L.MaxPooling2D, (2, 6, 5, 2)),
    (3, L.MaxPooling3D, (1, 4, 5, 4, 2)),
):
    for name, arguments in tied_windows.items():
        case(f"max_pooling{rank}d_tied_{name}", lambda: traced(largest(**arguments)), tied(shape))
        case(
            f"max_pooling{rank}d_zeros_{name}",
            lambda: traced(largest(**arguments)),
            lambda rng: [np.zeros(shape, "float32")],
        )

global_layers = {
    "max_pooling1d": (L.GlobalMaxPooling1D, (2, 5, 3)),
    "max_pooling2d": (L.GlobalMaxPooling2D, (2, 3, 4, 3)),
    "max_pooling3d": (L.GlobalMaxPooling3D, (2, 3, 2, 4, 3)),
    "average_pooling3d": (L.GlobalAveragePooling3D, (2, 3, 2, 4, 3)),
}
for name, (layer, shape) in global_layers.items():
    for keep in (False, True):
        for data_format in ("channels_last", FIRST):
            case(
                f"global_{name}{'_keepdims' if keep else ''}{'_channels_first' if data_format == FIRST else ''}",
                lambda: layer(data_format=data_format, keepdims=keep),
                floats(shape),
            )
    if name.startswith("max"):
        case(f"global_{name}_tied", layer, tied(shape))

# Sizes that divide the length, do not, are the same and larger ones, multiples of it or not. Not 1, for which Keras pools
# windows that are longer than the axis: only TensorFlow's eager mode accepts that, with wrong gradients.
adaptive_sizes = {
    1: [
        (3, (2, 9, 2)),
        (4, (2, 9, 2)),
        (6, (2, 9, 2)),
        (7, (2, 9, 2)),
        (9, (2, 9, 2)),
        (5, (2, 3, 2)),
        (6, (2, 3, 2)),
        ((4,), (1, 11, 5)),
    ],
    2: [
        (2, (2, 6, 4, 2)),
        (3, (2, 7, 5, 2)),
        ((2, 3), (1, 5, 7, 2)),
        ((4, 2), (1, 3, 6, 2)),
        ((3, 5), (1, 6, 3, 3)),
    ],
    3: [
        (2, (1, 4, 2, 6, 2)),
        (2, (1, 3, 5, 4, 2)),
        ((3, 2, 3), (1, 3, 5, 4, 2)),
        ((2, 3, 4), (2, 3, 3, 3, 1)),
    ],
}
adaptive = {
    1: (L.AdaptiveMaxPooling1D, L.AdaptiveAveragePooling1D),
    2: (L.AdaptiveMaxPooling2D, L.AdaptiveAveragePooling2D),
    3: (L.AdaptiveMaxPooling3D, L.AdaptiveAveragePooling3D),
}
for rank, sizes in adaptive_sizes.items():
    for number, (size, shape) in enumerate(sizes):
        first = (shape[0], shape[-1], *shape[1:-1])
        for layer, inputs in zip(adaptive[rank], (spread, floats)):
            kind = "max" if inputs is spread else "average"
            name = f"adaptive_{kind}_pooling{rank}d_{number}"
            case(name, lambda: layer(size), inputs(shape))
            if number in (1, 2):
                case(name + "_channels_first", lambda: layer(size, data_format=FIRST), inputs(first))
        case(f"adaptive_max_pooling{rank}d_{number}_tied", lambda: traced(adaptive[rank][0](size)), tied(shape))

cases.save()
