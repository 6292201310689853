"""Conv1D and Conv3D, depthwise, separable and transposed convolutions."""

from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import numbers

SIZES = {1: (9,), 2: (7, 6), 3: (4, 3, 5)}


def compiled(model, optimizer=None):
    model.compile(optimizer or keras.optimizers.SGD(0.02, momentum=0.5), "mse")
    return model


def layer_case(name, rank, layer, make_layers, channels=2, optimizer=None, **arguments):
    shape = (*SIZES[rank], channels)
    arguments.setdefault("formats", formats_in_turn())

    @case(f"convolution/{name}", numbers(*shape), numbers(2), **arguments)
    def make():
        return compiled(Sequential([Input(shape), *make_layers(layer), L.Flatten(), L.Dense(2)]), optimizer and optimizer())


ALL_FORMATS = ("keras", "h5", "weights.h5")
for rank, convolution in ((1, L.Conv1D), (3, L.Conv3D)):
    of = f"conv{rank}d"
    layer_case(f"{of}/valid", rank, convolution, lambda layer: [layer(3, 2, activation="relu")], formats=ALL_FORMATS)
    layer_case(f"{of}/same", rank, convolution, lambda layer: [layer(3, 3, padding="same"), layer(2, 2)], optimizer=keras.optimizers.Adam)
    layer_case(f"{of}/strides", rank, convolution, lambda layer: [layer(3, 3, strides=2, padding="same", use_bias=False)])
    layer_case(f"{of}/dilation", rank, convolution, lambda layer: [layer(3, 2, dilation_rate=2)])
    layer_case(
        f"{of}/regularizers",
        rank,
        convolution,
        lambda layer: [layer(3, 2, kernel_regularizer="l2", bias_regularizer="l1", kernel_initializer="he_normal")],
    )
    layer_case(f"{of}/frozen", rank, convolution, lambda layer: [layer(3, 2, trainable=False), layer(2, 2)])
layer_case("conv1d/causal", 1, L.Conv1D, lambda layer: [layer(4, 2, padding="causal", dilation_rate=rate) for rate in (1, 2, 4)])
layer_case("conv1d/causal_strides", 1, L.Conv1D, lambda layer: [layer(4, 3, padding="causal", strides=2)])

for rank, depthwise, separable in ((1, L.DepthwiseConv1D, L.SeparableConv1D), (2, L.DepthwiseConv2D, L.SeparableConv2D)):
    of = f"depthwise_conv{rank}d"
    # Keras 3 refuses the argument `groups` that tf.keras writes for these layers.
    old = dict(in_tf_keras=False)
    layer_case(f"{of}/valid", rank, depthwise, lambda layer: [layer(2, activation="relu")], formats=ALL_FORMATS, **old)
    layer_case(f"{of}/multiplier", rank, depthwise, lambda layer: [layer(3, depth_multiplier=3, padding="same")], **old)
    layer_case(f"{of}/strides", rank, depthwise, lambda layer: [layer(3, strides=2, padding="same", use_bias=False)], **old)
    layer_case(f"{of}/dilation", rank, depthwise, lambda layer: [layer(2, dilation_rate=2, depthwise_regularizer="l2")], **old)
    of = f"separable_conv{rank}d"
    layer_case(f"{of}/valid", rank, separable, lambda layer: [layer(3, 2, activation="relu")], formats=ALL_FORMATS, **old)
    layer_case(f"{of}/multiplier", rank, separable, lambda layer: [layer(3, 3, depth_multiplier=2, padding="same")], **old)
    layer_case(f"{of}/strides", rank, separable, lambda layer: [layer(3, 3, strides=2, use_bias=False)], **old)
    layer_case(
        f"{of}/regularizers",
        rank,
        separable,
        lambda layer: [layer(3, 2, depthwise_regularizer="l2", pointwise_regularizer="l1", bias_regularizer="l2")],
        **old,
    )

for rank, transposed in ((1, L.Conv1DTranspose), (2, L.Conv2DTranspose), (3, L.Conv3DTranspose)):
    of = f"conv{rank}d_transpose"
    layer_case(f"{of}/valid", rank, transposed, lambda layer: [layer(3, 2, activation="relu")], formats=ALL_FORMATS)
    layer_case(f"{of}/strides", rank, transposed, lambda layer: [layer(3, 3, strides=2, padding="same")])
    layer_case(f"{of}/strides_beyond_kernel", rank, transposed, lambda layer: [layer(2, 2, strides=3, use_bias=False)])
    layer_case(
        f"{of}/output_padding",
        rank,
        transposed,
        lambda layer: [layer(2, 3, strides=2, padding="same", output_padding=0)],
        since=(3, 12),  # older ones refuse 0
    )


@case("convolution/mobile_blocks", numbers(8, 8, 3), numbers(2), formats=ALL_FORMATS, in_tf_keras=False)
def mobile_blocks():
    """The blocks of MobileNet."""
    x = Input((8, 8, 3))
    y = L.Conv2D(4, 3, strides=2, padding="same", use_bias=False)(x)
    for filters in (4, 6):
        y = L.DepthwiseConv2D(3, padding="same", use_bias=False)(y)
        y = L.ReLU(6.0)(L.BatchNormalization()(y))
        y = L.Conv2D(filters, 1, use_bias=False)(y)
        y = L.ReLU(6.0)(L.BatchNormalization()(y))
    return compiled(Model(x, L.Dense(2)(L.GlobalAveragePooling2D()(y))))


@case("convolution/autoencoder", numbers(8, 8, 1), numbers(8, 8, 1), formats=ALL_FORMATS)
def autoencoder():
    """Images of their own size, from an encoder and a decoder."""
    x = Input((8, 8, 1))
    y = L.Conv2D(4, 3, strides=2, padding="same", activation="relu")(x)
    y = L.Conv2D(2, 3, strides=2, padding="same", activation="relu")(y)
    y = L.Conv2DTranspose(4, 3, strides=2, padding="same", activation="relu")(y)
    y = L.Conv2DTranspose(1, 3, strides=2, padding="same")(y)
    return compiled(Model(x, y), keras.optimizers.Adam(1e-3))


@case("convolution/residual_separable", numbers(6, 6, 2), numbers(2), formats=("keras", "h5"), in_tf_keras=False)
def residual_separable():
    x = Input((6, 6, 2))
    y = L.SeparableConv2D(4, 3, padding="same", activation="relu")(x)
    y = L.SeparableConv2D(4, 3, padding="same")(y)
    y = L.Add()([y, L.Conv2D(4, 1)(x)])
    return compiled(Model(x, L.Dense(2)(L.GlobalAveragePooling2D()(y))))
