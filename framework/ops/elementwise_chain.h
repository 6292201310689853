#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/op.h>

namespace rhyton {

/// One call in a chain. `operands` are indices: first the chain's inputs, then the members' results.
struct ChainMember {
  OpPtr op;
  std::vector<int> operands;
};

/// How an input of a chain is indexed, where the chain's results are viewed as rows of `row_length` elements.
enum class ChainInput {
  /// Element by element, as the results.
  full,
  /// One element for all results.
  scalar,
  /// One row for all rows: a bias, a scale per channel.
  row,
  /// One element per row: a mean, a sum.
  column,
};

/// Elementwise ops with results of one shape, called one after the other on blocks that stay in a core's L1 cache, so
/// that intermediate results are never written to memory. Each block is computed by the members' own kernels, as a row
/// of elements or a single one: results are those of the members called one by one, bit for bit.
///
/// Only plans contain it (`graph/passes/fuse_elementwise.h`): it is made from ops that have been differentiated before.
class ElementwiseChainOp final : public Op {
 public:
  /// The location of an operand or a result of a member: a chain's input or output, or a block of scratch memory.
  struct Place {
    enum class Kind { input, output, block } kind = Kind::input;
    int index = 0;
  };

  struct Operand {
    Place place;
    DType dtype = DType::float32;
  };

  /// A member with its kernel and the locations of its operands.
  struct Step {
    OpPtr op;
    const Kernel* kernel = nullptr;
    std::vector<Operand> operands;
    Place result;
    DType dtype = DType::float32;
    /// The output that a block is copied to at the end, because a later member still reads an input whose memory that
    /// output may share; -1 where there is none.
    int late_output = -1;
  };

  /// `inputs` are the inputs' specs, `results` the indices of the members whose results are the outputs. Throws
  /// ValueError unless `fits` holds for each member. Looks up the members' kernels.
  ElementwiseChainOp(std::vector<TensorSpec> inputs, std::vector<ChainMember> members, std::vector<int> results);

  std::string_view name() const override { return "ElementwiseChain"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  bool is_elementwise() const override { return true; }
  bool may_overwrite(std::size_t, std::size_t) const override { return true; }
  std::string attributes() const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  /// One kernel handles all dtypes.
  DType kernel_dtype(std::span<const TensorSpec>) const override { return DType::float32; }

  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<ChainInput>& walks() const { return walks_; }
  /// 1 where all inputs are full or scalar.
  std::int64_t row_length() const { return row_length_; }
  /// The number of blocks of scratch memory for intermediate results.
  int blocks() const { return blocks_; }
  int outputs() const { return static_cast<int>(results_.size()); }
  /// The bytes of an element of the widest dtype in the chain.
  std::size_t widest_element() const { return widest_element_; }

  /// Whether the inputs of a member with a result of `shape` can be indexed in these ways: false when one of them
  /// broadcasts in another way. `row_length` is the length that earlier members need, 1 at first; it is set if this one
  /// needs rows.
  static bool fits(const Shape& shape, std::span<const TensorSpec> inputs, std::int64_t& row_length);

 private:
  void place_results(std::span<const TensorSpec> specs);

  std::vector<ChainMember> members_;
  std::vector<int> results_;
  std::size_t input_count_;
  std::vector<Step> steps_;
  std::vector<ChainInput> walks_;
  std::int64_t row_length_ = 1;
  int blocks_ = 0;
  std::size_t widest_element_ = 1;
};

}  // namespace rhyton
