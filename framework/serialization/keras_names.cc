#include <rhyton/framework/serialization/keras_names.h>

#include <string>

namespace rhyton {
namespace {

/// The public names of Keras 3.15, and its strings for metrics; each name is between two blanks.
struct Names {
  std::string_view kind;
  std::string_view names;
};

// clang-format off
constexpr Names all_names[] = {
    {"layer",
     " Activation ActivityRegularization AdaptiveAveragePooling1D AdaptiveAveragePooling2D "
     " AdaptiveAveragePooling3D AdaptiveMaxPooling1D AdaptiveMaxPooling2D AdaptiveMaxPooling3D Add "
     " AdditiveAttention AlphaDropout Attention AugMix AutoContrast Average AveragePooling1D "
     " AveragePooling2D AveragePooling3D AvgPool1D AvgPool2D AvgPool3D BatchNormalization Bidirectional "
     " CategoryEncoding CenterCrop Concatenate ContrastLimitedAdaptiveHistogramEqualization Conv1D "
     " Conv1DTranspose Conv2D Conv2DTranspose Conv3D Conv3DTranspose ConvLSTM1D ConvLSTM2D ConvLSTM3D "
     " Convolution1D Convolution1DTranspose Convolution2D Convolution2DTranspose Convolution3D "
     " Convolution3DTranspose Cropping1D Cropping2D Cropping3D CutMix Dense DepthwiseConv1D DepthwiseConv2D "
     " Discretization Dot Dropout ELU EinsumDense Embedding Equalization Flatten FlaxLayer GRU GRUCell "
     " GaussianDropout GaussianNoise GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D "
     " GlobalAvgPool1D GlobalAvgPool2D GlobalAvgPool3D GlobalMaxPool1D GlobalMaxPool2D GlobalMaxPool3D "
     " GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D GroupNormalization GroupQueryAttention "
     " HashedCrossing Hashing Identity InputLayer IntegerLookup JaxLayer LSTM LSTMCell Lambda "
     " LayerNormalization LeakyReLU Masking MaxNumBoundingBoxes MaxPool1D MaxPool2D MaxPool3D MaxPooling1D "
     " MaxPooling2D MaxPooling3D Maximum MelSpectrogram Minimum MixUp MultiHeadAttention Multiply "
     " Normalization PReLU Permute Pipeline RMSNormalization RNN RandAugment RandomBrightness "
     " RandomColorDegeneration RandomColorJitter RandomContrast RandomCrop RandomElasticTransform "
     " RandomErasing RandomFlip RandomGaussianBlur RandomGrayscale RandomHue RandomInvert RandomPerspective "
     " RandomPosterization RandomRotation RandomSaturation RandomSharpness RandomShear RandomTranslation "
     " RandomZoom ReLU RepeatVector Rescaling Reshape Resizing ReversibleEmbedding STFTSpectrogram "
     " SeparableConv1D SeparableConv2D SeparableConvolution1D SeparableConvolution2D SimpleRNN "
     " SimpleRNNCell Softmax Solarization SpatialDropout1D SpatialDropout2D SpatialDropout3D "
     " SpectralNormalization StackedRNNCells StringLookup Subtract TFSMLayer TextVectorization "
     " TimeDistributed TorchModuleWrapper UnitNormalization UpSampling1D UpSampling2D UpSampling3D Wrapper "
     " ZeroPadding1D ZeroPadding2D ZeroPadding3D "},
    {"activation",
     " celu elu exponential gelu glu hard_shrink hard_sigmoid hard_silu hard_swish hard_tanh leaky_relu "
     " linear log_sigmoid log_softmax mish relu relu6 selu sigmoid silu soft_shrink softmax softplus "
     " softsign sparse_plus sparse_sigmoid sparsemax squareplus swish tanh tanh_shrink threshold "},
    {"initializer",
     " Constant GlorotNormal GlorotUniform HeNormal HeUniform Identity IdentityInitializer LecunNormal "
     " LecunUniform Ones Orthogonal OrthogonalInitializer RandomNormal RandomUniform STFT STFTInitializer "
     " TruncatedNormal VarianceScaling Zeros constant glorot_normal glorot_uniform he_normal he_uniform "
     " identity lecun_normal lecun_uniform ones orthogonal random_normal random_uniform stft "
     " truncated_normal variance_scaling zeros "},
    {"regularizer",
     " L1 L1L2 L2 OrthogonalRegularizer l1 l1_l2 l2 orthogonal_regularizer "},
    {"constraint",
     " MaxNorm MinMaxNorm NonNeg UnitNorm max_norm min_max_norm non_neg unit_norm "},
    {"optimizer",
     " Adadelta Adafactor Adagrad Adam AdamW Adamax Ftrl Lamb Lion LossScaleOptimizer MultiOptimizer Muon "
     " Nadam RMSprop SGD ScheduleFreeAdamW adadelta adafactor adagrad adam adamax adamw ftrl lamb lion "
     " lossscaleoptimizer multioptimizer muon nadam rmsprop schedulefreeadamw sgd "},
    {"schedule",
     " CosineDecay CosineDecayRestarts ExponentialDecay InverseTimeDecay PiecewiseConstantDecay "
     " PolynomialDecay "},
    {"loss",
     " BinaryCrossentropy BinaryFocalCrossentropy CTC CategoricalCrossentropy CategoricalFocalCrossentropy "
     " CategoricalGeneralizedCrossEntropy CategoricalHinge Circle CosineSimilarity Dice Hinge Huber "
     " KLDivergence LogCosh MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError "
     " MeanSquaredLogarithmicError Poisson SparseCategoricalCrossentropy SquaredHinge Tversky "
     " binary_crossentropy binary_focal_crossentropy categorical_crossentropy "
     " categorical_focal_crossentropy categorical_generalized_cross_entropy categorical_hinge circle "
     " cosine_similarity ctc dice hinge huber kl_divergence log_cosh mean_absolute_error "
     " mean_absolute_percentage_error mean_squared_error mean_squared_logarithmic_error poisson "
     " sparse_categorical_crossentropy squared_hinge tversky "},
    {"metric",
     " AUC Accuracy BinaryAccuracy BinaryCrossentropy BinaryIoU CategoricalAccuracy CategoricalCrossentropy "
     " CategoricalHinge ConcordanceCorrelation CosineSimilarity F1Score FBetaScore FalseNegatives "
     " FalsePositives Hinge IoU KLDivergence LogCoshError Mean MeanAbsoluteError "
     " MeanAbsolutePercentageError MeanIoU MeanMetricWrapper MeanSquaredError MeanSquaredLogarithmicError "
     " OneHotIoU OneHotMeanIoU PearsonCorrelation Poisson Precision PrecisionAtRecall R2Score Recall "
     " RecallAtPrecision RootMeanSquaredError SensitivityAtSpecificity SparseCategoricalAccuracy "
     " SparseCategoricalCrossentropy SparseTopKCategoricalAccuracy SpecificityAtSensitivity SquaredHinge "
     " Sum TopKCategoricalAccuracy TrueNegatives TruePositives accuracy auc binary_accuracy "
     " binary_crossentropy binary_focal_crossentropy binary_io_u categorical_accuracy "
     " categorical_crossentropy categorical_focal_crossentropy categorical_hinge concordance_correlation "
     " cosine_similarity f1_score f_beta_score false_negatives false_positives hinge huber io_u "
     " kl_divergence log_cosh log_cosh_error mean mean_absolute_error mean_absolute_percentage_error "
     " mean_io_u mean_metric_wrapper mean_squared_error mean_squared_logarithmic_error one_hot_io_u "
     " one_hot_mean_io_u pearson_correlation poisson precision precision_at_recall r2_score recall "
     " recall_at_precision root_mean_squared_error sensitivity_at_specificity sparse_categorical_accuracy "
     " sparse_categorical_crossentropy sparse_top_k_categorical_accuracy specificity_at_sensitivity "
     " squared_hinge sum top_k_categorical_accuracy true_negatives true_positives "},
};
// clang-format on

}  // namespace

bool is_keras_name(std::string_view kind, std::string_view name) {
  if (name.empty() || name.find(' ') != std::string_view::npos) return false;
  const std::string between_blanks = " " + std::string(name) + " ";
  for (const Names& entry : all_names) {
    if (entry.kind == kind) return entry.names.find(between_blanks) != std::string_view::npos;
  }
  return false;
}

}  // namespace rhyton
