#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::distribute {

/// The result of a scheduled function, which may not have run yet (`tf.distribute.coordinator.RemoteValue`): a handle.
///
/// https://www.tensorflow.org/api_docs/python/tf/distribute/coordinator/RemoteValue
class RemoteValue {
 public:
  /// Waits for the tensors that the function returned. Throws its error, or RuntimeError if it was cancelled by the
  /// error of another function.
  std::vector<Tensor> fetch() const;

  /// A value that is not known yet.
  RemoteValue();
  void set(std::vector<Tensor> value) const;
  void set_error(std::exception_ptr error) const;

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_known = false;
    std::vector<Tensor> value;
    std::exception_ptr error;
  };
  std::shared_ptr<State> state_;
};

}  // namespace rhyton::distribute
