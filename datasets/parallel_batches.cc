#include <rhyton/datasets/parallel_batches.h>

#include <algorithm>
#include <utility>

namespace rhyton::datasets {

ParallelBatches::ParallelBatches(BatchSpec spec, Fill fill, const Options& options)
    : spec_(std::move(spec)),
      fill_(std::move(fill)),
      options_(options),
      count_((options.samples + options.batch_size - 1) / options.batch_size) {
  const auto threads = static_cast<int>(std::min<std::int64_t>(options_.threads, options_.samples));
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {
    stop();
    throw;
  }
}

ParallelBatches::~ParallelBatches() { stop(); }

void ParallelBatches::stop() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  room_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

std::int64_t ParallelBatches::size_of(std::int64_t batch) const {
  return std::min(options_.batch_size, options_.samples - batch * options_.batch_size);
}

Batch ParallelBatches::make_batch(std::int64_t size) const {
  const auto tensors = [&](const std::vector<TensorSpec>& specs) {
    std::vector<Tensor> result;
    for (const TensorSpec& spec : specs) result.push_back(Tensor::uninitialized(spec.shape.with(0, size), spec.dtype));
    return result;
  };
  return {.x = tensors(spec_.x), .y = tensors(spec_.y), .sample_weight = tensors(spec_.sample_weight)};
}

void ParallelBatches::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    room_.wait(lock, [&] {
      return is_stopping_ || next_sample_ == options_.samples ||
             next_sample_ / options_.batch_size < first_ + options_.ahead;
    });
    if (is_stopping_ || next_sample_ == options_.samples) return;
    const std::int64_t sample = next_sample_++;
    const std::int64_t row = sample % options_.batch_size;
    const std::int64_t number = sample / options_.batch_size;
    std::exception_ptr failure;
    if (row == 0) {
      slots_.push_back({.batch = {}, .missing = size_of(number), .failed_row = -1, .failure = nullptr});
      // Under the lock, since the next thread writes to it at once.
      try {
        slots_.back().batch = make_batch(size_of(number));
      } catch (...) {
        slots_.back().failed_row = 0;
        slots_.back().failure = std::current_exception();
      }
    }
    // References to slots stay valid in the deque, which changes only at its ends.
    Slot& slot = slots_[static_cast<std::size_t>(number - first_)];
    if (slot.failure == nullptr) {
      lock.unlock();
      try {
        fill_(sample, slot.batch, row);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
    }
    if (failure != nullptr && (slot.failure == nullptr || row < slot.failed_row)) {
      slot.failure = failure;
      slot.failed_row = row;
    }
    if (--slot.missing == 0) ready_.notify_all();
  }
}

std::optional<Batch> ParallelBatches::next() {
  std::unique_lock lock(mutex_);
  if (first_ == count_ || is_stopping_) return std::nullopt;
  ready_.wait(lock, [&] { return !slots_.empty() && slots_.front().missing == 0; });
  Slot slot = std::move(slots_.front());
  slots_.pop_front();
  ++first_;
  if (slot.failure != nullptr) is_stopping_ = true;
  lock.unlock();
  room_.notify_all();
  if (slot.failure != nullptr) std::rethrow_exception(slot.failure);
  return std::move(slot.batch);
}

}  // namespace rhyton::datasets
