#include <rhyton/framework/ops/elementwise_chain.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include <rhyton/framework/backends/cpu/elementwise/elementwise.h>
#include <rhyton/framework/device/round_up.h>

namespace rhyton::cpu {
namespace {

using Place = ElementwiseChainOp::Place;
using Step = ElementwiseChainOp::Step;

// All data of a block should fit in the L1 cache, besides the memory of the kernels.
constexpr std::int64_t bytes_of_all_blocks = 24 * 1024;
constexpr std::int64_t fewest_elements = 256;
constexpr std::int64_t max_elements = 4096;
// Kernels compute whole packets; a multiple of this leaves no remainder.
constexpr std::int64_t packet_elements = 64;
constexpr std::size_t alignment = 64;

std::size_t aligned(std::size_t bytes) { return round_up(bytes, alignment); }

/// How the results are divided: blocks of `rows` rows, or where rows are long, parts of one.
struct Blocking {
  std::int64_t row_length;
  std::int64_t rows;
  std::int64_t width;
  /// Bytes of one block of the widest dtype.
  std::size_t block_bytes;

  explicit Blocking(const ElementwiseChainOp& op) : row_length(op.row_length()) {
    const auto element = static_cast<std::int64_t>(op.widest_element());
    const auto buffers = static_cast<std::int64_t>(op.walks().size()) + op.outputs() + op.blocks();
    const std::int64_t fitting = bytes_of_all_blocks / (buffers * element);
    const std::int64_t elements =
        std::clamp(fitting / packet_elements * packet_elements, fewest_elements, max_elements);
    rows = std::max<std::int64_t>(1, elements / row_length);
    width = std::min(row_length, elements);
    block_bytes = aligned(static_cast<std::size_t>(rows * width * element));
  }
};

/// The address of an operand or a result of a member: `base`, plus the strides for each row, and for each element of a
/// row, before the current block.
struct Cursor {
  std::byte* base = nullptr;
  std::size_t row_step = 0;
  std::size_t element_step = 0;
  /// One element for the whole block.
  bool is_single = false;
};

/// Operands and results of all members together.
std::size_t count_views(const ElementwiseChainOp& op) {
  std::size_t count = 0;
  for (const Step& step : op.steps()) count += step.operands.size() + 1;
  return count;
}

/// Whether an input is repeated within blocks of several rows.
bool is_spread(ChainInput walk) { return walk == ChainInput::row || walk == ChainInput::column; }

std::size_t count_spread(const std::vector<ChainInput>& walks, std::size_t end) {
  return static_cast<std::size_t>(
      std::count_if(walks.begin(), walks.begin() + static_cast<std::ptrdiff_t>(end), &is_spread));
}

void repeat_row(const TensorView& row, std::int64_t times, std::byte* to) {
  const std::size_t bytes = row.spec.bytes();
  for (std::int64_t i = 0; i < times; ++i, to += bytes) std::memcpy(to, row.data, bytes);
}

template <class T>
void repeat_elements(const std::byte* column, std::int64_t rows, std::int64_t length, std::byte* to) {
  const T* from = reinterpret_cast<const T*>(column);
  T* out = reinterpret_cast<T*>(to);
  for (std::int64_t row = 0; row < rows; ++row, out += length) std::fill_n(out, length, from[row]);
}

/// One call of a chain's kernel. The views of all members' calls are created once and moved from block to block.
class ChainRun {
 public:
  explicit ChainRun(const KernelArguments& arguments)
      : arguments_(arguments),
        op_(arguments.attributes<ElementwiseChainOp>()),
        blocking_(op_),
        view_count_(count_views(op_)) {
    auto* room = static_cast<std::byte*>(arguments.workspace);
    views_ = reinterpret_cast<TensorView*>(room);
    room += aligned(view_count_ * sizeof(TensorView));
    cursors_ = reinterpret_cast<Cursor*>(room);
    room += aligned(view_count_ * sizeof(Cursor));
    repeated_ = room;
    blocks_ = room + blocking_.block_bytes * count_spread(op_.walks(), op_.walks().size());
    std::uninitialized_value_construct_n(views_, view_count_);
    std::uninitialized_value_construct_n(cursors_, view_count_);
  }

  static std::size_t workspace_bytes(const ElementwiseChainOp& op) {
    const std::size_t views = count_views(op);
    return aligned(views * sizeof(TensorView)) + aligned(views * sizeof(Cursor)) +
           (count_spread(op.walks(), op.walks().size()) + static_cast<std::size_t>(op.blocks())) *
               Blocking(op).block_bytes;
  }

  void run() {
    const std::int64_t rows = arguments_.outputs[0].size() / blocking_.row_length;
    place(rows);
    for (std::int64_t row = 0; row < rows; row += blocking_.rows) {
      const std::int64_t row_count = std::min(blocking_.rows, rows - row);
      if (blocking_.rows > 1) repeat_columns(row, row_count);
      for (std::int64_t first = 0; first < blocking_.row_length; first += blocking_.width) {
        run_block(row, first, row_count * std::min(blocking_.width, blocking_.row_length - first));
      }
    }
  }

 private:
  std::byte* repeated(std::size_t input) const {
    return repeated_ + blocking_.block_bytes * count_spread(op_.walks(), input);
  }

  Cursor cursor_of(const TensorView& whole) const {
    const std::size_t element = size_of(whole.spec.dtype);
    return {static_cast<std::byte*>(whole.data), element * static_cast<std::size_t>(blocking_.row_length), element};
  }

  Cursor cursor_of(const Place& place) const {
    const auto index = static_cast<std::size_t>(place.index);
    if (place.kind == Place::Kind::block) return {blocks_ + blocking_.block_bytes * index};
    if (place.kind == Place::Kind::output) return cursor_of(arguments_.outputs[index]);
    const TensorView& input = arguments_.inputs[index];
    auto* data = static_cast<std::byte*>(input.data);
    const std::size_t element = size_of(input.spec.dtype);
    switch (op_.walks()[index]) {
      case ChainInput::full:
        break;
      case ChainInput::scalar:
        return {data, 0, 0, true};
      case ChainInput::row:
        return blocking_.rows > 1 ? Cursor{repeated(index)} : Cursor{data, 0, element};
      case ChainInput::column:
        return blocking_.rows > 1 ? Cursor{repeated(index)} : Cursor{data, element, 0, true};
    }
    return cursor_of(input);
  }

  void place(std::int64_t rows) {
    const std::vector<ChainInput>& walks = op_.walks();
    for (std::size_t i = 0; i < walks.size(); ++i) {
      if (walks[i] == ChainInput::row && blocking_.rows > 1) {
        repeat_row(arguments_.inputs[i], std::min(rows, blocking_.rows), repeated(i));
      }
    }
    std::size_t at = 0;
    for (const Step& step : op_.steps()) {
      for (std::size_t k = 0; k <= step.operands.size(); ++k, ++at) {
        const bool is_result = k == step.operands.size();
        cursors_[at] = cursor_of(is_result ? step.result : step.operands[k].place);
        views_[at].spec.dtype = is_result ? step.dtype : step.operands[k].dtype;
        if (!cursors_[at].is_single) views_[at].spec.shape = {0};
      }
    }
  }

  void repeat_columns(std::int64_t first, std::int64_t rows) {
    const std::vector<ChainInput>& walks = op_.walks();
    for (std::size_t i = 0; i < walks.size(); ++i) {
      if (walks[i] != ChainInput::column) continue;
      const std::size_t element = size_of(arguments_.inputs[i].spec.dtype);
      const std::byte* from =
          static_cast<const std::byte*>(arguments_.inputs[i].data) + element * static_cast<std::size_t>(first);
      const auto repeat = element == 1   ? &repeat_elements<std::uint8_t>
                          : element == 2 ? &repeat_elements<std::uint16_t>
                          : element == 4 ? &repeat_elements<std::uint32_t>
                                         : &repeat_elements<std::uint64_t>;
      repeat(from, rows, blocking_.row_length, repeated(i));
    }
  }

  void run_block(std::int64_t row, std::int64_t first, std::int64_t elements) {
    const bool has_other_size = elements != elements_;
    elements_ = elements;
    for (std::size_t i = 0; i < view_count_; ++i) {
      const Cursor& cursor = cursors_[i];
      views_[i].data = cursor.base + static_cast<std::size_t>(row) * cursor.row_step +
                       static_cast<std::size_t>(first) * cursor.element_step;
      if (has_other_size && !cursor.is_single) views_[i].spec.shape[0] = elements;
    }
    const TensorView* view = views_;
    for (const Step& step : op_.steps()) {
      const std::size_t inputs = step.operands.size();
      step.kernel->run({.op = step.op.get(), .inputs = {view, inputs}, .outputs = {view + inputs, 1}});
      view += inputs + 1;
    }
    view = views_;
    for (const Step& step : op_.steps()) {
      const TensorView& result = view[step.operands.size()];
      view += step.operands.size() + 1;
      if (step.late_output < 0) continue;
      const Cursor to = cursor_of(arguments_.outputs[static_cast<std::size_t>(step.late_output)]);
      std::memcpy(
          to.base + static_cast<std::size_t>(row) * to.row_step + static_cast<std::size_t>(first) * to.element_step,
          result.data, result.spec.bytes());
    }
  }

  const KernelArguments& arguments_;
  const ElementwiseChainOp& op_;
  Blocking blocking_;
  std::size_t view_count_;
  std::int64_t elements_ = 0;
  TensorView* views_ = nullptr;
  Cursor* cursors_ = nullptr;
  /// For each input that is a row or a column: a block in which it is repeated.
  std::byte* repeated_ = nullptr;
  /// Intermediate results of members.
  std::byte* blocks_ = nullptr;
};

void run_chain(const KernelArguments& arguments) { ChainRun(arguments).run(); }

std::size_t chain_workspace(const Op& op, Kernel::Specs, Kernel::Specs) {
  return ChainRun::workspace_bytes(static_cast<const ElementwiseChainOp&>(op));
}

}  // namespace

void register_chain_kernels(KernelTable& table) {
  // A chain consists of the kernels of its members, also in half types.
  table.add("ElementwiseChain", DType::float32,
            {.run = &run_chain, .workspace_bytes = &chain_workspace, .serves_narrow_types = false});
}

}  // namespace rhyton::cpu
