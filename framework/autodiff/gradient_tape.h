#pragma once

#include <concepts>
#include <memory>
#include <vector>

#include <rhyton/framework/ops/indexed_slices.h>
#include <rhyton/framework/ops/op.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton {

/// Fields in the order of `tf.GradientTape`.
struct GradientTapeOptions {
  /// Allows `gradient` to be called more than once.
  bool persistent = false;
  /// Watches every trainable variable that is read, without a call of `watch`.
  bool watch_accessed_variables = true;
};

/// Records the ops that are called during its lifetime, so that they can be differentiated (`tf.GradientTape`).
///
///     Variable x(Tensor::scalar(3.0f));
///     GradientTape tape;
///     Tensor y = square(x);
///     Tensor dy_dx = tape.gradient(y, x);   // 6
///
/// Tapes nest: the computations of an inner tape's `gradient` are recorded by the outer one, which gives second
/// derivatives.
class GradientTape {
 public:
  explicit GradientTape(const GradientTapeOptions& options = {});
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  /// Records all computations that use `tensor` from now on. Throws ValueError for an integer tensor.
  void watch(const Tensor& tensor);
  void watch(const Variable& variable);
  /// Ends recording; `gradient` may still be called.
  void stop_recording();
  /// Discards the record and starts a new one.
  void reset();

  /// The gradient of the sum of `target` (weighted by `output_gradient` where given) with respect to the source; an
  /// empty tensor where target does not depend on it. Throws RuntimeError at the second call on a tape that is not
  /// persistent, and when a variable that the tape has read was assigned since.
  Tensor gradient(const Tensor& target, const Tensor& source, const Tensor& output_gradient = {});
  Tensor gradient(const Tensor& target, const Variable& source, const Tensor& output_gradient = {});
  /// A template, so that `{w, b}` always means variables.
  template <std::same_as<std::vector<Tensor>> Tensors>
  std::vector<Tensor> gradient(const Tensor& target, const Tensors& sources, const Tensor& output_gradient = {}) {
    return gradient_of_tensors(target, sources, output_gradient);
  }
  std::vector<Tensor> gradient(const Tensor& target, const std::vector<Variable>& sources,
                               const Tensor& output_gradient = {});

  /// The same gradients, with the slices of those of variables that the target depends on through lookups of rows alone
  /// (`gather` along the first axis, so an Embedding): where TensorFlow's tape has `tf.IndexedSlices`. An optimizer
  /// then applies them as Keras on TensorFlow does (`optimizers::Optimizer::apply`).
  std::vector<SparseGradient> sparse_gradient(const Tensor& target, const std::vector<Variable>& sources,
                                              const Tensor& output_gradient = {});

  /// The trainable variables that were read, in the order of their first reading.
  std::vector<Variable> watched_variables() const;

 private:
  std::vector<Tensor> gradient_of_tensors(const Tensor& target, const std::vector<Tensor>& sources,
                                          const Tensor& output_gradient);

  class Recorder;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace rhyton
