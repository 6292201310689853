"""Constraints of weights, as each argument of each layer that has them."""

from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import integers
from samples import numbers

C = keras.constraints
NEWEST = dict(since=(3, 15), in_tf_keras=False)


def constraint_case(name, shape, make_layers, covers=(), optimizer=None, **arguments):
    """Layers, and a Dense of 2 on their outputs."""
    arguments.setdefault("formats", formats_in_turn())
    arguments.setdefault("steps", 8)

    def make():
        model = Sequential([Input(shape), *make_layers(), L.Flatten(), L.Dense(2)])
        model.compile(optimizer() if optimizer else keras.optimizers.SGD(0.05, momentum=0.5), "mse")
        return model

    covers = ("constraint of layers", *covers)
    return case(f"constraint/{name}", numbers(*shape), numbers(2), covers=covers, **arguments)(make)


def dense_case(name, constraint, **arguments):
    constraint_case(name, (5,), lambda: [L.Dense(4, "tanh", kernel_constraint=constraint, bias_constraint="non_neg")], **arguments)


ALL_FORMATS = ("keras", "h5", "weights.h5")
dense_case("max_norm", C.MaxNorm(0.5), covers=("constraint MaxNorm", "constraint NonNeg"), formats=ALL_FORMATS)
dense_case("max_norm_of_rows", C.MaxNorm(0.7, axis=1))
dense_case("min_max_norm", C.MinMaxNorm(0.4, 0.6), covers=("constraint MinMaxNorm",), formats=ALL_FORMATS)
dense_case("min_max_norm_slowly", C.MinMaxNorm(1.5, 2.0, rate=0.1, axis=-1))
dense_case("non_neg", C.NonNeg(), formats=ALL_FORMATS)
dense_case("unit_norm", C.UnitNorm(), covers=("constraint UnitNorm",), formats=ALL_FORMATS)
dense_case("unit_norm_of_matrix", C.UnitNorm(axis=[0, 1]))

# When optimizers apply them.
SLOWLY = C.MinMaxNorm(1.5, 2.0, rate=0.1)
O = keras.optimizers
dense_case("adam", SLOWLY, optimizer=lambda: O.Adam(0.02))
dense_case("averages", SLOWLY, optimizer=lambda: O.SGD(0.05, use_ema=True, ema_momentum=0.8, ema_overwrite_frequency=3), since=(3, 15), in_tf_keras=False)
dense_case("accumulation", SLOWLY, optimizer=lambda: O.SGD(0.05, gradient_accumulation_steps=3), **NEWEST)
dense_case("loss_scale", SLOWLY, optimizer=lambda: O.LossScaleOptimizer(O.SGD(0.05), initial_scale=16.0), **NEWEST)

KERNEL = {"kernel_constraint": C.MaxNorm(0.5), "bias_constraint": "non_neg"}
RECURRENT = {**KERNEL, "recurrent_constraint": C.UnitNorm(axis=1)}
SCALES = {"gamma_constraint": C.MinMaxNorm(0.5, 1.0, rate=0.5), "beta_constraint": C.NonNeg()}
OF_FILTERS = {"kernel_constraint": C.UnitNorm(axis=[0, 1, 2]), "bias_constraint": C.MaxNorm(0.1)}
DEPTHWISE = {"depthwise_constraint": C.MaxNorm(0.4), "bias_constraint": "non_neg"}
SEPARABLE = {**DEPTHWISE, "pointwise_constraint": C.MaxNorm(0.8, axis=[0, 1, 2])}

constraint_case("frozen", (5,), lambda: [L.Dense(4, trainable=False, **KERNEL)])
constraint_case("einsum_dense", (3, 5), lambda: [L.EinsumDense("abc,cd->abd", (3, 4), bias_axes="d", **KERNEL)])
constraint_case("conv1d", (6, 2), lambda: [L.Conv1D(3, 2, **KERNEL)])
constraint_case("conv2d", (5, 4, 2), lambda: [L.Conv2D(3, 2, **OF_FILTERS)])
constraint_case("conv3d", (3, 4, 3, 2), lambda: [L.Conv3D(2, 2, **OF_FILTERS)])
constraint_case("conv1d_transpose", (4, 2), lambda: [L.Conv1DTranspose(3, 2, **KERNEL)])
constraint_case("conv2d_transpose", (3, 4, 2), lambda: [L.Conv2DTranspose(3, 2, **OF_FILTERS)])
constraint_case("conv3d_transpose", (2, 3, 2, 2), lambda: [L.Conv3DTranspose(2, 2, **OF_FILTERS)])
# Keras 3 refuses the argument `groups` that tf.keras writes for these layers.
constraint_case("depthwise_conv1d", (5, 2), lambda: [L.DepthwiseConv1D(2, **DEPTHWISE)], in_tf_keras=False)
constraint_case("depthwise_conv2d", (4, 4, 2), lambda: [L.DepthwiseConv2D(2, **DEPTHWISE)], in_tf_keras=False)
constraint_case("separable_conv1d", (5, 2), lambda: [L.SeparableConv1D(3, 2, **DEPTHWISE, pointwise_constraint="non_neg")], in_tf_keras=False)
constraint_case("separable_conv2d", (4, 4, 2), lambda: [L.SeparableConv2D(3, 2, **SEPARABLE)], in_tf_keras=False)
constraint_case("batch_normalization", (4,), lambda: [L.BatchNormalization(**SCALES)])
constraint_case("layer_normalization", (4,), lambda: [L.LayerNormalization(**SCALES)])
constraint_case("group_normalization", (3, 4), lambda: [L.GroupNormalization(2, **SCALES)], in_tf_keras=False)
constraint_case("prelu", (4,), lambda: [L.PReLU(alpha_constraint=C.MaxNorm(0.3))])
constraint_case("simple_rnn", (4, 2), lambda: [L.SimpleRNN(3, **RECURRENT)])
constraint_case("lstm", (4, 2), lambda: [L.LSTM(3, **RECURRENT)])
constraint_case("gru", (4, 2), lambda: [L.GRU(3, **RECURRENT)])
constraint_case("cells", (4, 2), lambda: [L.RNN([cell(3, **RECURRENT) for cell in (L.SimpleRNNCell, L.LSTMCell, L.GRUCell)])])
constraint_case("bidirectional", (4, 2), lambda: [L.Bidirectional(L.LSTM(3, **RECURRENT))], since=(3, 4))
constraint_case("conv_lstm1d", (3, 5, 2), lambda: [L.ConvLSTM1D(2, 2, **RECURRENT)])
constraint_case("conv_lstm2d", (3, 4, 4, 2), lambda: [L.ConvLSTM2D(2, 2, **RECURRENT)])
constraint_case("time_distributed", (4, 2), lambda: [L.TimeDistributed(L.Dense(3, **KERNEL))])
constraint_case("spectral_normalization", (4,), lambda: [L.SpectralNormalization(L.Dense(3, **KERNEL))], **NEWEST)
constraint_case("half", (5,), lambda: [L.Dense(4, dtype="mixed_bfloat16", **KERNEL)], roundoff_ratio=2.0**7, **NEWEST)


def embedding_case(name, make, **arguments):
    def make_model():
        tokens = Input((4,), dtype="int32")
        model = Model(tokens, L.Dense(2)(L.Flatten()(make()(tokens))))
        model.compile(keras.optimizers.SGD(0.05), "mse")
        return model

    covers = ("constraint of layers",)
    case(f"constraint/{name}", integers(9, 4), numbers(2), covers=covers, steps=8, **arguments)(make_model)


embedding_case("embedding", lambda: L.Embedding(9, 3, embeddings_constraint=C.UnitNorm(axis=1)))
if hasattr(L, "ReversibleEmbedding"):
    embedding_case("reversible_embedding", lambda: L.ReversibleEmbedding(9, 3, embeddings_constraint="non_neg"), **NEWEST)


def attention_case(name, make, **arguments):
    def make_model():
        x = Input((4, 3))
        model = Model(x, L.Dense(2)(L.Flatten()(make()(x, x))))
        model.compile(keras.optimizers.SGD(0.05), "mse")
        return model

    covers = ("constraint of layers",)
    case(f"constraint/{name}", numbers(4, 3), numbers(2), covers=covers, steps=8, **arguments)(make_model)


attention_case("multi_head_attention", lambda: L.MultiHeadAttention(2, 2, **KERNEL), since=(3, 15))
attention_case("group_query_attention", lambda: L.GroupQueryAttention(2, 4, 2, **KERNEL), **NEWEST)
