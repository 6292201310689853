#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <rhyton/framework/autodiff/while_op.h>

namespace rhyton {

/// Copies all elements of a tensor of the target's spec.
void copy_elements(const TensorView& target, const void* source);

/// The iterations of one run of a loop.
class WhileRun {
 public:
  /// `operands`: those of the loop, whose memory must outlive it.
  WhileRun(const WhileOp& loop, std::span<const TensorView> operands);

  /// Where the loop variables are from now on.
  void set_variables(std::span<const TensorView> variables);
  /// Whether there is one more iteration.
  bool continues();
  /// Runs one: the loop variables after it, until the next one.
  const std::vector<Tensor>& step();

 private:
  static void run(graph::Executable::Lease& lease, const std::vector<int>& operands,
                  const std::vector<const void*>& addresses);

  const WhileOp::Loop& loop_;
  std::vector<const void*> addresses_;
  std::int64_t iterations_ = 0;
  graph::Executable::Lease condition_;
  graph::Executable::Lease body_;
};

/// The loop variables of all iterations so far.
class SavedVariables {
 public:
  /// With those before the first iteration.
  explicit SavedVariables(std::span<const TensorView> first);

  void push(const std::vector<Tensor>& variables);
  void pop() { blocks_.pop_back(); }
  bool is_empty() const { return blocks_.empty(); }
  std::span<const TensorView> last() const { return blocks_.back().views; }

 private:
  struct Block {
    std::shared_ptr<Storage> memory;
    std::vector<TensorView> views;
  };
  Block& add();

  std::vector<TensorSpec> specs_;
  std::vector<Block> blocks_;
};

}  // namespace rhyton
