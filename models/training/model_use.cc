#include <rhyton/models/training/model_use.h>

#include <rhyton/framework/error.h>

namespace rhyton::training {
namespace {

[[noreturn]] void refuse(const std::string& model, const char* method, const char* other) {
  throw RuntimeError(
      "Model '" + model + "' is in use: `" + method + "` was called while `" + other +
      "` runs on it. One call at a time trains a model; other threads may call `predict`, `evaluate` and "
      "`save` meanwhile.");
}

}  // namespace

ModelUse::Scope::Scope(ModelUse& use, const std::string& model, const char* method) : use_(&use) {
  std::unique_lock lock(use.mutex_);
  const auto is_others = [&] { return use.depth_ > 0 && use.thread_ != std::this_thread::get_id(); };
  use.is_free_.wait(lock, [&] { return !is_others() || use.method_ != nullptr; });
  if (is_others()) refuse(model, method, use.method_);
  before_ = use.method_;
  use.enter(before_ != nullptr ? before_ : method);
}

ModelUse::Scope::Scope(ModelUse& use) : use_(&use) {
  const std::scoped_lock lock(use.mutex_);
  if (use.depth_ > 0 && (use.method_ != nullptr || use.thread_ != std::this_thread::get_id())) {
    use_ = nullptr;
  } else {
    use.enter(nullptr);
  }
}

ModelUse::Scope::~Scope() {
  if (use_ != nullptr) use_->leave(before_);
}

void ModelUse::enter(const char* method) {
  thread_ = std::this_thread::get_id();
  method_ = method;
  ++depth_;
}

void ModelUse::leave(const char* before) {
  const std::scoped_lock lock(mutex_);
  --depth_;
  method_ = before;
  if (depth_ == 0) is_free_.notify_all();
}

void ModelUse::require_untrained(const std::string& model, const char* method) {
  const std::scoped_lock lock(mutex_);
  if (method_ != nullptr) refuse(model, method, method_);
}

}  // namespace rhyton::training
