#include <rhyton/models/training/predictions.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/models/training/batches.h>

namespace rhyton::training {

void Predictions::make_room(const std::vector<Tensor>& outputs, std::int64_t samples) {
  room_ = std::max({samples, 2 * room_, expected_.value_or(0)});
  std::vector<Tensor> larger;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    larger.push_back(Tensor::uninitialized(outputs[i].shape().with(0, room_), outputs[i].dtype()));
    if (samples_ > 0) {
      std::memcpy(larger[i].mutable_raw_data(), results_[i].raw_data(),
                  static_cast<std::size_t>(samples_) * sample_bytes(results_[i]));
    }
  }
  results_ = std::move(larger);
}

void Predictions::append(const std::vector<Tensor>& outputs) {
  const std::int64_t count = outputs.front().shape()[0];
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool is_like_others = results_.empty() || outputs[i].shape().with(0, room_) == results_[i].shape();
    if (outputs[i].shape()[0] != count || !is_like_others) {
      throw ValueError("The outputs of two batches cannot be put together: " + outputs[i].shape().to_string() +
                       " after " + (results_.empty() ? outputs.front() : results_[i]).shape().to_string());
    }
  }
  if (samples_ + count > room_) make_room(outputs, samples_ + count);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::memcpy(static_cast<std::byte*>(results_[i].mutable_raw_data()) +
                    static_cast<std::size_t>(samples_) * sample_bytes(results_[i]),
                outputs[i].raw_data(), outputs[i].spec().bytes());
  }
  samples_ += count;
}

std::vector<Tensor> Predictions::take() {
  for (Tensor& result : results_) {
    if (samples_ == room_) break;
    const Shape shape = result.shape().with(0, samples_);
    result = Tensor::from_storage(shape, result.dtype(), result.storage(), result.byte_offset()).clone();
  }
  return std::move(results_);
}

}  // namespace rhyton::training
