#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/rhyton.h>

namespace workloads {

using Tensors = std::vector<rhyton::Tensor>;

/// A function compiled for certain inputs.
class Compiled {
 public:
  /// The first `batched` of the inputs carry the batch on their first axis.
  Compiled(const Tensors& inputs, std::size_t batched, const rhyton::graph::Function& function);

  /// Runs it once.
  void run() { executable_.run(addresses_); }
  /// As `seconds_per_call`.
  double seconds();
  /// The operations that its ops declare.
  double operations() const;
  /// The minimum number of bytes to read and write: inputs, variables and outputs, each once.
  double bytes() const;

 private:
  Tensors inputs_;
  rhyton::graph::Executable executable_;
  std::vector<const void*> addresses_;
};

/// A function that applies `function` to all its inputs but the last, which is the gradient of the result. Returns the
/// result and the gradients of the inputs and the weights.
rhyton::graph::Function with_gradients(std::function<rhyton::Tensor(const Tensors&)> function,
                                       const std::vector<rhyton::Variable>& weights = {});

}  // namespace workloads
