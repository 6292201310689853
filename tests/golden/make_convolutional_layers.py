"""convolutional_layers.json, .npz: the convolutional layers, each called once, with their gradients."""

from common import keras
from common import tf
from layer_cases import LayerCases
from layer_cases import floats

L = keras.layers
R = keras.regularizers
cases = LayerCases("convolutional_layers")
case = cases.case

SIZES = {1: (9,), 2: (7, 6), 3: (4, 3, 5)}
FIRST = dict(data_format="channels_first")


def compiled(layer):
    """For what TensorFlow's CPU kernels lack and its compiler has."""
    layer.call = tf.function(layer.call, jit_compile=True)
    return layer


def shape_of(rank, channels=2, sizes=None, batch=2):
    return (batch, *(sizes or SIZES[rank]), channels)


def first_of(rank, channels=2, sizes=None):
    return (2, channels, *(sizes or SIZES[rank]))


# Conv1D, Conv2D, Conv3D.
for rank, layer in ((1, L.Conv1D), (2, L.Conv2D), (3, L.Conv3D)):
    convolutions = {
        "valid": dict(kernel_size=3),
        "same": dict(kernel_size=3, padding="same"),
        "even_kernel_same": dict(kernel_size=2, padding="same", activation="relu"),
        "strides": dict(kernel_size=3, strides=2, use_bias=False),
        "strides_same": dict(kernel_size=3, strides=2, padding="same"),
        "dilation_same": dict(kernel_size=3, dilation_rate=2, padding="same"),
        "regularized": dict(
            kernel_size=2,
            activation="tanh",
            kernel_regularizer=R.L1L2(0.01, 0.02),
            bias_regularizer="l2",
            activity_regularizer=R.L2(0.01),
        ),
    }
    if rank == 1:
        convolutions |= {
            "causal": dict(kernel_size=3, padding="causal"),
            "causal_strides": dict(kernel_size=2, strides=2, padding="causal"),
            "causal_dilation": dict(kernel_size=3, dilation_rate=3, padding="causal"),
            "causal_far": dict(kernel_size=4, dilation_rate=5, padding="causal"),
        }
    for name, arguments in convolutions.items():
        # layers.json has many cases of Conv2D.
        if rank == 2 and name != "regularized":
            continue
        case(f"conv{rank}d_{name}", lambda: layer(3, **arguments), floats(shape_of(rank)))
    if rank == 2:
        continue
    case(f"conv{rank}d_groups", lambda: layer(4, 2, groups=2), floats(shape_of(rank, 6)))
    case(f"conv{rank}d_wide_dilation_same", lambda: layer(2, 3, dilation_rate=7, padding="same"), floats(shape_of(rank)))
case("conv3d_sizes_differ", lambda: L.Conv3D(2, (2, 1, 3), strides=(1, 2, 3), padding="same"), floats(shape_of(3)))
case("conv3d_one_plane", lambda: L.Conv3D(2, (1, 2, 3), strides=(2, 1, 1)), floats(shape_of(3)))
case("conv3d_groups_strides_same", lambda: L.Conv3D(4, 2, groups=2, strides=2, padding="same"), floats(shape_of(3, 4)))

# DepthwiseConv1D and DepthwiseConv2D; SeparableConv1D and SeparableConv2D.
# Where the length of the last axis is the number of channels, Keras adds a bias to the wrong axis of channels first.
per_channel = {
    "multiplier": dict(kernel_size=2, depth_multiplier=3),
    "multiplier_same": dict(kernel_size=2, depth_multiplier=2, padding="same", activation="relu"),
    "strides_same": dict(kernel_size=3, strides=2, padding="same", depth_multiplier=2, use_bias=False),
    "strides_beyond_kernel": dict(kernel_size=2, strides=3),
    "dilation_same": dict(kernel_size=3, dilation_rate=2, padding="same"),
    "strides_and_dilation": dict(kernel_size=2, strides=2, dilation_rate=3),
    "strides_and_dilation_same": dict(kernel_size=3, strides=2, dilation_rate=2, padding="same", depth_multiplier=2),
    "channels_first": dict(kernel_size=2, padding="same", **FIRST),
    "channels_first_strides_and_dilation": dict(kernel_size=2, strides=3, dilation_rate=2, **FIRST),
}
for rank, depthwise, separable in ((1, L.DepthwiseConv1D, L.SeparableConv1D), (2, L.DepthwiseConv2D, L.SeparableConv2D)):
    for name, arguments in per_channel.items():
        if rank == 1 and name in ("multiplier_same", "strides_beyond_kernel", "dilation_same", "strides_and_dilation"):
            continue
        shape = first_of(rank, 4) if "data_format" in arguments else shape_of(rank, 3)
        case(f"depthwise_conv{rank}d_{name}", lambda: depthwise(**arguments), floats(shape))
        case(f"separable_conv{rank}d_{name}", lambda: separable(5, **arguments), floats(shape))
    regularizers = dict(depthwise_regularizer="l2", bias_regularizer=R.L1(0.02), activity_regularizer=R.L2(0.01))
    case(f"depthwise_conv{rank}d_regularized", lambda: depthwise(2, **regularizers), floats(shape_of(rank, 3)))
    case(
        f"separable_conv{rank}d_regularized",
        lambda: separable(2, 3, pointwise_regularizer="l1", activation="tanh", **regularizers),
        floats(shape_of(rank, 3)),
    )
case("depthwise_conv2d_kernel_of_two_sizes", lambda: L.DepthwiseConv2D((2, 4), padding="same"), floats(shape_of(2, 3)))
case("separable_conv2d_kernel_of_two_sizes", lambda: L.SeparableConv2D(3, (1, 4), padding="same"), floats(shape_of(2, 3)))

# Conv1DTranspose, Conv2DTranspose, Conv3DTranspose.
SMALL = {1: (4,), 2: (4, 3), 3: (2, 3, 2)}
transposed = {
    "valid": dict(kernel_size=3),
    "same": dict(kernel_size=3, padding="same"),
    "even_kernel_same": dict(kernel_size=2, padding="same", activation="relu"),
    "no_bias": dict(kernel_size=2, use_bias=False),
    "strides": dict(kernel_size=3, strides=2),
    "strides_same": dict(kernel_size=3, strides=2, padding="same"),
    "strides_3_same": dict(kernel_size=4, strides=3, padding="same"),
    "strides_beyond_kernel": dict(kernel_size=2, strides=3),
    "strides_beyond_kernel_same": dict(kernel_size=2, strides=3, padding="same"),
    "kernel_of_1_strides_same": dict(kernel_size=1, strides=2, padding="same"),
    "output_padding_0": dict(kernel_size=3, strides=2, output_padding=0),
    "output_padding_1": dict(kernel_size=3, strides=2, output_padding=1),
    "output_padding_0_same": dict(kernel_size=3, strides=2, output_padding=0, padding="same"),
    "output_padding_1_same": dict(kernel_size=3, strides=2, output_padding=1, padding="same"),
    "output_padding_1_even_kernel_same": dict(kernel_size=4, strides=2, output_padding=1, padding="same"),
    "output_padding_2_same": dict(kernel_size=4, strides=3, output_padding=2, padding="same"),
    "output_padding_beyond_kernel": dict(kernel_size=1, strides=3, output_padding=1),
    "regularized": dict(
        kernel_size=2, kernel_regularizer="l2", bias_regularizer=R.L1(0.02), activity_regularizer=R.L2(0.01)
    ),
}
FOR_IMAGES = (
    "valid",
    "even_kernel_same",
    "no_bias",
    "strides_beyond_kernel",
    "kernel_of_1_strides_same",
    "output_padding_0",
    "output_padding_1",
    "output_padding_0_same",
    "output_padding_1_even_kernel_same",
    "output_padding_2_same",
    "regularized",
)
dilations = {
    "dilation_same": dict(kernel_size=3, dilation_rate=2, padding="same"),
    "wide_dilation_same": dict(kernel_size=3, dilation_rate=5, padding="same"),
}
for rank, layer in ((1, L.Conv1DTranspose), (2, L.Conv2DTranspose), (3, L.Conv3DTranspose)):
    for name, arguments in transposed.items():
        if rank != 2 and name in FOR_IMAGES:
            continue
        case(f"conv{rank}d_transpose_{name}", lambda: layer(3, **arguments), floats(shape_of(rank, 2, SMALL[rank])))
for rank, layer in ((1, L.Conv1DTranspose), (2, L.Conv2DTranspose), (3, L.Conv3DTranspose)):
    for name, arguments in dilations.items():
        make = lambda: compiled(layer(3, **arguments))
        case(f"conv{rank}d_transpose_{name}", make, floats(shape_of(rank, 2, SMALL[rank])))
case("conv2d_transpose_two_strides", lambda: L.Conv2DTranspose(2, (2, 3), strides=(1, 3), padding="same"), floats((2, 4, 3, 2)))
case("conv3d_transpose_three_strides", lambda: L.Conv3DTranspose(2, (1, 2, 3), strides=(3, 1, 2)), floats((1, 2, 3, 2, 2)))

cases.save()
