#include <rhyton/models/training/mean_tracker.h>

#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>

namespace rhyton::training {

// float64, so that the mean over millions of samples is exact to the digits that are shown.
MeanTracker::MeanTracker(const std::string& name)
    : metric_({.name = name, .dtype = "float64"}), total_(metric_.variables()[0]), count_(metric_.variables()[1]) {}

void MeanTracker::update(const Tensor& mean, std::int64_t samples) const {
  const ReplicaBatch* const part = part_of_batch();
  const auto weight = static_cast<double>(part == nullptr ? samples : part->global_samples);
  add_over_replicas({total_, count_}, [&] {
    total_.assign_add(cast(mean, float64) * weight);
    count_.assign_add(Tensor::scalar(static_cast<double>(samples)));
  });
}

double MeanTracker::result() const {
  const InitScope eager;
  const double count = count_.value().item();
  return count == 0 ? 0 : total_.value().item() / count;
}

void MeanTracker::reset() const {
  const InitScope eager;
  total_.assign(Tensor::zeros({}, float64));
  count_.assign(Tensor::zeros({}, float64));
}

}  // namespace rhyton::training
