#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <rhyton/datasets/dataset.h>

namespace rhyton::datasets {

/// Batches whose samples are prepared ahead of use by background threads. At most `ahead` batches wait at a time. The
/// destructor ends the threads after their current samples.
class ParallelBatches final : public BatchIterator {
 public:
  /// Writes sample number `sample` of the pass to place `row` of a batch. Called from several threads at once, for
  /// different rows.
  using Fill = std::function<void(std::int64_t sample, Batch& batch, std::int64_t row)>;

  struct Options {
    std::int64_t samples = 0;
    std::int64_t batch_size = 1;
    int threads = 1;
    std::int64_t ahead = 2;
  };

  /// `spec` describes the batches; only the first axis may be unknown.
  ParallelBatches(BatchSpec spec, Fill fill, const Options& options);
  ~ParallelBatches() override;

  /// Rethrows the exception of `fill` for one of the batch's samples, the first if there are several. Then the pass is
  /// over.
  std::optional<Batch> next() override;

 private:
  struct Slot {
    Batch batch;
    std::int64_t missing = 0;
    std::int64_t failed_row = -1;
    std::exception_ptr failure;
  };

  std::int64_t size_of(std::int64_t batch) const;
  Batch make_batch(std::int64_t size) const;
  void work();
  void stop();

  const BatchSpec spec_;
  const Fill fill_;
  const Options options_;
  const std::int64_t count_;

  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable ready_;
  // Batches that were begun and not yet returned; the first has number `first_`.
  std::deque<Slot> slots_;
  std::int64_t first_ = 0;
  std::int64_t next_sample_ = 0;
  bool is_stopping_ = false;

  std::vector<std::thread> threads_;
};

}  // namespace rhyton::datasets
