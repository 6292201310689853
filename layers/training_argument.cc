#include <rhyton/layers/training_argument.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <rhyton/framework/serialization/custom_objects.h>

namespace rhyton::layers {
namespace {

// Classes of Keras 3.15. In byte order.

constexpr std::array<std::string_view, 24> with_default_false = {
    "AdditiveAttention",
    "AlphaDropout",
    "Attention",
    "ConvLSTM1D",
    "ConvLSTM2D",
    "ConvLSTM3D",
    "Dropout",
    "FlaxLayer",
    "GRU",
    "GRUCell",
    "GaussianDropout",
    "GaussianNoise",
    "JaxLayer",
    "LSTM",
    "LSTMCell",
    "RNN",
    "SimpleRNN",
    "SimpleRNNCell",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
    "SpectralNormalization",
    "StackedRNNCells",
    "TFSMLayer",
};

constexpr std::array<std::string_view, 32> with_default_true = {
    "AugMix",
    "AutoContrast",
    "CenterCrop",
    "ContrastLimitedAdaptiveHistogramEqualization",
    "CutMix",
    "Equalization",
    "MaxNumBoundingBoxes",
    "MixUp",
    "Pipeline",
    "RandAugment",
    "RandomBrightness",
    "RandomColorDegeneration",
    "RandomColorJitter",
    "RandomContrast",
    "RandomCrop",
    "RandomElasticTransform",
    "RandomErasing",
    "RandomFlip",
    "RandomGaussianBlur",
    "RandomGrayscale",
    "RandomHue",
    "RandomInvert",
    "RandomPerspective",
    "RandomPosterization",
    "RandomRotation",
    "RandomSaturation",
    "RandomSharpness",
    "RandomShear",
    "RandomTranslation",
    "RandomZoom",
    "Resizing",
    "Solarization",
};

static_assert(std::is_sorted(with_default_false.begin(), with_default_false.end()));
static_assert(std::is_sorted(with_default_true.begin(), with_default_true.end()));

std::optional<bool> default_of(std::string_view keras_class) {
  if (std::binary_search(with_default_false.begin(), with_default_false.end(), keras_class)) return false;
  if (std::binary_search(with_default_true.begin(), with_default_true.end(), keras_class)) return true;
  return std::nullopt;
}

std::string text_of(const io::Json& entry, const char* key) {
  const io::Json* const member = entry.find(key);
  return member != nullptr && member->is_string() ? member->as_string() : std::string();
}

/// Legacy files have no module; custom classes are "package>name" there, or a plain name.
bool is_of_keras(const io::Json& entry) {
  const std::string module = text_of(entry, "module");
  if (entry.contains("module")) return module == "keras" || module.starts_with("keras.");
  const std::string name = text_of(entry, "class_name");
  return name.find('>') == std::string::npos && !find_class<Layer>({}, name);
}

}  // namespace

std::optional<bool> default_training(const LayerImpl& layer) {
  const std::string class_name = layer.class_name();
  return registered_name<Layer>(class_name).empty() ? default_of(class_name) : std::nullopt;
}

std::optional<bool> said_training(const io::Json& entry, bool training) {
  const std::optional<bool> silent = is_of_keras(entry) ? default_of(text_of(entry, "class_name")) : false;
  return training == silent ? std::nullopt : std::optional(training);
}

}  // namespace rhyton::layers
