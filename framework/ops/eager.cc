#include <rhyton/framework/ops/eager.h>

#include <algorithm>
#include <mutex>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/placement.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/framework/tensor/variable_values.h>
#include <rhyton/framework/threading/thread_pool.h>

namespace rhyton {
namespace {

// With fewer bytes, passing work to other threads costs more than it gains.
constexpr std::size_t bytes_worth_splitting = 128 * 1024;
constexpr std::int64_t max_pieces = 16;

TensorView view_of(const Tensor& tensor) {
  return {const_cast<void*>(tensor.raw_data()), tensor.spec()};  // NOLINT: kernels write outputs only
}

/// Elements [first, last) of an axis behind axes of length 1.
TensorView part_of(const TensorView& view, int axis, std::int64_t first, std::int64_t last) {
  TensorView part = view;
  const std::int64_t samples = view.spec.shape[axis];
  if (samples > 0) {
    part.data = static_cast<std::byte*>(view.data) +
                view.spec.bytes() / static_cast<std::size_t>(samples) * static_cast<std::size_t>(first);
  }
  part.spec.shape[axis] = last - first;
  return part;
}

int first_long_axis(const Shape& shape) {
  int axis = 0;
  while (axis + 1 < shape.rank() && shape[axis] == 1) ++axis;
  return axis;
}

class EagerInterpreter final : public Interpreter {
 public:
  std::vector<Tensor> apply(const OpPtr& op, std::span<const Tensor> inputs) override {
    return execute(op, inputs, [](const TensorSpec&) { return Tensor(); });
  }

  /// `reusable` returns a tensor of that spec that may be overwritten, or an empty one.
  template <class Reusable>
  std::vector<Tensor> execute(const OpPtr& op, std::span<const Tensor> inputs, Reusable reusable) {
    std::vector<TensorSpec> specs;
    specs.reserve(inputs.size());
    for (const Tensor& input : inputs) {
      if (input.is_empty()) throw ValueError("Op " + std::string(op->name()) + " was given an empty tensor.");
      if (input.is_traced()) {
        throw RuntimeError("Op " + std::string(op->name()) +
                           " is executed eagerly on a tensor of a graph that "
                           "is being traced.");
      }
      specs.push_back(input.spec());
    }
    const std::vector<TensorSpec> output_specs = op->infer(specs);
    if (op->is_view()) {
      return {Tensor::from_storage(output_specs[0].shape, output_specs[0].dtype, inputs[0].storage(),
                                   inputs[0].byte_offset())};
    }
    const Placement placement = place(*op, specs);
    log_placement(op->name(), *placement.device);
    if (!placement.device->is_host()) return run_on_stream(op, inputs, output_specs, placement);
    const Kernel& kernel = *placement.kernel;
    std::vector<Tensor> outputs;
    outputs.reserve(output_specs.size());
    for (const TensorSpec& spec : output_specs) {
      Tensor output = outputs.empty() ? reusable(spec) : Tensor();
      const bool is_there = !output.is_empty() && &output.device() == placement.device;
      outputs.push_back(!is_there ? Tensor::uninitialized(spec.shape, spec.dtype, *placement.device)
                                  : std::move(output));
    }
    run(*op, kernel, inputs, specs, outputs, output_specs);
    return outputs;
  }

  Tensor read(const Variable& variable) override {
    if (const VariableValues::Entry* const entry = VariableValuesScope::find(variable)) return entry->value;
    const std::unique_lock between_steps(step_mutex());
    return variable.stored_value();
  }

  void assign(const Variable& variable, const Tensor& value) override {
    // The value may be shared with a tensor that changes later.
    const bool is_shared = value.handle_count() > 1 || value.storage().use_count() > 1;
    const Tensor own = is_shared ? value.clone() : value;
    VariableValues::Entry* const entry = VariableValuesScope::find(variable);
    if (entry != nullptr) entry->value = own.to(entry->value.device());
    if (entry != nullptr && entry->is_own) return;
    const std::unique_lock between_steps(step_mutex());
    variable.set_stored_value(own);
  }

  bool executes() const override { return true; }

 private:
  static void run(const Op& op, const Kernel& kernel, std::span<const Tensor> inputs,
                  const std::vector<TensorSpec>& specs, const std::vector<Tensor>& outputs,
                  const std::vector<TensorSpec>& output_specs) {
    std::vector<TensorView> input_views;
    std::vector<TensorView> output_views;
    for (const Tensor& input : inputs) input_views.push_back(view_of(input));
    for (const Tensor& output : outputs) output_views.push_back(view_of(output));

    std::shared_ptr<Storage> packed;
    if (kernel.packed_bytes != nullptr) {
      if (const std::size_t bytes = kernel.packed_bytes(op, specs, output_specs); bytes > 0) {
        packed = Storage::allocate(bytes);
        kernel.pack({.op = &op, .inputs = input_views, .outputs = output_views, .workspace = packed->data()});
      }
    }
    const void* packed_data = packed ? packed->data() : nullptr;

    const OpSplit split = split_op(op, kernel, specs, output_specs);
    const std::int64_t step = (split.samples + split.pieces - 1) / split.pieces;
    const auto run_piece = [&](std::int64_t piece, int) {
      const std::int64_t first = piece * step;
      const std::int64_t last = std::min(split.samples, first + step);
      const bool is_cut = split.pieces > 1 && !split.by_kernel;
      if (first >= last && is_cut) return;
      std::vector<TensorView> ins = input_views;
      std::vector<TensorView> outs = output_views;
      if (is_cut) {
        for (std::size_t i = 0; i < ins.size(); ++i) {
          if (split.cut_inputs[i]) ins[i] = part_of(ins[i], split.axis, first, last);
        }
        for (TensorView& out : outs) out = part_of(out, split.axis, first, last);
      }
      std::shared_ptr<Storage> workspace;
      if (kernel.workspace_bytes != nullptr) {
        std::vector<TensorSpec> in_specs;
        std::vector<TensorSpec> out_specs;
        for (const TensorView& in : ins) in_specs.push_back(in.spec);
        for (const TensorView& out : outs) out_specs.push_back(out.spec);
        if (const std::size_t bytes = kernel.workspace_bytes(op, in_specs, out_specs); bytes > 0) {
          workspace = Storage::allocate(bytes);
        }
      }
      kernel.run({.op = &op,
                  .inputs = ins,
                  .outputs = outs,
                  .workspace = workspace ? workspace->data() : nullptr,
                  .packed = packed_data,
                  .first_sample = is_cut && split.axis == 0 ? first : 0,
                  .piece = split.by_kernel ? piece : 0,
                  .pieces = split.by_kernel ? split.pieces : 1});
    };
    if (split.pieces == 1) {
      run_piece(0, 0);
    } else {
      context().thread_pool().run(split.pieces, run_piece);
    }
  }
};

}  // namespace

Interpreter& eager_interpreter() {
  static EagerInterpreter interpreter;
  return interpreter;
}

Tensor apply_consuming(const OpPtr& op, std::span<Tensor> inputs) {
  if (!executing_eagerly() || is_observed()) return apply_single(op, inputs);
  auto& interpreter = static_cast<EagerInterpreter&>(eager_interpreter());
  return interpreter
      .execute(op, inputs,
               [&](const TensorSpec& spec) {
                 for (std::size_t i = 0; i < inputs.size(); ++i) {
                   const Tensor& input = inputs[i];
                   const bool has_one_owner = input.handle_count() == 1 && input.storage().use_count() == 1;
                   if (has_one_owner && input.spec() == spec && op->may_overwrite(i, 0)) return input.without_mask();
                 }
                 return Tensor();
               })
      .front();
}

bool can_be_divided_along_any_axis(const Op& op) {
  return op.is_elementwise() || dynamic_cast<const ConcatenateOp*>(&op) != nullptr;
}

OpSplit split_op(const Op& op, const Kernel& kernel, std::span<const TensorSpec> inputs,
                 std::span<const TensorSpec> outputs) {
  OpSplit split;
  const bool any_axis = can_be_divided_along_any_axis(op);
  if (inputs.empty() || (inputs[0].shape.rank() == 0 && !any_axis)) return split;
  std::size_t bytes = 0;
  for (const TensorSpec& spec : inputs) bytes += spec.bytes();
  for (const TensorSpec& spec : outputs) bytes += spec.bytes();
  if (kernel.pieces != nullptr && bytes >= bytes_worth_splitting) {
    const std::int64_t pieces = std::min(max_pieces, kernel.pieces(op, inputs, outputs));
    split.by_kernel = pieces > 1;
    if (split.by_kernel) split.pieces = pieces;
    if (split.by_kernel) return split;
  }
  const Shape& whole = any_axis ? outputs[0].shape : inputs[0].shape;
  if (whole.rank() == 0) return split;
  const int axis = any_axis ? first_long_axis(whole) : 0;
  const std::int64_t samples = whole[axis];
  if (bytes < bytes_worth_splitting || samples < 2) return split;
  const auto has_parts = [&](const Shape& shape) {
    return shape.rank() > axis && shape[axis] == samples && shape.slice(0, axis).size() == 1;
  };

  // Attempts: divide all inputs as long as that; only those that also have its rank, as a vector may have the same
  // length by chance; the first input alone.
  enum class Guess { as_long, of_the_same_rank, alone };
  for (const Guess guess : {Guess::as_long, Guess::of_the_same_rank, Guess::alone}) {
    std::vector<int> axes(inputs.size(), -1);
    std::vector<bool> cut(inputs.size(), false);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Shape& shape = inputs[i].shape;
      if (!has_parts(shape) || (i > 0 && guess == Guess::alone)) continue;
      if (guess == Guess::of_the_same_rank && shape.rank() != whole.rank()) continue;
      axes[i] = axis;
      cut[i] = true;
    }
    if (std::none_of(cut.begin(), cut.end(), [](bool is_cut) { return is_cut; })) continue;
    const auto maps = [&](std::size_t output) {
      const BatchRule rule = op.output_batch_rule(output, inputs, axes);
      return rule.effect == BatchEffect::maps && rule.output_axis == axis && has_parts(outputs[output].shape);
    };
    std::size_t mapped = 0;
    while (mapped < outputs.size() && maps(mapped)) ++mapped;
    if (mapped < outputs.size()) continue;
    const std::int64_t least = kernel.least_samples == nullptr ? 1 : kernel.least_samples(op, inputs, outputs);
    const std::int64_t step = std::max((samples + max_pieces - 1) / max_pieces, least);
    split.axis = axis;
    split.samples = samples;
    split.pieces = (samples + step - 1) / step;
    split.cut_inputs = std::move(cut);
    return split;
  }
  return split;
}

}  // namespace rhyton
