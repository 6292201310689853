#include <rhyton/applications/convnext.h>

#include <array>
#include <cstddef>
#include <vector>

#include <rhyton/applications/base_application.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/normalization/layer_normalization.h>
#include <rhyton/layers/pooling/global_average_pooling2d.h>
#include <rhyton/layers/preprocessing/normalization.h>
#include <rhyton/layers/regularization/dropout_mask.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/layers/symbolic_operators.h>
#include <rhyton/models/sequential.h>

namespace rhyton::applications::convnext {
namespace {

/// All arguments of StochasticDepth.
struct StochasticDepthArguments {
  double drop_path_rate = 0.0;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("drop_path_rate", self.drop_path_rate);
  }
};

/// During training, sets a fraction of the samples to 0 and scales the others up: a layer of Keras's module of this
/// name. The models here do without it, but files may have it.
class StochasticDepth final : public layers::LayerImpl {
 public:
  static constexpr const char* keras_name = "StochasticDepth";
  using Arguments = StochasticDepthArguments;

  explicit StochasticDepth(const StochasticDepthArguments& arguments)
      : LayerImpl(layers::base_options(arguments)), arguments_(arguments) {
    const double rate = arguments.drop_path_rate;
    if (!(rate >= 0 && rate <= 1)) {
      throw ValueError("`drop_path_rate` must be between 0 and 1. Received: drop_path_rate=" + io::Json(rate).dump());
    }
    if (rate > 0) state_ = add_state(layers::first_dropout_draw(std::nullopt), "seed_generator_state");
    mark_built();
  }

  std::string class_name() const override { return keras_name; }
  void check_inputs(const std::vector<Shape>& inputs) const override { layers::check_input(*this, inputs); }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    const Tensor& x = inputs[0];
    const double rate = arguments_.drop_path_rate;
    if (!training || rate == 0) return {x};
    const Tensor draw = layers::next_dropout_draw(state_);
    if (rate == 1) return {zeros_like(x)};
    // One factor for each sample; its shape follows the batch of x.
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(x.rank()), 1);
    if (!sizes.empty()) sizes.front() = x.shape()[0];
    const Tensor samples = slice(stop_gradient(x), std::vector<std::int64_t>(sizes.size(), 0), sizes);
    return {x * dropout_factors(samples, rate, layers::dropout_mask_key, draw, layers::first_sample_of(x))};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 private:
  StochasticDepthArguments arguments_;
  /// Counts the training calls, each of which draws anew.
  Variable state_;
};

/// All arguments of LayerScale.
struct LayerScaleArguments {
  double init_values = 0.0;
  std::int64_t projection_dim = 0;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("init_values", self.init_values);
    fields.required("projection_dim", self.projection_dim);
  }
};

/// x · gamma, with one learned factor for each channel: a layer of Keras's module of this name.
class LayerScale final : public layers::LayerImpl {
 public:
  static constexpr const char* keras_name = "LayerScale";
  using Arguments = LayerScaleArguments;

  explicit LayerScale(const LayerScaleArguments& arguments)
      : LayerImpl(layers::base_options(arguments)), arguments_(arguments) {}

  std::string class_name() const override { return keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    layers::check_input(*this, inputs);
    const Shape& shape = inputs[0];
    const std::int64_t channels = shape.rank() == 0 ? 1 : shape.at(-1);
    const std::int64_t expected = arguments_.projection_dim;
    if (channels == expected || channels == 1 || channels < 0 || expected == 1) return;
    throw ValueError("Layer \"" + name() + "\" has projection_dim=" + std::to_string(expected) +
                     ", but received an input of shape " + shape.to_string() + ".");
  }

  void build(const std::vector<Shape>&) override {
    gamma_ = add_weight(
        {.shape = {arguments_.projection_dim}, .initializer = initializers::Constant(arguments_.init_values)});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {inputs[0] * to_compute_dtype(gamma_)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 private:
  LayerScaleArguments arguments_;
  Variable gamma_;
};

template <class Impl>
void register_class() {
  layers::register_builtin(
      Impl::keras_name,
      [](const io::Json& config) { return layers::make_layer<Impl>(layers::read_layer<Impl>(config)); },
      "keras.src.applications.convnext");
}

/// So that files with such a model are read also by programs that do not make one.
[[maybe_unused]] const bool is_registered = [] {
  register_class<StochasticDepth>();
  register_class<LayerScale>();
  return true;
}();

constexpr std::size_t stage_count = 4;
constexpr double epsilon = 1e-6;
constexpr double initial_scale = 1e-6;

/// One of the models.
struct Variant {
  std::string name;
  /// The blocks of each stage and their filters.
  std::array<std::int64_t, stage_count> depths;
  std::array<std::int64_t, stage_count> filters;
  std::string sha256;
  std::string sha256_without_top;
};

constexpr std::array<std::int64_t, stage_count> usual_depths = {3, 3, 27, 3};

layers::Layer layer_normalization(const std::string& name) {
  return layers::LayerNormalization({.epsilon = epsilon, .name = name});
}

SymbolicTensor normalized_image(const SymbolicTensor& image, const std::string& name) {
  const auto variance = [](double deviation) { return deviation * 255 * (deviation * 255); };
  return layers::Normalization({.mean = {0.485 * 255, 0.456 * 255, 0.406 * 255},
                                .variance = {variance(0.229), variance(0.224), variance(0.225)},
                                .name = name + "_prestem_normalization"})(image);
}

/// The layers before each stage, which make images smaller.
std::vector<models::Sequential> reductions(const Variant& variant, const std::string& name) {
  std::vector<models::Sequential> results;
  results.push_back(
      models::Sequential({layers::Conv2D(variant.filters.front(), 4, {.strides = 4, .name = name + "_stem_conv"}),
                          layer_normalization(name + "_stem_layernorm")},
                         {.name = name + "_stem"}));
  for (std::size_t i = 1; i < stage_count; ++i) {
    const std::string number = std::to_string(i - 1);
    const std::string convolution = name + "_downsampling_conv_" + number;
    results.push_back(
        models::Sequential({layer_normalization(name + "_downsampling_layernorm_" + number),
                            layers::Conv2D(variant.filters.at(i), 2, {.strides = 2, .name = convolution})},
                           {.name = name + "_downsampling_block_" + number}));
  }
  return results;
}

SymbolicTensor make_block(const SymbolicTensor& input, std::int64_t filters, const std::string& name) {
  SymbolicTensor x =
      layers::Conv2D(filters, 7, {.padding = "same", .groups = filters, .name = name + "_depthwise_conv"})(input);
  x = layer_normalization(name + "_layernorm")(x);
  x = layers::Dense(4 * filters, {.name = name + "_pointwise_conv_1"})(x);
  x = layers::Activation("gelu", {.name = name + "_gelu"})(x);
  x = layers::Dense(filters, {.name = name + "_pointwise_conv_2"})(x);
  x = layers::make_layer<LayerScale>(
      LayerScaleArguments{.init_values = initial_scale, .projection_dim = filters, .name = name + "_layer_scale"})(x);
  return input + layers::Activation("linear", {.name = name + "_identity"})(x);
}

SymbolicTensor make_features(const SymbolicTensor& image, const Variant& variant, const std::string& name,
                             bool include_preprocessing) {
  SymbolicTensor x = image;
  if (include_preprocessing && channels_of(image) == 3) x = normalized_image(x, name);
  const std::vector<models::Sequential> smaller = reductions(variant, name);
  for (std::size_t i = 0; i < stage_count; ++i) {
    x = smaller[i](x);
    for (std::int64_t j = 0; j < variant.depths.at(i); ++j) {
      x = make_block(x, variant.filters.at(i), name + "_stage_" + std::to_string(i) + "_block_" + std::to_string(j));
    }
  }
  return x;
}

SymbolicTensor make_top(const SymbolicTensor& features, const ApplicationOptions& options, const std::string& name) {
  SymbolicTensor x = layers::GlobalAveragePooling2D({.name = name + "_head_gap"})(features);
  x = layer_normalization(name + "_head_layernorm")(x);
  return layers::Dense(options.classes, {.activation = options.classifier_activation, .name = name + "_head_dense"})(x);
}

Model make_convnext(const Variant& variant, const ConvNeXtOptions& options) {
  if (layers::ImageLayout().channels_first()) {
    throw ValueError(
        "ConvNeXt does not support the `channels_first` image data format. Switch to `channels_last` by editing your "
        "local config file at ~/.keras/keras.json");
  }
  const ApplicationOptions common = common_options(options);
  check_options(common);
  const std::string& name = options.name.empty() ? variant.name : options.name;
  const std::string folder = "convnext";
  return make_application(
      {.name = name,
       .input_shape = input_shape_of(common, {}),
       .features =
           [&](const SymbolicTensor& image) {
             return make_features(image, variant, name, options.include_preprocessing);
           },
       .top = [&](const SymbolicTensor& features) { return make_top(features, common, name); },
       .after_pooling = [](const SymbolicTensor& features) { return layer_normalization("")(features); },
       .imagenet = options.include_top ? imagenet_file(folder, variant.name + ".h5", variant.sha256)
                                       : imagenet_file(folder, variant.name + "_notop.h5", variant.sha256_without_top)},
      common);
}

}  // namespace

Model ConvNeXtTiny(const ConvNeXtOptions& options) {
  return make_convnext({.name = "convnext_tiny",
                        .depths = {3, 3, 9, 3},
                        .filters = {96, 192, 384, 768},
                        .sha256 = "8ae6e78ce2933352b1ef4008e6dd2f17bc40771563877d156bc6426c7cf503ff",
                        .sha256_without_top = "d547c096cabd03329d7be5562c5e14798aa39ed24b474157cef5e85ab9e49ef1"},
                       options);
}

Model ConvNeXtSmall(const ConvNeXtOptions& options) {
  return make_convnext({.name = "convnext_small",
                        .depths = usual_depths,
                        .filters = {96, 192, 384, 768},
                        .sha256 = "ce1277d8f1ee5a0ef0e171469089c18f5233860ceaf9b168049cb9263fd7483c",
                        .sha256_without_top = "6fc8009faa2f00c1c1dfce59feea9b0745eb260a7dd11bee65c8e20843da6eab"},
                       options);
}

Model ConvNeXtBase(const ConvNeXtOptions& options) {
  return make_convnext({.name = "convnext_base",
                        .depths = usual_depths,
                        .filters = {128, 256, 512, 1024},
                        .sha256 = "52cbb006d3dadd03f6e095a8ca1aca47aecdd75acb4bc74bce1f5c695d0086e6",
                        .sha256_without_top = "40a20c5548a5e9202f69735ecc06c990e6b7c9d2de39f0361e27baeb24cb7c45"},
                       options);
}

Model ConvNeXtLarge(const ConvNeXtOptions& options) {
  return make_convnext({.name = "convnext_large",
                        .depths = usual_depths,
                        .filters = {192, 384, 768, 1536},
                        .sha256 = "070c5ed9ed289581e477741d3b34beffa920db8cf590899d6d2c67fba2a198a6",
                        .sha256_without_top = "96f02b6f0753d4f543261bc9d09bed650f24dd6bc02ddde3066135b63d23a1cd"},
                       options);
}

Model ConvNeXtXLarge(const ConvNeXtOptions& options) {
  return make_convnext({.name = "convnext_xlarge",
                        .depths = usual_depths,
                        .filters = {256, 512, 1024, 2048},
                        .sha256 = "c1f5ccab661354fc3a79a10fa99af82f0fbf10ec65cb894a3ae0815f17a889ee",
                        .sha256_without_top = "de3f8a54174130e0cecdc71583354753d557fcf1f4487331558e2a16ba0cfe05"},
                       options);
}

}  // namespace rhyton::applications::convnext
