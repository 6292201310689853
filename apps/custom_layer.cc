// A custom layer: a dense layer with one scale for all its units, in a model with built-in layers.

#include <iostream>

#include <rhyton/rhyton.h>

using namespace rhyton;

class ScaledDense final : public layers::LayerImpl {
 public:
  explicit ScaledDense(std::int64_t units) : LayerImpl(layers::LayerOptions{}), units_(units) {}

  std::string class_name() const override { return "ScaledDense"; }

  void build(const std::vector<Shape>& input_shapes) override {
    kernel_ = add_weight({.shape = {input_shapes[0].at(-1), units_}, .initializer = "he_normal", .name = "kernel"});
    scale_ = add_weight({.shape = {}, .initializer = "ones", .name = "scale"});
  }

  // `call` needs only ops: shapes, gradients, compilation and devices follow from them.
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool /*training*/) override {
    return {matmul(inputs[0], kernel_) * scale_};
  }

 private:
  std::int64_t units_;
  Variable kernel_;
  Variable scale_;
};

int main() {
  set_random_seed(1);
  // y = sin(x) at 256 points.
  const Tensor x = random_uniform({256, 1}, /*key=*/7, /*counter=*/0, -3.0, 3.0);
  const Tensor y = sin(x);

  models::Sequential model({
      layers::Input({.shape = {1}}),
      layers::Dense(32, {.activation = "tanh"}),
      layers::make_layer<ScaledDense>(32),
      layers::Activation("relu"),
      layers::Dense(1),
  });
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"});
  auto history = model.fit(x, y, {.epochs = 60, .verbose = 0});
  std::cout << "mean squared error: " << history["loss"].front() << " -> " << history["loss"].back() << "\n";
  return history["loss"].back() < 0.01 ? 0 : 1;
}
