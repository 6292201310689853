#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace rhyton::gpu {

/// A cache with a maximum of `capacity` entries, at least one; the oldest entry is replaced. Every member function may
/// be called from several threads at once.
template <class Key, class Value, class Hash = std::hash<Key>>
class BoundedCache {
 public:
  explicit BoundedCache(std::size_t capacity) : capacity_(capacity) {}

  /// The value for `key`: the cached one, else the result of `find()`. When several threads request the same new key,
  /// each may call its `find`, and all get the result of the one that ends first.
  template <class Find>
  Value get(const Key& key, Find&& find) {
    {
      const std::scoped_lock lock(mutex_);
      const auto known = values_.find(key);
      if (known != values_.end()) return known->second;
    }
    Value value = std::forward<Find>(find)();
    const std::scoped_lock lock(mutex_);
    const auto [place, is_new] = values_.try_emplace(key, std::move(value));
    Value result = place->second;
    if (is_new) {
      order_.push_back(key);
      if (order_.size() > capacity_) {
        values_.erase(order_.front());
        order_.pop_front();
      }
    }
    return result;
  }

  std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return values_.size();
  }

 private:
  std::size_t capacity_;
  mutable std::mutex mutex_;
  std::unordered_map<Key, Value, Hash> values_;
  /// The keys, the oldest first.
  std::deque<Key> order_;
};

}  // namespace rhyton::gpu
