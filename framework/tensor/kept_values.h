#pragma once

#include <memory>
#include <mutex>

namespace rhyton {

/// A place where values of variables wait for the next call that works with them. Nobody uses them meanwhile, so
/// whoever wants to write a variable, and would have to copy what others hold of it, lets all such values go first.
class KeptValues {
 public:
  KeptValues() = default;
  ~KeptValues();
  KeptValues(const KeptValues&) = delete;
  KeptValues& operator=(const KeptValues&) = delete;

  /// Holds them until `take`, or until they are let go.
  void keep(std::shared_ptr<const void> values);
  /// Hands over what was kept; null where nothing was, or where it was let go.
  std::shared_ptr<const void> take();

  /// Lets go what is kept anywhere in the process. May be called from several threads at once.
  static void let_all_go();

 private:
  struct Registry;
  static Registry& registry();

  std::mutex mutex_;
  std::shared_ptr<const void> values_;
  /// Whether the registry knows this place; it does from the first `keep` to the next `let_all_go`.
  bool is_registered_ = false;
};

}  // namespace rhyton
