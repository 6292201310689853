#include <rhyton/datasets/running_ahead.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <rhyton/datasets/pipeline_stage.h>
#include <rhyton/framework/threading/thread_pool.h>
#include <rhyton/framework/threading/thread_pool_scope.h>

namespace rhyton::datasets {
namespace {

/// An element, or the exception in its place; neither at the end of the source.
struct Outcome {
  std::optional<Batch> element;
  std::exception_ptr failure;

  bool is_end() const { return !element && failure == nullptr; }
};

template <class Make>
Outcome outcome_of(const Make& make) {
  try {
    return {.element = make(), .failure = nullptr};
  } catch (...) {
    return {.element = std::nullopt, .failure = std::current_exception()};
  }
}

class ParallelMapIterator final : public BatchIterator {
 public:
  ParallelMapIterator(Elements source, ElementFunction function, const ParallelMapOptions& options)
      : source_(std::move(source)), function_(std::move(function)), options_(options) {}
  ~ParallelMapIterator() override { stop(); }

  std::optional<Batch> next() override {
    std::unique_lock lock(mutex_);
    if (is_stopping_) return std::nullopt;
    if (threads_.empty()) {
      lock.unlock();
      start();
      lock.lock();
    }
    auto ready = places_.end();
    ready_.wait(lock, [&] {
      ready = options_.keeps_order
                  ? places_.begin()
                  : std::find_if(places_.begin(), places_.end(), [](const Place& place) { return place.is_ready; });
      return ready == places_.end() ? is_at_end_ && places_.empty() : ready->is_ready;
    });
    if (ready == places_.end()) return std::nullopt;
    Outcome outcome = std::move(ready->outcome);
    places_.erase(ready);
    if (outcome.failure != nullptr) is_stopping_ = true;
    lock.unlock();
    room_.notify_all();
    if (outcome.failure != nullptr) {
      stop();
      std::rethrow_exception(outcome.failure);
    }
    return std::move(outcome.element);
  }

 private:
  struct Place {
    bool is_ready = false;
    Outcome outcome;
  };

  void start() {
    for (std::int64_t i = 0; i < options_.threads; ++i) {
      threads_.emplace_back([this] { work(); });
    }
  }

  void stop() {
    {
      const std::scoped_lock lock(mutex_);
      is_stopping_ = true;
    }
    room_.notify_all();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  void work() {
    threading::ThreadPool own_thread(1);
    const threading::ThreadPoolScope scope(own_thread);
    std::unique_lock lock(mutex_);
    while (true) {
      room_.wait(lock, [&] {
        return is_stopping_ || is_at_end_ ||
               (!is_reading_ && places_.size() < static_cast<std::size_t>(options_.threads));
      });
      if (is_stopping_ || is_at_end_) return;
      is_reading_ = true;
      lock.unlock();
      Outcome input = outcome_of([&] { return source_->next(); });
      lock.lock();
      is_reading_ = false;
      if (!input.element) is_at_end_ = true;
      if (input.is_end()) {
        announce();
        return;
      }
      const std::int64_t number = next_number_++;
      Place& place = places_.emplace_back();  // a list's elements stay where they are
      room_.notify_all();
      if (input.element) {
        lock.unlock();
        input = outcome_of([&] { return std::optional(map_element(function_, *input.element, number)); });
        lock.lock();
      }
      place.outcome = std::move(input);
      place.is_ready = true;
      announce();
    }
  }

  void announce() {
    ready_.notify_all();
    room_.notify_all();
  }

  // Read by one thread at a time: the one that set `is_reading_`.
  const Elements source_;
  const ElementFunction function_;
  const ParallelMapOptions options_;

  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable ready_;
  /// Elements that were read and not yet returned, in their order.
  std::list<Place> places_;
  std::int64_t next_number_ = 0;
  bool is_reading_ = false;
  bool is_at_end_ = false;
  bool is_stopping_ = false;

  std::vector<std::thread> threads_;
};

class PrefetchIterator final : public BatchIterator {
 public:
  PrefetchIterator(Elements source, std::size_t buffer_size) : source_(std::move(source)), buffer_size_(buffer_size) {}
  ~PrefetchIterator() override { stop(); }

  std::optional<Batch> next() override {
    if (is_over_) return std::nullopt;
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return !buffer_.empty(); });
    Outcome outcome = std::move(buffer_.front());
    buffer_.pop_front();
    lock.unlock();
    room_.notify_one();
    if (outcome.element) return std::move(outcome.element);
    is_over_ = true;
    stop();
    if (outcome.failure != nullptr) std::rethrow_exception(outcome.failure);
    return std::nullopt;
  }

 private:
  void stop() {
    {
      const std::scoped_lock lock(mutex_);
      is_stopping_ = true;
    }
    room_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  void work() {
    threading::ThreadPool own_thread(1);
    const threading::ThreadPoolScope scope(own_thread);
    bool is_last = false;
    while (!is_last) {
      {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return is_stopping_ || buffer_.size() < buffer_size_; });
        if (is_stopping_) return;
      }
      Outcome outcome = outcome_of([&] { return source_->next(); });
      is_last = !outcome.element;
      {
        const std::scoped_lock lock(mutex_);
        buffer_.push_back(std::move(outcome));
      }
      ready_.notify_one();
    }
  }

  const Elements source_;  // read by the thread only
  const std::size_t buffer_size_;
  bool is_over_ = false;

  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable ready_;
  std::deque<Outcome> buffer_;
  bool is_stopping_ = false;

  std::thread thread_;
};

}  // namespace

std::unique_ptr<BatchIterator> parallel_map(std::unique_ptr<BatchIterator> source, ElementFunction function,
                                            const ParallelMapOptions& options) {
  return std::make_unique<ParallelMapIterator>(std::move(source), std::move(function), options);
}

std::unique_ptr<BatchIterator> prefetched(std::unique_ptr<BatchIterator> source, std::size_t buffer_size) {
  return std::make_unique<PrefetchIterator>(std::move(source), buffer_size);
}

}  // namespace rhyton::datasets
