#include <rhyton/models/training/compilation.h>

#include <utility>

#include <rhyton/framework/distribute/strategy.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/optimizers/loss_scale_optimizer.h>

namespace rhyton::training {
namespace {

/// The optimizer that trains such a model. As in Keras the policy of the model counts, not that of its layers.
optimizers::Optimizer with_loss_scale(const models::CompileOptions& options, const layers::Layer& model) {
  const bool is_scaled = !options.optimizer.impl()->inner_optimizer().is_empty();
  if (is_scaled || !options.auto_scale_loss || model.impl()->dtype_policy() != "mixed_float16") {
    return options.optimizer;
  }
  return optimizers::LossScaleOptimizer(options.optimizer, {.name = "loss_scale_optimizer"});
}

std::shared_ptr<distribute::StrategyImpl> strategy_of_scope() {
  return distribute::has_strategy() ? distribute::get_strategy().impl() : nullptr;
}

}  // namespace

Compilation::Compilation(Trainee& trainee) : trainee_(trainee), state_{.strategy = strategy_of_scope()} {}

void Compilation::set(const models::CompileOptions& options) {
  State next{.arguments = std::make_shared<const Arguments>(
                 Arguments{options, with_loss_scale(options, trainee_.layer()), TrainableAtCompile(trainee_.layer())}),
             .strategy = strategy_of_scope()};
  const std::scoped_lock lock(mutex_);
  if (next.strategy == nullptr) next.strategy = state_.strategy;
  // The steps that predict are replaced too: what is trainable may have changed.
  std::swap(state_, next);
}

void Compilation::discard_steps() {
  State next;
  const std::scoped_lock lock(mutex_);
  next.arguments = state_.arguments;
  next.strategy = state_.strategy;
  std::swap(state_, next);
}

bool Compilation::is_compiled() const {
  const std::scoped_lock lock(mutex_);
  return state_.arguments != nullptr;
}

models::CompileOptions Compilation::options() const { return arguments()->options; }

optimizers::Optimizer Compilation::optimizer() const { return arguments()->optimizer; }

std::shared_ptr<distribute::StrategyImpl> Compilation::strategy() const {
  const std::scoped_lock lock(mutex_);
  return state_.strategy;
}

bool Compilation::is_chief() const {
  const std::shared_ptr<distribute::StrategyImpl> used = strategy();
  return used == nullptr || used->is_chief();
}

std::shared_ptr<const Compilation::Arguments> Compilation::arguments() const {
  const std::scoped_lock lock(mutex_);
  if (state_.arguments == nullptr) throw ValueError("You must call `compile()` before using the model.");
  return state_.arguments;
}

template <class Make>
std::shared_ptr<ModelSteps> Compilation::steps(std::shared_ptr<ModelSteps> State::*member, const Make& make) {
  std::unique_lock lock(mutex_);
  if (state_.*member != nullptr) return state_.*member;
  lock.unlock();
  const std::scoped_lock one_thread_makes_them(making_mutex());
  lock.lock();
  const State current = state_;
  lock.unlock();
  if (current.*member != nullptr) return current.*member;
  std::shared_ptr<ModelSteps> made = make(current);
  made->cache = current.cache;
  made->strategy = current.strategy;
  lock.lock();
  // Not kept if another thread has compiled the model meanwhile.
  if (state_.cache == current.cache) state_.*member = made;
  return made;
}

std::shared_ptr<ModelSteps> Compilation::training_steps() {
  static_cast<void>(arguments());
  return steps(&State::training_steps, [&](const State& state) {
    const Arguments& given = *state.arguments;
    return std::make_shared<ModelSteps>(trainee_, given.options, given.optimizer, given.trainable_at_compile);
  });
}

std::shared_ptr<ModelSteps> Compilation::prediction_steps() {
  return steps(&State::prediction_steps, [&](const State& state) {
    models::CompileOptions nothing;
    nothing.run_eagerly = state.arguments != nullptr && state.arguments->options.run_eagerly;
    return std::make_shared<ModelSteps>(trainee_, nothing, optimizers::Optimizer(), TrainableAtCompile());
  });
}

std::vector<CompiledStep> Compilation::compiled_steps() const {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<ModelStepCache> cache = state_.cache;
  lock.unlock();
  return cache->steps();
}

}  // namespace rhyton::training
