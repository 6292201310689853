#pragma once

#include <map>
#include <optional>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// A layer that computes on the host from elements that are there, not with ops: what takes strings. It is called on
/// values directly. In a model that trains, evaluates or predicts, its calls are made before the compiled step, batch by
/// batch (models/host_calls.h), and their results are inputs of the step. No gradient passes through it.
class HostLayer : public LayerImpl {
 public:
  using LayerImpl::LayerImpl;

  bool autocasts() const override { return false; }
  /// `call_on_host` for tensors with elements; else, where shapes are inferred, `infer_on_host`, and in a compiled step
  /// the results of `HostResultsScope`. Throws NotImplementedError where there are none.
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) final;

  /// The outputs for these tensors, of strings or numbers, on the host. May be called by several threads.
  virtual std::vector<Tensor> call_on_host(const std::vector<Tensor>& inputs) const = 0;

  /// Whether an Input that a Sequential makes for this layer is of strings.
  virtual bool takes_strings() const { return false; }

 protected:
  /// Outputs without elements for inputs without elements, whose lengths are known.
  virtual std::vector<Tensor> infer_on_host(const std::vector<Tensor>& inputs) const = 0;
  /// Makes lengths unknown that depend on the elements of the inputs.
  virtual void forget_lengths(std::vector<TensorSpec>& /*outputs*/) const {}
  std::vector<TensorSpec> infer_outputs(const BoundArguments& arguments) override;
};

/// A tensor of that shape and dtype without elements.
Tensor without_elements(const TensorSpec& spec);

/// During its lifetime, calls of host layers on tensors without elements return the results of calls that this thread
/// was given: those of each layer in their order, and once more from the first one on after the last.
class HostResultsScope {
 public:
  struct Call {
    const LayerImpl* layer;
    std::vector<Tensor> outputs;
  };

  explicit HostResultsScope(const std::vector<Call>& calls);
  ~HostResultsScope();
  HostResultsScope(const HostResultsScope&) = delete;
  HostResultsScope& operator=(const HostResultsScope&) = delete;

  /// The results of the next call of that layer; none if there are none in the innermost scope of this thread.
  static std::optional<std::vector<Tensor>> next(const LayerImpl& layer);

 private:
  struct Results {
    std::vector<std::vector<Tensor>> of_calls;
    std::size_t next = 0;
  };
  std::map<const LayerImpl*, Results> results_;
  HostResultsScope* previous_;
};

}  // namespace rhyton::layers
