#include <rhyton/framework/distribute/background_sums.h>

#include <algorithm>
#include <utility>

#include <rhyton/framework/threading/rendezvous.h>

namespace rhyton::distribute {

BackgroundSums::BackgroundSums(int members, std::function<void(const Brought&)> sum)
    : members_(members), sum_(std::move(sum)), begun_(static_cast<std::size_t>(members), 0) {}

BackgroundSums::~BackgroundSums() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  ready_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BackgroundSums::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ready_.wait(lock, [&] { return is_stopping_ || (may_go_on() && !sums_.empty() && sums_.front().missing == 0); });
    if (is_stopping_) return;
    // Others only append meanwhile, which keeps the reference valid.
    const Sum& next = sums_.front();
    is_under_way_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      sum_(next.brought);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    is_under_way_ = false;
    sums_.pop_front();
    if (failure == nullptr) {
      ++done_;
    } else {
      failure_ = failure;
    }
    changed_.notify_all();
  }
}

void BackgroundSums::require_none_failed() const {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  if (is_abandoned_) throw threading::Abandoned();
}

bool BackgroundSums::have_all_begun(std::int64_t number) const {
  return std::all_of(begun_.begin(), begun_.end(), [&](std::int64_t begun) { return begun > number; });
}

std::int64_t BackgroundSums::begin(int member, std::span<const ReductionBuffer> buffers) {
  const auto at = static_cast<std::size_t>(member);
  const std::scoped_lock lock(mutex_);
  require_none_failed();
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  const std::int64_t number = begun_[at]++;
  const auto place = static_cast<std::size_t>(number - done_);
  if (place == sums_.size()) sums_.push_back({Brought(begun_.size()), members_});
  Sum& sum = sums_[place];
  sum.brought[at].assign(buffers.begin(), buffers.end());
  if (--sum.missing == 0) ready_.notify_one();
  changed_.notify_all();
  return number;
}

void BackgroundSums::finish(std::int64_t number, std::int64_t last) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return may_go_on() ? done_ > number && have_all_begun(last) : !is_under_way_; });
  require_none_failed();
}

void BackgroundSums::finish_all() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !is_under_way_ && (!may_go_on() || sums_.empty()); });
  require_none_failed();
}

void BackgroundSums::abandon() {
  const std::scoped_lock lock(mutex_);
  is_abandoned_ = true;
  changed_.notify_all();
}

void BackgroundSums::reset() {
  std::unique_lock lock(mutex_);
  // First, so that no sum that waits for the thread begins.
  is_abandoned_ = true;
  changed_.wait(lock, [&] { return !is_under_way_; });
  sums_.clear();
  done_ = 0;
  std::fill(begun_.begin(), begun_.end(), 0);
  failure_ = nullptr;
  is_abandoned_ = false;
}

}  // namespace rhyton::distribute
