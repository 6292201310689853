#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton::graph {

/// Records the calls of ops in a graph. A copy continues the record by itself: tensors of the original are tensors of
/// the copy.
class Tracer final : public Interpreter {
 public:
  /// What happens to tensors and variables of the code around the traced function.
  enum class Surroundings {
    /// Tensors of other graphs are an error, concrete tensors are constants, variables are those of the graph.
    refused,
    /// Tensors of other graphs and values of variables become inputs of the graph, and assignments are only noted:
    /// the body of an op.
    inputs,
    /// The same, and concrete floating tensors become inputs too, so that they can be differentiated.
    inputs_with_constants,
  };

  /// Where the value of an input comes from.
  struct Input {
    /// The tensor in the trace.
    Tensor inner;
    /// The tensor of the surrounding code. Empty for arguments and variables.
    Tensor outer = {};
    /// The variable. Empty for the others.
    Variable variable = {};
  };

  explicit Tracer(Surroundings surroundings = Surroundings::refused) : surroundings_(surroundings) {}

  /// Adds an argument.
  Tensor input(const FunctionInput& spec);

  std::vector<Tensor> apply(const OpPtr& op, std::span<const Tensor> inputs) override;
  Tensor read(const Variable& variable) override;
  void assign(const Variable& variable, const Tensor& value) override;

  /// The value of the graph for a tensor that the traced function uses or returns. Throws ValueError if it is empty,
  /// RuntimeError for a tensor of another graph unless it becomes an input.
  ValueId id_of(const Tensor& tensor);

  /// The inputs of the graph, in their order.
  const std::vector<Input>& inputs() const { return inputs_; }
  /// The tensors that were assigned to a variable, as reading it returns them.
  std::vector<Tensor> values_assigned_to(const Variable& variable) const;
  /// The assigned variables, in the order of the first assignments.
  const std::vector<Variable>& assigned() const { return assigned_; }
  const Graph& graph() const { return graph_; }
  /// From now on concrete tensors become constants.
  void take_constants() { surroundings_ = Surroundings::inputs; }

  /// Ends the trace: the graph with those outputs and the assignments as updates.
  Graph finish(const std::vector<Tensor>& outputs);

 private:
  Tensor tensor_of(ValueId id) { return Tensor::traced(graph_.value(id).spec, origin_, id); }
  ValueId id_of_outer(const Tensor& tensor);

  Surroundings surroundings_;
  Graph graph_;
  std::vector<Input> inputs_;
  std::shared_ptr<const TraceOrigin> origin_ = std::make_shared<const TraceOrigin>();
  std::unordered_map<const void*, Tensor> current_;
  std::unordered_map<const void*, std::size_t> updates_;
  std::vector<Variable> assigned_;
  // With the identity of the variable.
  std::vector<std::pair<const void*, Tensor>> assigned_values_;
  // Of concrete tensors, and of tensors that became inputs.
  std::unordered_map<const void*, ValueId> outer_ids_;
  std::vector<Tensor> constants_;
};

}  // namespace rhyton::graph
