#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/clip.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layers.h>
#include <rhyton/models/custom_model.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/metrics/regression.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/rmsprop.h>
#include <rhyton/optimizers/sgd.h>

// The models of tests/golden/make_custom_steps.py.

namespace rhyton::models::test_models {

using layers::Layer;

/// 3 -> tanh(8) -> 2.
inline ModelOptions perceptron() {
  const layers::SymbolicTensor x = layers::Input({.shape = {3}, .name = "x"});
  const layers::SymbolicTensor hidden = layers::Dense(8, {.activation = "tanh"})(x);
  return {.inputs = x, .outputs = layers::Dense(2)(hidden)};
}

/// Repeats the default step.
class CustomStep final : public FunctionalImpl {
 public:
  using FunctionalImpl::FunctionalImpl;
  std::string class_name() const override { return "CustomStep"; }

  StepLogs train_step(const StepData& data) override {
    GradientTape tape;
    const std::vector<Tensor> y_pred = invoke(data.x, {.training = true});
    const Tensor loss = compute_loss({.x = data.x, .y = data.y, .y_pred = y_pred, .sample_weight = data.sample_weight});
    optimizer().apply(tape.gradient(loss, trainable_variables()), trainable_variables());
    loss_tracker().update_state(loss, Tensor::scalar(static_cast<float>(data.x[0].shape()[0])));
    return compute_metrics({.x = data.x, .y = data.y, .y_pred = y_pred, .sample_weight = data.sample_weight});
  }
};

/// The same with the loop over the metrics of Keras's guide, which counts every batch once.
class MetricsLoop final : public FunctionalImpl {
 public:
  using FunctionalImpl::FunctionalImpl;
  std::string class_name() const override { return "CustomStep"; }

  StepLogs train_step(const StepData& data) override {
    const auto& [x, y, sample_weight] = data;
    GradientTape tape;
    const std::vector<Tensor> y_pred = invoke(x, {.training = true});
    const Tensor loss = compute_loss({.x = x, .y = y, .y_pred = y_pred, .sample_weight = sample_weight});
    optimizer().apply(tape.gradient(loss, trainable_variables()), trainable_variables());
    for (const metrics::Metric& metric : metrics()) {
      if (metric.name() == "loss") {
        loss_tracker().update_state(loss);
      } else {
        metric.update_state(y[0], y_pred[0], sample_weight.empty() ? Tensor() : sample_weight[0]);
      }
    }
    return get_metrics_result();
  }
};

/// Overrides the loss alone, and tracks a part of it.
class CustomLoss final : public FunctionalImpl {
 public:
  using FunctionalImpl::FunctionalImpl;
  std::string class_name() const override { return "CustomLoss"; }

  Tensor compute_loss(const LossArguments& arguments) override {
    const Tensor penalty = mean(abs(arguments.y_pred[0])) * mean(square(arguments.x[0]));
    penalty_tracker_.update_state(penalty);
    return FunctionalImpl::compute_loss(arguments) + 0.1 * penalty;
  }

 private:
  metrics::Mean penalty_tracker_ = track("penalty_tracker", metrics::Mean({.name = "penalty"}));
};

/// Its own loss, trackers and all steps; clips gradients by their norm.
class OwnTrackers final : public FunctionalImpl {
 public:
  using FunctionalImpl::FunctionalImpl;
  std::string class_name() const override { return "OwnTrackers"; }

  StepLogs train_step(const StepData& data) override {
    GradientTape tape;
    const Tensor y_pred = invoke(data.x, {.training = true})[0];
    const Tensor loss = mean(square(data.y[0] - y_pred));
    std::vector<Tensor> gradients = tape.gradient(loss, trainable_variables());
    Tensor squares = Tensor::scalar(0.0f);
    for (const Tensor& gradient : gradients) squares = squares + sum(square(gradient));
    const Tensor norm = sqrt(squares);
    const Tensor scale = minimum(Tensor::scalar(1.0f), 0.5 / norm);
    for (Tensor& gradient : gradients) gradient = gradient * scale;
    optimizer().apply(gradients, trainable_variables());
    loss_tracker_.update_state(loss);
    mae_metric_.update_state(data.y[0], y_pred);
    return {{"loss", loss_tracker_.result()}, {"mae", mae_metric_.result()}, {"norm", norm}};
  }

  StepLogs test_step(const StepData& data) override {
    const Tensor y_pred = invoke(data.x, {.training = false})[0];
    loss_tracker_.update_state(mean(square(data.y[0] - y_pred)));
    mae_metric_.update_state(data.y[0], y_pred);
    return get_metrics_result();
  }

  std::vector<Tensor> predict_step(const StepData& data) override {
    return {2.0 * invoke(data.x, {.training = false})[0]};
  }

  std::vector<metrics::Metric> metrics() const override { return {loss_tracker_, mae_metric_}; }

 private:
  metrics::Mean loss_tracker_{{.name = "loss"}};
  metrics::MeanAbsoluteError mae_metric_{{.name = "mae"}};
};

/// Two models against each other, each with an optimizer; the data are real samples and latent vectors.
class Gan final : public ModelImpl {
 public:
  Gan() : ModelImpl({.name = "gan"}) {}
  std::string class_name() const override { return "Gan"; }

  void compile(const optimizers::Optimizer& d_optimizer, const optimizers::Optimizer& g_optimizer,
               const losses::Loss& loss_fn) {
    ModelImpl::compile();
    d_optimizer_ = track("d_optimizer", d_optimizer);
    g_optimizer_ = track("g_optimizer", g_optimizer);
    loss_fn_ = loss_fn;
  }

  std::vector<metrics::Metric> metrics() const override { return {d_loss_tracker_, g_loss_tracker_}; }

  StepLogs train_step(const StepData& data) override {
    const Tensor& real = data.x[0];
    const Tensor& latent = data.x[1];
    const std::int64_t count = real.shape()[0];
    const Tensor ones = Tensor::full({count, 1}, 1.0, float32);
    const Tensor zeros = Tensor::zeros({count, 1});

    const Tensor combined = concatenate({generator_(latent), real}, 0);
    GradientTape d_tape;
    const Tensor d_loss = loss_fn_(concatenate({ones, zeros}, 0), discriminator_(combined));
    d_optimizer_.apply(d_tape.gradient(d_loss, discriminator_.trainable_weights()), discriminator_.trainable_weights());

    GradientTape g_tape;
    const Tensor g_loss = loss_fn_(zeros, discriminator_(generator_(latent)));
    g_optimizer_.apply(g_tape.gradient(g_loss, generator_.trainable_weights()), generator_.trainable_weights());

    d_loss_tracker_.update_state(d_loss);
    g_loss_tracker_.update_state(g_loss);
    return {{"d_loss", d_loss_tracker_.result()}, {"g_loss", g_loss_tracker_.result()}};
  }

 private:
  Sequential discriminator_ =
      track("discriminator", Sequential({layers::Input({.shape = {4}}), layers::Dense(6),
                                         layers::LeakyReLU({.negative_slope = 0.2}), layers::Dense(1)}));
  Sequential generator_ =
      track("generator",
            Sequential({layers::Input({.shape = {2}}), layers::Dense(5, {.activation = "tanh"}), layers::Dense(4)}));
  optimizers::Optimizer d_optimizer_;
  optimizers::Optimizer g_optimizer_;
  losses::Loss loss_fn_;
  metrics::Mean d_loss_tracker_{{.name = "d_loss"}};
  metrics::Mean g_loss_tracker_{{.name = "g_loss"}};
};

/// A sample of the distribution, made of the noise; the divergence is a penalty of the call.
class Sampling final : public layers::LayerImpl {
 public:
  Sampling() : LayerImpl({.name = "sampling"}) {}
  std::string class_name() const override { return "Sampling"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool /*training*/) override {
    const Tensor& mean_vector = inputs[0];
    const Tensor& log_var = inputs[1];
    add_loss(mean(sum(-0.5 * (1.0 + log_var - square(mean_vector) - exp(log_var)), {1})));
    return {mean_vector + exp(0.5 * log_var) * inputs[2]};
  }
};

/// A variational autoencoder with a `call` of its own; the data are images and noise.
class Vae final : public ModelImpl {
 public:
  Vae() : ModelImpl({.name = "vae"}) {}
  std::string class_name() const override { return "Vae"; }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool /*training*/) override {
    const Tensor hidden = encoder_(inputs[0]);
    return {decoder_(sampling_(std::vector<Tensor>{mean_(hidden), log_var_(hidden), inputs[1]}))};
  }

  StepLogs train_step(const StepData& data) override {
    GradientTape tape;
    const Tensor reconstruction = invoke(data.x, {.training = true})[0];
    const Tensor reconstruction_loss = mean(losses::binary_crossentropy(data.x[0], reconstruction));
    const Tensor kl_loss = losses().at(0);
    const Tensor loss = reconstruction_loss + kl_loss;
    optimizer().apply(tape.gradient(loss, trainable_variables()), trainable_variables());
    kl_tracker_.update_state(kl_loss);
    return {{"loss", loss}, {"kl_loss", kl_tracker_.result()}};
  }

 private:
  layers::Dense encoder_ = track("encoder", layers::Dense(6, {.activation = "tanh"}));
  layers::Dense mean_ = track("mean", layers::Dense(2));
  layers::Dense log_var_ = track("log_var", layers::Dense(2));
  Layer sampling_ = track("sampling", layers::make_layer<Sampling>());
  Sequential decoder_ =
      track("decoder", Sequential({layers::Input({.shape = {2}}), layers::Dense(6, {.activation = "relu"}),
                                   layers::Dense(4, {.activation = "sigmoid"})}));
  metrics::Mean kl_tracker_ = track("kl_tracker", metrics::Mean({.name = "kl_loss"}));
};

}  // namespace rhyton::models::test_models
