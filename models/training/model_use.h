#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace rhyton::training {

/// The thread that trains a model or uses its variables of losses and metrics: one at a time.
class ModelUse {
 public:
  /// The use by this thread during the lifetime of the object. The thread may use the model again meanwhile.
  class Scope {
   public:
    /// For training in `method`. Throws RuntimeError if another thread trains the model; waits while another thread
    /// evaluates it.
    Scope(ModelUse& use, const std::string& model, const char* method);
    /// For evaluation. Not granted while the model is trained or another thread uses it.
    explicit Scope(ModelUse& use);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    bool is_granted() const { return use_ != nullptr; }

   private:
    ModelUse* use_;
    /// The method of the earlier use by the same thread.
    const char* before_ = nullptr;
  };

  /// Throws RuntimeError while any thread, this one included, trains the model: for `method`, which changes the
  /// training.
  void require_untrained(const std::string& model, const char* method);

 private:
  void enter(const char* method);
  void leave(const char* before);

  std::mutex mutex_;
  std::condition_variable is_free_;
  std::thread::id thread_;
  int depth_ = 0;
  /// Null while the model is not trained.
  const char* method_ = nullptr;
};

}  // namespace rhyton::training
