#include <rhyton/benchmarks/workloads/models.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace workloads {

using namespace rhyton;

models::Sequential mnist_cnn(double width, int depth) {
  const auto filters = [width](double count) { return static_cast<std::int64_t>(std::lround(width * count)); };
  models::Sequential model({
      layers::Input({.shape = {28, 28, 1}}),
      layers::Conv2D(filters(32), {3, 3}, {.activation = "relu"}),
      layers::MaxPooling2D({2, 2}),
      layers::Conv2D(filters(64), {3, 3}, {.activation = "relu"}),
      layers::MaxPooling2D({2, 2}),
  });
  for (int i = 1; i < depth; ++i) {
    model.add(layers::Conv2D(filters(64), {3, 3}, {.padding = "same", .activation = "relu"}));
  }
  model.add(layers::Conv2D(filters(64), {3, 3}, {.activation = "relu"}));
  model.add(layers::Flatten());
  model.add(layers::Dense(64, {.activation = "relu"}));
  model.add(layers::Dense(10));
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
  return model;
}

namespace {

layers::SymbolicTensor convolution(const layers::SymbolicTensor& x, std::int64_t filters, std::int64_t size,
                                   std::int64_t stride) {
  const layers::SymbolicTensor y =
      layers::Conv2D(filters, {size, size}, {.strides = {stride, stride}, .padding = "same", .use_bias = false})(x);
  return layers::BatchNormalization()(y);
}

layers::SymbolicTensor block(const layers::SymbolicTensor& x, std::int64_t filters, std::int64_t stride) {
  layers::SymbolicTensor y = layers::ReLU()(convolution(x, filters, 3, stride));
  y = convolution(y, filters, 3, 1);
  const layers::SymbolicTensor shortcut = stride == 1 ? x : convolution(x, filters, 1, stride);
  return layers::ReLU()(y + shortcut);
}

}  // namespace

models::Model resnet20_model() {
  const layers::SymbolicTensor input = layers::Input({.shape = {32, 32, 3}});
  layers::SymbolicTensor x = layers::ReLU()(convolution(input, 16, 3, 1));
  for (const std::int64_t filters : {16, 32, 64}) {
    for (int i = 0; i < 3; ++i) x = block(x, filters, filters > 16 && i == 0 ? 2 : 1);
  }
  const layers::SymbolicTensor output = layers::Dense(10)(layers::GlobalAveragePooling2D()(x));
  models::Model model({.inputs = input, .outputs = output});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01, .momentum = 0.9}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  return model;
}

namespace {

models::Sequential dense_model(const std::vector<std::int64_t>& hidden) {
  models::Sequential model({layers::Input({.shape = {784}})});
  for (const std::int64_t units : hidden) model.add(layers::Dense(units, {.activation = "relu"}));
  model.add(layers::Dense(10));
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  return model;
}

}  // namespace

models::Sequential mlp_model() { return dense_model({512, 512}); }

models::Sequential wide_mlp_model() { return dense_model({4096, 4096, 1216}); }

models::Sequential deep_mlp_model() { return dense_model(std::vector<std::int64_t>(7, 2048)); }

models::Sequential text_model() {
  models::Sequential model({
      layers::Input({.shape = {200}, .dtype = "int32"}),
      layers::Embedding(20000, 64),
      layers::GlobalAveragePooling1D(),
      layers::Dense(64, {.activation = "relu"}),
      layers::Dense(1),
  });
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                 .loss = losses::BinaryCrossentropy({.from_logits = true})});
  return model;
}

models::Model encoder_model() {
  constexpr std::int64_t width = 512;
  const layers::SymbolicTensor input = layers::Input({.shape = {128, width}});
  const layers::SymbolicTensor attended = layers::MultiHeadAttention(8, width / 8)(input, {.args = {input}});
  const layers::SymbolicTensor x = layers::LayerNormalization()(input + attended);
  const layers::SymbolicTensor hidden = layers::Dense(4 * width, {.activation = "relu"})(x);
  const layers::SymbolicTensor output = layers::LayerNormalization()(x + layers::Dense(width)(hidden));
  models::Model model({.inputs = input, .outputs = output});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}), .loss = "mse"});
  return model;
}

namespace {

class MinimalGatedCell final : public layers::RNNCellImpl {
 public:
  explicit MinimalGatedCell(std::int64_t units) : RNNCellImpl(layers::LayerOptions{}), units_(units) {}

  std::string class_name() const override { return "MinimalGatedCell"; }
  std::vector<std::int64_t> state_size() const override { return {units_}; }
  void build(const std::vector<Shape>& inputs) override {
    const std::int64_t features = inputs[0].at(-1);
    kernel_ = add_weight({.shape = {features, 2 * units_}, .name = "kernel"});
    gate_ = add_weight({.shape = {units_, units_}, .initializer = "orthogonal", .name = "gate"});
    candidate_ = add_weight({.shape = {units_, units_}, .initializer = "orthogonal", .name = "candidate"});
    bias_ = add_weight({.shape = {2 * units_}, .initializer = "zeros", .name = "bias"});
  }
  layers::CellResult step(const Tensor& inputs, const std::vector<Tensor>& states, bool /*training*/) override {
    const Tensor& h = states[0];
    const Tensor x = matmul(inputs, kernel_) + bias_;
    const Tensor forget = sigmoid(x[{Slice(), Slice(0, units_)}] + matmul(h, gate_));
    const Tensor candidate = tanh(x[{Slice(), Slice(units_, {})}] + matmul(forget * h, candidate_));
    const Tensor y = h + forget * (candidate - h);
    return {.output = y, .states = {y}};
  }

 private:
  std::int64_t units_;
  Variable kernel_;
  Variable gate_;
  Variable candidate_;
  Variable bias_;
};

models::Sequential regression(const std::vector<layers::Layer>& layers) {
  models::Sequential model(layers);
  model.add(layers::Dense(1));
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}), .loss = "mse"});
  return model;
}

}  // namespace

models::Sequential recurrent_model(const std::string& kind, bool is_masked) {
  std::vector<layers::Layer> model = {layers::Input({.shape = {64, 128}})};
  if (is_masked) model.push_back(layers::Masking());
  model.push_back(kind == "LSTM" ? layers::Layer(layers::LSTM(128)) : layers::Layer(layers::GRU(128)));
  return regression(model);
}

models::Sequential custom_cell_model() {
  return regression({layers::Input({.shape = {64, 128}}), layers::RNN(layers::make_layer<MinimalGatedCell>(128))});
}

models::Sequential conv_lstm_model() {
  return regression({layers::Input({.shape = {10, 32, 32, 8}}), layers::ConvLSTM2D(16, {3, 3}, {.padding = "same"}),
                     layers::GlobalAveragePooling2D()});
}

}  // namespace workloads
