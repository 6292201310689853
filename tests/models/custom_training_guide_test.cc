// The examples of docs/custom_training_steps.md.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/rhyton.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::models {
namespace {

namespace guide {

class CustomModel final : public FunctionalImpl {
 public:
  using FunctionalImpl::FunctionalImpl;
  std::string class_name() const override { return "CustomModel"; }

  StepLogs train_step(const StepData& data) override {
    const auto& [x, y, sample_weight] = data;
    GradientTape tape;
    const std::vector<Tensor> y_pred = invoke(x, {.training = true});
    const Tensor loss = compute_loss({.x = x, .y = y, .y_pred = y_pred, .sample_weight = sample_weight});
    optimizer().apply(tape.gradient(loss, trainable_variables()), trainable_variables());
    loss_tracker().update_state(loss);
    return compute_metrics({.x = x, .y = y, .y_pred = y_pred, .sample_weight = sample_weight});
  }
};

class PenalizedModel final : public FunctionalImpl {
 public:
  using FunctionalImpl::FunctionalImpl;
  std::string class_name() const override { return "PenalizedModel"; }

  Tensor compute_loss(const LossArguments& arguments) override {
    const Tensor penalty = mean(square(arguments.y_pred[0]));
    penalty_tracker_.update_state(penalty);
    return FunctionalImpl::compute_loss(arguments) + 0.1 * penalty;
  }

 private:
  metrics::Mean penalty_tracker_ = track("penalty_tracker", metrics::Mean({.name = "penalty"}));
};

class OwnLoss final : public FunctionalImpl {
 public:
  using FunctionalImpl::FunctionalImpl;
  std::string class_name() const override { return "OwnLoss"; }

  StepLogs train_step(const StepData& data) override {
    GradientTape tape;
    const Tensor y_pred = invoke(data.x, {.training = true})[0];
    const Tensor loss = mean(square(data.y[0] - y_pred));
    std::vector<Tensor> gradients = tape.gradient(loss, trainable_variables());
    for (Tensor& gradient : gradients) gradient = clip(gradient, -0.5, 0.5);
    optimizer().apply(gradients, trainable_variables());
    return updated(loss, data.y[0], y_pred);
  }
  StepLogs test_step(const StepData& data) override {
    const Tensor y_pred = invoke(data.x, {.training = false})[0];
    return updated(mean(square(data.y[0] - y_pred)), data.y[0], y_pred);
  }
  std::vector<Tensor> predict_step(const StepData& data) override {
    return {round(invoke(data.x, {.training = false})[0])};
  }
  std::vector<metrics::Metric> metrics() const override { return {loss_tracker_, mae_metric_}; }

 private:
  StepLogs updated(const Tensor& loss, const Tensor& y, const Tensor& y_pred) {
    loss_tracker_.update_state(loss);
    mae_metric_.update_state(y, y_pred);
    return get_metrics_result();
  }

  metrics::Mean loss_tracker_{{.name = "loss"}};
  metrics::MeanAbsoluteError mae_metric_{{.name = "mae"}};
};

class Sampling final : public layers::LayerImpl {
 public:
  Sampling() : LayerImpl(layers::LayerOptions{}) {}
  std::string class_name() const override { return "Sampling"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool /*training*/) override {
    const Tensor& z_mean = inputs[0];
    const Tensor& z_log_var = inputs[1];
    add_loss(-0.5 * mean(sum(1.0 + z_log_var - square(z_mean) - exp(z_log_var), {1})));
    return {z_mean + exp(0.5 * z_log_var) * random::normal(z_mean.shape(), {.seed = seeds_})};
  }

 private:
  random::SeedGenerator seeds_ = track("seed_generator", random::SeedGenerator(1337));
};

class Vae final : public ModelImpl {
 public:
  explicit Vae(int latent_dim) : latent_dim_(latent_dim) {}
  std::string class_name() const override { return "Vae"; }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool /*training*/) override {
    const Tensor hidden = encoder_(inputs[0]);
    return {decoder_(sampling_(std::vector<Tensor>{z_mean_(hidden), z_log_var_(hidden)}))};
  }
  StepLogs train_step(const StepData& data) override {
    GradientTape tape;
    const Tensor reconstruction = invoke(data.x, {.training = true})[0];
    const Tensor reconstruction_loss = mean(losses::binary_crossentropy(data.x[0], reconstruction));
    const Tensor kl_loss = losses()[0];
    const Tensor total_loss = reconstruction_loss + kl_loss;
    optimizer().apply(tape.gradient(total_loss, trainable_variables()), trainable_variables());
    loss_tracker_.update_state(total_loss);
    kl_loss_tracker_.update_state(kl_loss);
    return {{"loss", loss_tracker_.result()}, {"kl_loss", kl_loss_tracker_.result()}};
  }

 private:
  int latent_dim_;
  layers::Dense encoder_ = track("encoder", layers::Dense(16, {.activation = "relu"}));
  layers::Dense z_mean_ = track("z_mean", layers::Dense(latent_dim_));
  layers::Dense z_log_var_ = track("z_log_var", layers::Dense(latent_dim_));
  layers::Layer sampling_ = track("sampling", layers::make_layer<Sampling>());
  Sequential decoder_ = track(
      "decoder", Sequential({layers::Dense(16, {.activation = "relu"}), layers::Dense(8, {.activation = "sigmoid"})}));
  metrics::Mean loss_tracker_ = track("loss_tracker", metrics::Mean({.name = "loss"}));
  metrics::Mean kl_loss_tracker_ = track("kl_loss_tracker", metrics::Mean({.name = "kl_loss"}));
};

class Gan final : public ModelImpl {
 public:
  Gan(const Model& discriminator, const Model& generator, std::int64_t latent_dim)
      : discriminator_(track("discriminator", discriminator)),
        generator_(track("generator", generator)),
        latent_dim_(latent_dim) {}
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
    const std::int64_t count = real.shape()[0];
    const auto latent = [&] { return random::normal({count, latent_dim_}, {.seed = seeds_}); };

    const Tensor combined = concatenate({generator_(latent()), real}, 0);
    Tensor labels = concatenate({ones({count, 1}), zeros({count, 1})}, 0);
    labels = labels + 0.05 * random::uniform(labels.shape(), {.seed = seeds_});
    GradientTape d_tape;
    const Tensor d_loss = loss_fn_(labels, discriminator_(combined));
    const std::vector<Variable> d_weights = discriminator_.trainable_weights();
    d_optimizer_.apply(d_tape.gradient(d_loss, d_weights), d_weights);

    GradientTape g_tape;
    const Tensor g_loss = loss_fn_(zeros({count, 1}), discriminator_(generator_(latent())));
    const std::vector<Variable> g_weights = generator_.trainable_weights();
    g_optimizer_.apply(g_tape.gradient(g_loss, g_weights), g_weights);

    d_loss_tracker_.update_state(d_loss);
    g_loss_tracker_.update_state(g_loss);
    return get_metrics_result();
  }

 private:
  Model discriminator_;
  Model generator_;
  std::int64_t latent_dim_;
  optimizers::Optimizer d_optimizer_;
  optimizers::Optimizer g_optimizer_;
  losses::Loss loss_fn_;
  random::SeedGenerator seeds_ = track("seed_generator", random::SeedGenerator(1337));
  metrics::Mean d_loss_tracker_{{.name = "d_loss"}};
  metrics::Mean g_loss_tracker_{{.name = "g_loss"}};
};

class Gate final : public layers::LayerImpl, public MetricOwner {
 public:
  Gate() : LayerImpl(layers::LayerOptions{}) {}
  std::string class_name() const override { return "Gate"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor open = sigmoid(inputs[0]);
    openness_.update_state(open);
    return {open * inputs[0]};
  }

 private:
  metrics::Mean openness_ = track_metric("openness", metrics::Mean({.name = "openness"}));
};

}  // namespace guide

class CustomTrainingGuide : public ::testing::Test {
 protected:
  void SetUp() override {
    clear_session();
    set_random_seed(3);
  }
  static ModelOptions regression() {
    const layers::SymbolicTensor inputs = layers::Input({.shape = {32}});
    return {.inputs = inputs, .outputs = layers::Dense(1)(inputs)};
  }

  Tensor x_ = test::random_tensor({64, 32}, 1);
  Tensor y_ = test::random_tensor({64, 1}, 2);
};

TEST_F(CustomTrainingGuide, TheStep) {
  const auto model = make_model<guide::CustomModel>(regression());
  EXPECT_EQ(model.name(), "custom_model");
  model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  const History history = model.fit(x_, y_, {.epochs = 3, .verbose = 0});
  EXPECT_LT(history["loss"].back(), history["loss"].front());
  EXPECT_LT(history["mae"].back(), history["mae"].front());
}

TEST_F(CustomTrainingGuide, TheLossAlone) {
  const auto model = make_model<guide::PenalizedModel>(regression());
  model.compile({.optimizer = "adam", .loss = "mse"});
  const History history = model.fit(x_, y_, {.epochs = 3, .verbose = 0, .validation_data = {x_, y_}});
  EXPECT_LT(history["penalty"].back(), history["penalty"].front());
  EXPECT_TRUE(history.history.contains("val_penalty"));
}

TEST_F(CustomTrainingGuide, OwnMetricsAndSteps) {
  const auto model = make_model<guide::OwnLoss>(regression());
  model.compile();
  const History history = model.fit(x_, y_, {.epochs = 3, .verbose = 0});
  EXPECT_LT(history["loss"].back(), history["loss"].front());
  EXPECT_EQ(model.metrics_names(), (std::vector<std::string>{"loss", "mae"}));
  const callbacks::Logs logs = model.evaluate(x_, y_, {.batch_size = 64, .verbose = 0});
  EXPECT_NEAR(logs.at("mae"), mean(abs(y_ - model(x_))).item(), 1e-6);
  EXPECT_EQ(model.predict(x_, {.verbose = 0}).to_vector(), round(model(x_)).to_vector());
}

TEST_F(CustomTrainingGuide, VariationalAutoencoder) {
  const Tensor digits = sigmoid(test::random_tensor({64, 8}, 1));
  const auto vae = make_model<guide::Vae>(2);
  vae.compile({.optimizer = "adam"});
  const History history = vae.fit(digits, {}, {.batch_size = 32, .epochs = 8, .verbose = 0});
  EXPECT_LT(history["loss"].back(), history["loss"].front());
  EXPECT_GT(history["kl_loss"].front(), 0);
  EXPECT_EQ(vae.predict(digits, {.verbose = 0}).shape(), (Shape{64, 8}));
  EXPECT_EQ(vae.weights().size(), 10);
}

TEST_F(CustomTrainingGuide, GenerativeAdversarialNetwork) {
  const Sequential discriminator(
      {layers::Input({.shape = {6}}), layers::Dense(8), layers::LeakyReLU({.negative_slope = 0.2}), layers::Dense(1)});
  const Sequential generator(
      {layers::Input({.shape = {4}}), layers::Dense(8, {.activation = "relu"}), layers::Dense(6)});
  const Tensor images = test::random_tensor({64, 6}, 1);
  const auto gan = make_model<guide::Gan>(discriminator, generator, 4);
  gan->compile(optimizers::Adam({.learning_rate = 0.0003}), optimizers::Adam({.learning_rate = 0.0003}),
               losses::BinaryCrossentropy({.from_logits = true}));
  const std::vector<Tensor> before = gan.get_weights();
  const History history = gan.fit(images, {}, {.batch_size = 32, .verbose = 0});
  EXPECT_EQ(history.history.size(), 2);
  const std::vector<Tensor> after = gan.get_weights();
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NE(before[i].to_vector(), after[i].to_vector()) << i;
}

TEST_F(CustomTrainingGuide, MetricsOfLayers) {
  const Sequential gated({layers::Input({.shape = {32}}), layers::make_layer<guide::Gate>(), layers::Dense(1)});
  gated.compile({.optimizer = "sgd", .loss = "mse"});
  const History gates = gated.fit(x_, y_, {.verbose = 0});
  EXPECT_NEAR(gates["openness"].at(0), mean(sigmoid(x_)).item(), 1e-5);
}

}  // namespace
}  // namespace rhyton::models
