#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::optimizers {
namespace schedules {

/// The implementation of a learning rate schedule. A custom schedule derives from this class, overrides `call` and
/// `get_config`, and is wrapped by `make_schedule<MySchedule>(…)`.
class LearningRateScheduleImpl {
 public:
  explicit LearningRateScheduleImpl(std::string class_name) : class_name_(std::move(class_name)) {}
  virtual ~LearningRateScheduleImpl();
  LearningRateScheduleImpl(const LearningRateScheduleImpl&) = delete;
  LearningRateScheduleImpl& operator=(const LearningRateScheduleImpl&) = delete;

  /// The learning rate, a float32 scalar computed with ops, at `step`, an int64 scalar: the number of steps so far.
  virtual Tensor call(const Tensor& step) const = 0;
  /// The constructor arguments, in Keras's keys.
  virtual io::Json get_config() const = 0;

  const std::string& class_name() const { return class_name_; }

 private:
  std::string class_name_;
};

/// A learning rate that is a function of the step: a handle; copies are the same schedule. It can be given wherever an
/// optimizer takes a learning rate.
///
///     optimizers::SGD sgd({.learning_rate = optimizers::schedules::ExponentialDecay(0.1, 1000, 0.96)});
///
/// https://keras.io/api/optimizers/learning_rate_schedules/
class LearningRateSchedule {
 public:
  /// No schedule.
  LearningRateSchedule() = default;
  explicit LearningRateSchedule(std::shared_ptr<LearningRateScheduleImpl> impl) : impl_(std::move(impl)) {}

  /// The learning rate at a step, an integer scalar.
  Tensor operator()(const Tensor& step) const { return impl_->call(step); }
  /// The same for a number, computed at once.
  double operator()(std::int64_t step) const;

  bool is_empty() const { return impl_ == nullptr; }
  const std::string& class_name() const { return impl_->class_name(); }
  io::Json get_config() const { return impl_->get_config(); }
  const std::shared_ptr<LearningRateScheduleImpl>& impl() const { return impl_; }

 protected:
  std::shared_ptr<LearningRateScheduleImpl> impl_;
};

/// Wraps a custom schedule.
template <class Impl, class... Arguments>
LearningRateSchedule make_schedule(Arguments&&... arguments) {
  return LearningRateSchedule(std::make_shared<Impl>(std::forward<Arguments>(arguments)...));
}

/// Writes {"module": "keras.optimizers.schedules", "class_name", "config", "registered_name"}.
/// (`keras.optimizers.schedules.serialize`)
io::Json serialize(const LearningRateSchedule& schedule);
/// Creates the schedule that `serialize` has written. Throws TypeError for an unknown class.
/// (`keras.optimizers.schedules.deserialize`)
LearningRateSchedule deserialize(const io::Json& serialized);
/// Registers a custom schedule for `deserialize`. Saved models name it "package>class_name".
void register_schedule(const std::string& class_name,
                       std::function<LearningRateSchedule(const io::Json& config)> factory,
                       const std::string& package = "Custom");

}  // namespace schedules

/// A learning rate argument of an optimizer: a number or a schedule.
class LearningRate {
 public:
  LearningRate(double value) : value_(value) {}                  // NOLINT(google-explicit-constructor)
  LearningRate(const schedules::LearningRateSchedule& schedule)  // NOLINT(google-explicit-constructor)
      : schedule_(schedule) {}

  /// The number; 0 for a schedule.
  double value() const { return value_; }
  /// Empty for a number.
  const schedules::LearningRateSchedule& schedule() const { return schedule_; }
  bool is_schedule() const { return !schedule_.is_empty(); }

  /// The number, or the schedule as `serialize` writes it.
  io::Json to_config() const;
  /// Reads that form. Throws ValueError in Keras's words for anything else, and the errors of `deserialize`.
  static LearningRate from_config(const io::Json& config);
  static constexpr const char* config_type = "a number or a schedule";
  static constexpr bool config_is_object = true;

 private:
  double value_ = 0.0;
  schedules::LearningRateSchedule schedule_;
};

}  // namespace rhyton::optimizers
