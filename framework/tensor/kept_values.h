#pragma once

#include <memory>
#include <mutex>

namespace rhyton {

/// Keeps handles of variables' values from one call to the next that uses them. They are unused in between, so code
/// that writes a variable to which there are other handles first releases all kept values, which may save a copy.
class KeptValues {
 public:
  KeptValues() = default;
  ~KeptValues();
  KeptValues(const KeptValues&) = delete;
  KeptValues& operator=(const KeptValues&) = delete;

  /// Keeps the values until `take` or `release_all`.
  void keep(std::shared_ptr<const void> values);
  /// Returns the kept values; null if there are none, or they were released.
  std::shared_ptr<const void> take();

  /// Releases all kept values of the process. May be called from several threads at once.
  static void release_all();

 private:
  struct Registry;
  static Registry& registry();

  std::mutex mutex_;
  std::shared_ptr<const void> values_;
  /// Whether this object is in the registry: from the first `keep` to the next `release_all`.
  bool is_registered_ = false;
};

}  // namespace rhyton
