// Workloads of single compiled ops, each in its own Executable.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/benchmarks/workloads/compiled.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace rhyton;

namespace {

Tensor random(const Shape& shape) { return random_normal(shape, /*key=*/1, /*counter=*/0); }

/// The product of two square matrices, with the rows distributed over all threads.
Compiled square_product(std::int64_t size) {
  return Compiled({random({size, size}), random({size, size})}, 1,
                  [](const Tensors& inputs) { return Tensors{rhyton::matmul(inputs[0], inputs[1])}; });
}

/// x · sigmoid(x) + tanh(y) / 2
Tensor elementwise_chain(const Tensor& x, const Tensor& y) { return x * sigmoid(x) + tanh(y) * 0.5; }

const Shape norm_shape = {4096, 512};
const Shape gelu_shape = {4096, 2048};
const Shape chain_shape = {8192, 1024};

double forward_and_backward(const Tensors& inputs, std::function<Tensor(const Tensors&)> function,
                            const std::vector<Variable>& weights = {}) {
  return Compiled(inputs, inputs.size(), with_gradients(std::move(function), weights)).seconds();
}

}  // namespace

io::Json matmul(const Options&) {
  io::Json cases = io::Json::object();
  for (const std::int64_t size : {256, 512, 1024, 2048, 4096}) {
    cases[std::to_string(size)] = square_product(size).seconds();
  }
  return io::Json::object({{"cases", cases}});
}

io::Json transformer_parts(const Options&) {
  const layers::LayerNormalization norm;
  norm.build({-1, norm_shape[1]});
  const Tensor narrow = random(norm_shape);
  const Tensor wide = random(gelu_shape);
  const Tensor many = random(chain_shape);
  io::Json cases = io::Json::object();
  cases["layer norm"] = forward_and_backward(
      {narrow, narrow}, [&](const Tensors& x) { return norm(x[0]); }, norm.trainable_weights());
  cases["softmax"] = forward_and_backward({narrow, narrow}, [](const Tensors& x) { return softmax(x[0]); });
  cases["GELU"] = forward_and_backward({wide, wide}, [](const Tensors& x) { return activations::gelu(x[0]); });
  cases["elementwise chain"] =
      forward_and_backward({many, many, many}, [](const Tensors& x) { return elementwise_chain(x[0], x[1]); });
  return io::Json::object({{"cases", cases}});
}

io::Json roofline(const Options&) {
  io::Json points = io::Json::array();
  const auto add = [&points](const std::string& name, const std::string& kind, Compiled compiled) {
    points.push_back(io::Json::object({{"name", name},
                                       {"kind", kind},
                                       {"operations", compiled.operations()},
                                       {"bytes", compiled.bytes()},
                                       {"seconds", compiled.seconds()}}));
  };
  for (const std::int64_t size : {64, 256, 1024, 2048}) {
    add("matmul " + std::to_string(size), "matmul", square_product(size));
  }
  const auto add_layer = [&](const std::string& name, const std::string& kind, const layers::Layer& layer,
                             const Shape& shape) {
    layer.build(shape);
    add(name, kind, Compiled({random(shape)}, 1, [layer](const Tensors& x) { return Tensors{layer(x[0])}; }));
  };
  // Those of the MNIST CNN and ResNet-20, on a batch of 128.
  add_layer("Conv2D 1→32, 28×28", "convolution", layers::Conv2D(32, {3, 3}), {128, 28, 28, 1});
  add_layer("Conv2D 32→64, 13×13", "convolution", layers::Conv2D(64, {3, 3}), {128, 13, 13, 32});
  add_layer("Conv2D 16→16, 32×32", "convolution", layers::Conv2D(16, {3, 3}, {.padding = "same"}), {128, 32, 32, 16});
  add_layer("Conv2D 64→64, 8×8", "convolution", layers::Conv2D(64, {3, 3}, {.padding = "same"}), {128, 8, 8, 64});
  add_layer("Dense 784→512", "matmul", layers::Dense(512), {128, 784});
  add_layer("LayerNormalization", "elementwise", layers::LayerNormalization(), norm_shape);
  add_layer("Softmax", "elementwise", layers::Softmax(), norm_shape);
  add_layer("GELU", "elementwise", layers::Activation("gelu"), gelu_shape);
  add("x·sigmoid(x) + tanh(y)/2", "elementwise",
      Compiled({random(chain_shape), random(chain_shape)}, 2,
               [](const Tensors& x) { return Tensors{elementwise_chain(x[0], x[1])}; }));
  return io::Json::object({{"points", points}});
}

}  // namespace workloads
