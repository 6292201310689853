#include <rhyton/framework/ops/seed_generator.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>

namespace rhyton::random {

SeedGenerator::SeedGenerator(std::optional<std::uint64_t> seed, const std::string& name)
    : name_(name.empty() ? context().unique_name("seed_generator") : name),
      seed_(seed),
      key_(seed ? *seed : context().next_seed()),
      state_(Tensor::scalar<std::int64_t>(0),
             {.trainable = false, .name = "seed_generator_state", .path = name_ + "/seed_generator_state"}) {}

Draw SeedGenerator::next() const {
  const Tensor counter = state_.value();
  state_.assign(counter + 1);
  return {key_, counter};
}

Draw Seed::next() const {
  if (generator_) return generator_->next();
  // A graph has a state for each of its calls, so that each run draws other numbers.
  if (!number_ && !executing_eagerly()) return SeedGenerator(std::nullopt, "global_seed_generator").next();
  return {number_ ? *number_ : context().next_seed(), Tensor::scalar<std::int64_t>(0)};
}

}  // namespace rhyton::random
