#pragma once

// All layers. Written by scripts/class_lists.py; do not edit.

#include <rhyton/framework/serialization/class_list.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/activations/softmax.h>
#include <rhyton/layers/attention/additive_attention.h>
#include <rhyton/layers/attention/attention.h>
#include <rhyton/layers/attention/group_query_attention.h>
#include <rhyton/layers/attention/multi_head_attention.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/einsum_dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/core/masking.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/merging/average.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/layers/merging/dot.h>
#include <rhyton/layers/merging/maximum.h>
#include <rhyton/layers/merging/minimum.h>
#include <rhyton/layers/merging/multiply.h>
#include <rhyton/layers/merging/subtract.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/normalization/group_normalization.h>
#include <rhyton/layers/normalization/layer_normalization.h>
#include <rhyton/layers/normalization/rms_normalization.h>
#include <rhyton/layers/normalization/spectral_normalization.h>
#include <rhyton/layers/normalization/unit_normalization.h>
#include <rhyton/layers/pooling/average_pooling2d.h>
#include <rhyton/layers/pooling/global_average_pooling1d.h>
#include <rhyton/layers/pooling/global_average_pooling2d.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/preprocessing/rescaling.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/layers/reshaping/permute.h>
#include <rhyton/layers/reshaping/repeat_vector.h>
#include <rhyton/layers/reshaping/reshape.h>
#include <rhyton/layers/rnn/bidirectional.h>
#include <rhyton/layers/rnn/conv_lstm1d.h>
#include <rhyton/layers/rnn/conv_lstm2d.h>
#include <rhyton/layers/rnn/conv_lstm3d.h>
#include <rhyton/layers/rnn/gru.h>
#include <rhyton/layers/rnn/gru_cell.h>
#include <rhyton/layers/rnn/lstm.h>
#include <rhyton/layers/rnn/lstm_cell.h>
#include <rhyton/layers/rnn/rnn.h>
#include <rhyton/layers/rnn/simple_rnn.h>
#include <rhyton/layers/rnn/simple_rnn_cell.h>
#include <rhyton/layers/rnn/stacked_rnn_cells.h>
#include <rhyton/layers/rnn/time_distributed.h>

namespace rhyton::layers {

/// The layers that files can name.
// clang-format off
using BuiltinLayers = ClassList<
    Activation,
    Add,
    AdditiveAttention,
    Attention,
    Average,
    AveragePooling2D,
    BatchNormalization,
    Bidirectional,
    Concatenate,
    Conv2D,
    ConvLSTM1D,
    ConvLSTM2D,
    ConvLSTM3D,
    Dense,
    Dot,
    Dropout,
    EinsumDense,
    Embedding,
    Flatten,
    GRU,
    GRUCell,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GroupNormalization,
    GroupQueryAttention,
    Input,
    LSTM,
    LSTMCell,
    LayerNormalization,
    Masking,
    MaxPooling2D,
    Maximum,
    Minimum,
    MultiHeadAttention,
    Multiply,
    Permute,
    RMSNormalization,
    RNN,
    ReLU,
    RepeatVector,
    Rescaling,
    Reshape,
    SimpleRNN,
    SimpleRNNCell,
    Softmax,
    SpectralNormalization,
    StackedRNNCells,
    Subtract,
    TimeDistributed,
    UnitNormalization>;
// clang-format on

}  // namespace rhyton::layers
