#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace rhyton::training {

/// Who trains a model, or uses its own sums of losses and metrics: one thread at a time.
class ModelUse {
 public:
  /// The use by this thread while it lives; it may use the model again within it.
  class Scope {
   public:
    /// To train, in `method`. Throws RuntimeError saying that the model is in use where another thread trains it; waits
    /// for one that evaluates it.
    Scope(ModelUse& use, const std::string& model, const char* method);
    /// To evaluate: does nothing where the model is trained, or another thread uses it, and then `is_granted` is false.
    explicit Scope(ModelUse& use);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    bool is_granted() const { return use_ != nullptr; }

   private:
    ModelUse* use_;
    /// The method that the use was for before, in the same thread.
    const char* before_ = nullptr;
  };

  /// Throws RuntimeError where a thread, this one included, trains the model: for `method`, which changes what training
  /// works with.
  void require_untrained(const std::string& model, const char* method);

 private:
  void enter(const char* method);
  void leave(const char* before);

  std::mutex mutex_;
  std::condition_variable is_free_;
  std::thread::id thread_;
  int depth_ = 0;
  /// Null while it is not trained.
  const char* method_ = nullptr;
};

}  // namespace rhyton::training
