#pragma once

// All layers. Written by scripts/class_lists.py; do not edit.

#include <rhyton/framework/serialization/class_list.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/activations/elu.h>
#include <rhyton/layers/activations/leaky_relu.h>
#include <rhyton/layers/activations/prelu.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/activations/softmax.h>
#include <rhyton/layers/attention/additive_attention.h>
#include <rhyton/layers/attention/attention.h>
#include <rhyton/layers/attention/group_query_attention.h>
#include <rhyton/layers/attention/multi_head_attention.h>
#include <rhyton/layers/convolutional/conv1d.h>
#include <rhyton/layers/convolutional/conv1d_transpose.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/convolutional/conv2d_transpose.h>
#include <rhyton/layers/convolutional/conv3d.h>
#include <rhyton/layers/convolutional/conv3d_transpose.h>
#include <rhyton/layers/convolutional/depthwise_conv1d.h>
#include <rhyton/layers/convolutional/depthwise_conv2d.h>
#include <rhyton/layers/convolutional/separable_conv1d.h>
#include <rhyton/layers/convolutional/separable_conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/einsum_dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/identity.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/core/lambda.h>
#include <rhyton/layers/core/lora_layer.h>
#include <rhyton/layers/core/masking.h>
#include <rhyton/layers/core/reversible_embedding.h>
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
#include <rhyton/layers/pooling/adaptive_average_pooling1d.h>
#include <rhyton/layers/pooling/adaptive_average_pooling2d.h>
#include <rhyton/layers/pooling/adaptive_average_pooling3d.h>
#include <rhyton/layers/pooling/adaptive_max_pooling1d.h>
#include <rhyton/layers/pooling/adaptive_max_pooling2d.h>
#include <rhyton/layers/pooling/adaptive_max_pooling3d.h>
#include <rhyton/layers/pooling/average_pooling1d.h>
#include <rhyton/layers/pooling/average_pooling2d.h>
#include <rhyton/layers/pooling/average_pooling3d.h>
#include <rhyton/layers/pooling/global_average_pooling1d.h>
#include <rhyton/layers/pooling/global_average_pooling2d.h>
#include <rhyton/layers/pooling/global_average_pooling3d.h>
#include <rhyton/layers/pooling/global_max_pooling1d.h>
#include <rhyton/layers/pooling/global_max_pooling2d.h>
#include <rhyton/layers/pooling/global_max_pooling3d.h>
#include <rhyton/layers/pooling/max_pooling1d.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/pooling/max_pooling3d.h>
#include <rhyton/layers/preprocessing/aug_mix.h>
#include <rhyton/layers/preprocessing/auto_contrast.h>
#include <rhyton/layers/preprocessing/category_encoding.h>
#include <rhyton/layers/preprocessing/center_crop.h>
#include <rhyton/layers/preprocessing/contrast_limited_adaptive_histogram_equalization.h>
#include <rhyton/layers/preprocessing/cut_mix.h>
#include <rhyton/layers/preprocessing/discretization.h>
#include <rhyton/layers/preprocessing/equalization.h>
#include <rhyton/layers/preprocessing/hashed_crossing.h>
#include <rhyton/layers/preprocessing/hashing.h>
#include <rhyton/layers/preprocessing/integer_lookup.h>
#include <rhyton/layers/preprocessing/max_num_bounding_boxes.h>
#include <rhyton/layers/preprocessing/mel_spectrogram.h>
#include <rhyton/layers/preprocessing/mix_up.h>
#include <rhyton/layers/preprocessing/normalization.h>
#include <rhyton/layers/preprocessing/pipeline.h>
#include <rhyton/layers/preprocessing/rand_augment.h>
#include <rhyton/layers/preprocessing/random_brightness.h>
#include <rhyton/layers/preprocessing/random_color_degeneration.h>
#include <rhyton/layers/preprocessing/random_color_jitter.h>
#include <rhyton/layers/preprocessing/random_contrast.h>
#include <rhyton/layers/preprocessing/random_crop.h>
#include <rhyton/layers/preprocessing/random_elastic_transform.h>
#include <rhyton/layers/preprocessing/random_erasing.h>
#include <rhyton/layers/preprocessing/random_flip.h>
#include <rhyton/layers/preprocessing/random_gaussian_blur.h>
#include <rhyton/layers/preprocessing/random_grayscale.h>
#include <rhyton/layers/preprocessing/random_hue.h>
#include <rhyton/layers/preprocessing/random_invert.h>
#include <rhyton/layers/preprocessing/random_perspective.h>
#include <rhyton/layers/preprocessing/random_posterization.h>
#include <rhyton/layers/preprocessing/random_rotation.h>
#include <rhyton/layers/preprocessing/random_saturation.h>
#include <rhyton/layers/preprocessing/random_sharpness.h>
#include <rhyton/layers/preprocessing/random_shear.h>
#include <rhyton/layers/preprocessing/random_translation.h>
#include <rhyton/layers/preprocessing/random_zoom.h>
#include <rhyton/layers/preprocessing/rescaling.h>
#include <rhyton/layers/preprocessing/resizing.h>
#include <rhyton/layers/preprocessing/solarization.h>
#include <rhyton/layers/preprocessing/stft_spectrogram.h>
#include <rhyton/layers/preprocessing/string_lookup.h>
#include <rhyton/layers/preprocessing/text_vectorization.h>
#include <rhyton/layers/preprocessing/tfd_concat.h>
#include <rhyton/layers/preprocessing/tfd_identity.h>
#include <rhyton/layers/regularization/activity_regularization.h>
#include <rhyton/layers/regularization/alpha_dropout.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/regularization/gaussian_dropout.h>
#include <rhyton/layers/regularization/gaussian_noise.h>
#include <rhyton/layers/regularization/spatial_dropout1d.h>
#include <rhyton/layers/regularization/spatial_dropout2d.h>
#include <rhyton/layers/regularization/spatial_dropout3d.h>
#include <rhyton/layers/reshaping/cropping1d.h>
#include <rhyton/layers/reshaping/cropping2d.h>
#include <rhyton/layers/reshaping/cropping3d.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/layers/reshaping/permute.h>
#include <rhyton/layers/reshaping/repeat_vector.h>
#include <rhyton/layers/reshaping/reshape.h>
#include <rhyton/layers/reshaping/up_sampling1d.h>
#include <rhyton/layers/reshaping/up_sampling2d.h>
#include <rhyton/layers/reshaping/up_sampling3d.h>
#include <rhyton/layers/reshaping/zero_padding1d.h>
#include <rhyton/layers/reshaping/zero_padding2d.h>
#include <rhyton/layers/reshaping/zero_padding3d.h>
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
    ActivityRegularization,
    AdaptiveAveragePooling1D,
    AdaptiveAveragePooling2D,
    AdaptiveAveragePooling3D,
    AdaptiveMaxPooling1D,
    AdaptiveMaxPooling2D,
    AdaptiveMaxPooling3D,
    Add,
    AdditiveAttention,
    AlphaDropout,
    Attention,
    AugMix,
    AutoContrast,
    Average,
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    BatchNormalization,
    Bidirectional,
    CategoryEncoding,
    CenterCrop,
    Concatenate,
    ContrastLimitedAdaptiveHistogramEqualization,
    Conv1D,
    Conv1DTranspose,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
    ConvLSTM1D,
    ConvLSTM2D,
    ConvLSTM3D,
    Cropping1D,
    Cropping2D,
    Cropping3D,
    CutMix,
    Dense,
    DepthwiseConv1D,
    DepthwiseConv2D,
    Discretization,
    Dot,
    Dropout,
    ELU,
    EinsumDense,
    Embedding,
    Equalization,
    Flatten,
    GRU,
    GRUCell,
    GaussianDropout,
    GaussianNoise,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
    GroupNormalization,
    GroupQueryAttention,
    HashedCrossing,
    Hashing,
    Identity,
    Input,
    IntegerLookup,
    LSTM,
    LSTMCell,
    LayerNormalization,
    LeakyReLU,
    Masking,
    MaxNumBoundingBoxes,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
    Maximum,
    MelSpectrogram,
    Minimum,
    MixUp,
    MultiHeadAttention,
    Multiply,
    Normalization,
    PReLU,
    Permute,
    Pipeline,
    RMSNormalization,
    RNN,
    RandAugment,
    RandomBrightness,
    RandomColorDegeneration,
    RandomColorJitter,
    RandomContrast,
    RandomCrop,
    RandomElasticTransform,
    RandomErasing,
    RandomFlip,
    RandomGaussianBlur,
    RandomGrayscale,
    RandomHue,
    RandomInvert,
    RandomPerspective,
    RandomPosterization,
    RandomRotation,
    RandomSaturation,
    RandomSharpness,
    RandomShear,
    RandomTranslation,
    RandomZoom,
    ReLU,
    RepeatVector,
    Rescaling,
    Reshape,
    Resizing,
    ReversibleEmbedding,
    STFTSpectrogram,
    SeparableConv1D,
    SeparableConv2D,
    SimpleRNN,
    SimpleRNNCell,
    Softmax,
    Solarization,
    SpatialDropout1D,
    SpatialDropout2D,
    SpatialDropout3D,
    SpectralNormalization,
    StackedRNNCells,
    StringLookup,
    Subtract,
    TFDConcat,
    TFDIdentity,
    TextVectorization,
    TimeDistributed,
    UnitNormalization,
    UpSampling1D,
    UpSampling2D,
    UpSampling3D,
    ZeroPadding1D,
    ZeroPadding2D,
    ZeroPadding3D>;
// clang-format on

}  // namespace rhyton::layers
