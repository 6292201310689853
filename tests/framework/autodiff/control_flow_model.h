#pragma once

#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/control_flow.h>
#include <rhyton/framework/ops/scan.h>
#include <rhyton/rhyton.h>

namespace rhyton::test {

/// Drops units in every second training step, which it counts, and otherwise repeats a product, one more time each
/// time.
class Alternating final : public layers::LayerImpl {
 public:
  Alternating() : LayerImpl(layers::LayerOptions{.name = "alternating"}) {}
  std::string class_name() const override { return "Alternating"; }

  void build(const std::vector<Shape>& input_shapes) override {
    kernel_ = add_weight({.shape = {6, 6}, .initializer = "glorot_uniform", .name = "kernel"});
    steps_ = add_weight({.shape = {}, .initializer = "zeros", .trainable = false, .name = "steps"});
    dropped_ = add_weight({.shape = {}, .initializer = "zeros", .trainable = false, .name = "dropped"});
    dropout_.build(input_shapes[0]);
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    const Tensor& x = inputs[0];
    if (training) steps_.assign_add(Tensor::scalar(1.0f));
    const Tensor half = steps_.value() / 2.0;
    return {cond(
        equal(floor(half), half),
        [&] {
          if (training) dropped_.assign_add(Tensor::scalar(1.0f));
          return dropout_(matmul(x, kernel_), {.training = training});
        },
        [&] {
          return fori_loop(
              Tensor::scalar(0), cast(half, DType::int32),
              [&](const Tensor&, const Tensor& y) { return tanh(matmul(y, kernel_)) * 0.7 + y; }, x);
        })};
  }

 private:
  layers::Dropout dropout_ = track("dropout", layers::Dropout(0.5, {.seed = 5}));
  Variable kernel_;
  Variable steps_;
  Variable dropped_;
};

/// A recurrent layer on scan: [batch, steps, features] -> [batch, 6].
class Recurrent final : public layers::LayerImpl {
 public:
  Recurrent() : LayerImpl(layers::LayerOptions{.name = "recurrent"}) {}
  std::string class_name() const override { return "Recurrent"; }

  void build(const std::vector<Shape>& input_shapes) override {
    kernel_ = add_weight({.shape = {input_shapes[0][2], 6}, .initializer = "glorot_uniform", .name = "kernel"});
    recurrent_ = add_weight({.shape = {6, 6}, .initializer = "orthogonal", .name = "recurrent"});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor rows = transpose(matmul(inputs[0], kernel_), {1, 0, 2});
    const auto step = [&](const Tensor& h, const Tensor& row) {
      return std::pair(tanh(row + matmul(h, recurrent_)), Tensor());
    };
    return {scan(step, zeros_like(rows[0]), rows).first};
  }

 private:
  Variable kernel_;
  Variable recurrent_;
};

/// A compiled model of both layers and a dense one; always the same.
inline models::Model make_control_flow_model(bool run_eagerly = false) {
  set_random_seed(3);
  models::Sequential model({layers::Input({.shape = {4, 5}}), layers::make_layer<Recurrent>(),
                            layers::make_layer<Alternating>(), layers::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse", .run_eagerly = run_eagerly});
  return model;
}

}  // namespace rhyton::test
