#include <rhyton/applications/inception_resnet_v2.h>

#include <cstdint>
#include <vector>

#include <rhyton/applications/base_application.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/pooling/average_pooling2d.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::applications::inception_resnet_v2 {
namespace {

/// All arguments of CustomScaleLayer.
struct CustomScaleArguments {
  double scale = 1.0;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("scale", self.scale);
  }
};

/// x + scale · y, a layer of Keras's module of this name.
class CustomScaleLayer final : public layers::LayerImpl {
 public:
  static constexpr const char* keras_name = "CustomScaleLayer";
  using Arguments = CustomScaleArguments;

  explicit CustomScaleLayer(const CustomScaleArguments& arguments)
      : LayerImpl(layers::base_options(arguments)), arguments_(arguments) {
    mark_built();
  }

  std::string class_name() const override { return keras_name; }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    if (inputs.size() != 2) {
      throw ValueError("Layer \"" + name() + "\" expects 2 inputs, received " + std::to_string(inputs.size()) + ".");
    }
    return {inputs[0] + inputs[1] * arguments_.scale};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 private:
  CustomScaleArguments arguments_;
};

layers::Layer custom_scale_layer(const CustomScaleArguments& arguments) {
  return layers::make_layer<CustomScaleLayer>(arguments);
}

/// So that files with such a model are read also by programs that do not make one.
[[maybe_unused]] const bool is_registered = [] {
  layers::register_builtin(
      CustomScaleLayer::keras_name,
      [](const io::Json& config) { return custom_scale_layer(layers::read_layer<CustomScaleLayer>(config)); },
      "keras.src.applications.inception_resnet_v2");
  return true;
}();

struct Convolution {
  std::int64_t filters;
  layers::Size2 kernel_size;
  std::int64_t stride = 1;
  std::string padding = "same";
  std::string name = {};
};

/// A convolution, its normalization and ReLU.
SymbolicTensor convolved(const SymbolicTensor& x, const Convolution& convolution) {
  const std::string& name = convolution.name;
  SymbolicTensor y = layers::Conv2D(
      convolution.filters, convolution.kernel_size,
      {.strides = convolution.stride, .padding = convolution.padding, .use_bias = false, .name = name})(x);
  const int axis = channel_axis_from_front();
  y = layers::BatchNormalization({.axis = axis, .scale = false, .name = name.empty() ? "" : name + "_bn"})(y);
  return layers::Activation("relu", {.name = name.empty() ? "" : name + "_ac"})(y);
}

SymbolicTensor convolved(SymbolicTensor x, const std::vector<Convolution>& convolutions) {
  for (const Convolution& convolution : convolutions) x = convolved(x, convolution);
  return x;
}

SymbolicTensor joined(const std::vector<SymbolicTensor>& branches, const std::string& name) {
  return layers::Concatenate({.axis = channel_axis_from_front(), .name = name})(branches);
}

SymbolicTensor halved(const SymbolicTensor& x) { return layers::MaxPooling2D(3, {.strides = 2})(x); }

/// Inception modules whose outputs are scaled and added to their input.
struct Block {
  std::string type;
  double scale;
  std::vector<std::vector<Convolution>> branches;
};

SymbolicTensor residual(const SymbolicTensor& x, const Block& block, int number, double scale, bool has_relu) {
  const std::string name = block.type + "_" + std::to_string(number);
  std::vector<SymbolicTensor> outputs;
  for (const std::vector<Convolution>& branch : block.branches) outputs.push_back(convolved(x, branch));
  const SymbolicTensor mixed = joined(outputs, name + "_mixed");
  const SymbolicTensor up = layers::Conv2D(channels_of(x), 1, {.padding = "same", .name = name + "_conv"})(mixed);
  const SymbolicTensor sum = custom_scale_layer({.scale = scale})({x, up});
  return has_relu ? layers::Activation("relu", {.name = name + "_ac"})(sum) : sum;
}

SymbolicTensor residuals(SymbolicTensor x, const Block& block, int count) {
  for (int number = 1; number <= count; ++number) x = residual(x, block, number, block.scale, true);
  return x;
}

SymbolicTensor make_features(const SymbolicTensor& image) {
  const Block block35 = {"block35", 0.17, {{{32, 1}}, {{32, 1}, {32, 3}}, {{32, 1}, {48, 3}, {64, 3}}}};
  const Block block17 = {"block17", 0.1, {{{192, 1}}, {{128, 1}, {160, {1, 7}}, {192, {7, 1}}}}};
  const Block block8 = {"block8", 0.2, {{{192, 1}}, {{192, 1}, {224, {1, 3}}, {256, {3, 1}}}}};

  SymbolicTensor x = convolved(image, {{32, 3, 2, "valid"}, {32, 3, 1, "valid"}, {64, 3}});
  x = convolved(halved(x), {{80, 1, 1, "valid"}, {192, 3, 1, "valid"}});
  x = halved(x);

  SymbolicTensor first = convolved(x, {.filters = 96, .kernel_size = 1});
  SymbolicTensor second = convolved(x, {{48, 1}, {64, 5}});
  SymbolicTensor third = convolved(x, {{64, 1}, {96, 3}, {96, 3}});
  SymbolicTensor pool = layers::AveragePooling2D(3, {.strides = 1, .padding = "same"})(x);
  pool = convolved(pool, {.filters = 64, .kernel_size = 1});
  x = residuals(joined({first, second, third, pool}, "mixed_5b"), block35, 10);

  first = convolved(x, {.filters = 384, .kernel_size = 3, .stride = 2, .padding = "valid"});
  second = convolved(x, {{256, 1}, {256, 3}, {384, 3, 2, "valid"}});
  x = residuals(joined({first, second, halved(x)}, "mixed_6a"), block17, 20);

  first = convolved(x, {{256, 1}, {384, 3, 2, "valid"}});
  second = convolved(x, {{256, 1}, {288, 3, 2, "valid"}});
  third = convolved(x, {{256, 1}, {288, 3}, {320, 3, 2, "valid"}});
  x = residuals(joined({first, second, third, halved(x)}, "mixed_7a"), block8, 9);
  x = residual(x, block8, 10, 1.0, false);
  return convolved(x, {.filters = 1536, .kernel_size = 1, .name = "conv_7b"});
}

}  // namespace

Model InceptionResNetV2(const ApplicationOptions& options) {
  check_options(options);
  const std::string folder = "inception_resnet_v2";
  const std::string file = folder + "_weights_tf_dim_ordering_tf_kernels";
  return make_application(
      {.name = folder,
       .input_shape = input_shape_of(options, {.default_size = 299, .min_size = 75}),
       .features = make_features,
       .top = [&](const SymbolicTensor& features) { return dense_top(features, options, "avg_pool"); },
       .imagenet = options.include_top ? imagenet_file(folder, file + ".h5", "e693bd0210a403b3192acc6073ad2e96")
                                       : imagenet_file(folder, file + "_notop.h5", "d19885ff4a710c122648d3b5c3b684e4")},
      options);
}

}  // namespace rhyton::applications::inception_resnet_v2
