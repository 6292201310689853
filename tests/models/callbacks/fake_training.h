#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/layers/layer.h>
#include <rhyton/models/callbacks/callback.h>

namespace rhyton::callbacks {

/// A layer with one weight.
class OneWeight : public layers::LayerImpl {
 public:
  OneWeight() : LayerImpl(layers::LayerOptions{}) {}
  std::string class_name() const override { return "OneWeight"; }
  void build(const std::vector<Shape>&) override {
    weight = add_weight({.shape = {1}, .initializer = "zeros", .name = "weight"});
  }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return inputs; }

  Variable weight;
};

/// A training that only calls callbacks as the test specifies.
class FakeTraining : public TrainingControl {
 public:
  FakeTraining() { layer_.build({-1, 1}); }

  layers::Layer model() const override { return layer_; }
  void stop_training() override { is_stopped = true; }
  double learning_rate() const override { return rate; }
  void set_learning_rate(double learning_rate) override { rate = learning_rate; }
  int epochs() const override { return 10; }
  std::optional<std::int64_t> steps() const override { return 1; }
  std::string direction_of(const std::string& metric) const override {
    const auto direction = directions.find(metric);
    return direction == directions.end() ? "" : direction->second;
  }

  TrainingState state() const override { return {}; }
  void resume_from(TrainingState) override {}
  void set_initial_epoch(int) override {}

  double weight() const { return layer_.get_weights().front().to_vector().front(); }
  void set_weight(float value) const { layer_.set_weights({Tensor::from_data<float>({1}, {value})}); }

  /// Runs epochs that report these values of `name`, with the epoch number as the weight; returns how many ran.
  int fit(const Callback& callback, const std::string& name, const std::vector<double>& values) {
    is_stopped = false;
    history.clear();
    Logs logs;
    callback->on_train_begin(*this, logs);
    int epoch = 0;
    while (epoch < static_cast<int>(values.size()) && !is_stopped) {
      Logs begin;
      callback->on_epoch_begin(*this, epoch, begin);
      set_weight(static_cast<float>(epoch));
      Logs end = {{name, values[static_cast<std::size_t>(epoch)]}};
      callback->on_epoch_end(*this, epoch, end);
      history.push_back(end);
      ++epoch;
    }
    callback->on_train_end(*this, logs);
    return epoch;
  }

  bool is_stopped = false;
  double rate = 0.5;
  std::map<std::string, std::string> directions;
  std::vector<Logs> history;

 private:
  layers::Layer layer_ = layers::make_layer<OneWeight>();
};

}  // namespace rhyton::callbacks
