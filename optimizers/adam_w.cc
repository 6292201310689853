#include <rhyton/optimizers/adam_w.h>

#include <rhyton/framework/error.h>
#include <rhyton/optimizers/adam_impl.h>

namespace rhyton::optimizers {

AdamW::AdamW(const AdamWOptions& options)
    : Optimizer(std::make_shared<AdamImpl>(keras_name, base_options(options), adam_rates(options))) {
  if (!options.weight_decay) {
    throw ValueError("Argument `weight_decay` must be a float. Received: weight_decay=None");
  }
}

AdamW AdamW::from_config(const io::Json& config) { return AdamW(read_optimizer<AdamW>(config)); }

}  // namespace rhyton::optimizers
