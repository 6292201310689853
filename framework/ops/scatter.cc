#include <rhyton/framework/ops/scatter.h>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace {

/// A tensor as a table whose rows are selected by its first axes.
struct ScatterTable {
  Shape shape;
  std::int64_t rows;
  std::int64_t columns;

  ScatterTable(const Shape& whole, const Tensor& indices) : shape(whole) {
    if (indices.rank() == 0) throw InvalidArgumentError("indices must be at least a vector");
    const std::int64_t depth = indices.shape().at(-1);
    if (depth > whole.rank()) {
      throw InvalidArgumentError("The last dimension of indices must be at most the rank of " + bracketed(whole) +
                                 ", but it is " + std::to_string(depth));
    }
    rows = whole.slice(0, static_cast<int>(depth)).size();
    columns = whole.slice(static_cast<int>(depth), whole.rank()).size();
  }

  Tensor of(const Tensor& x) const { return reshape(x, {rows, columns}); }
};

Shape selected_shape(const Shape& whole, const Shape& indices) {
  const int places = indices.rank() - 1;
  return indices.slice(0, places).concatenate(whole.slice(static_cast<int>(indices[places]), whole.rank()));
}

Tensor flat_rows(const Tensor& indices, const ScatterTable& table) {
  return reshape(call<RavelIndicesOp>({indices}, table.shape), {-1});
}

void require_updates(const ScatterTable& table, const Tensor& indices, const Tensor& updates) {
  const Shape expected = selected_shape(table.shape, indices.shape());
  if (updates.shape() == expected) return;
  throw InvalidArgumentError("Updates of shape " + bracketed(updates.shape()) + " do not fit indices of shape " +
                             bracketed(indices.shape()) + " into a tensor of shape " + bracketed(table.shape) +
                             ": expected " + bracketed(expected) + " [Op:ScatterNd]");
}

/// The sums of the updates by row.
Tensor summed_rows(const Tensor& updates, const Tensor& rows, const Shape& table) {
  return gather_gradient(updates, rows, table, 0);
}

Tensor as_number(const Tensor& condition, DType dtype) { return cast(condition, dtype); }

/// The derivatives of products: each factor's is the product of all others with dy, which with one zero is nonzero for
/// that zero only.
std::vector<Tensor> scatter_product_gradients(const GradientArguments& arguments) {
  const Tensor& table = arguments.inputs[0];
  const Tensor& rows = arguments.inputs[1];
  const Tensor& updates = arguments.inputs[2];
  const Tensor& dy = arguments.output_gradients[0];
  const DType dtype = table.dtype();
  const Tensor nonzero_table = where(equal(table, 0.0), 1.0, table);
  const Tensor nonzero_updates = where(equal(updates, 0.0), 1.0, updates);
  const Tensor product = call<ScatterRowsOp>({nonzero_table, rows, nonzero_updates}, ScatterReduction::mul);
  const Tensor zeros =
      as_number(equal(table, 0.0), dtype) + summed_rows(as_number(equal(updates, 0.0), dtype), rows, table.shape());
  const auto others = [&](const Tensor& factor, const Tensor& nonzero, const Tensor& whole, const Tensor& count) {
    return where(equal(count, 0.0), whole / nonzero,
                 where(logical_and(equal(factor, 0.0), equal(count, 1.0)), whole, zeros_like(factor)));
  };
  std::vector<Tensor> gradients(3);
  if (arguments.needed[0]) gradients[0] = dy * others(table, nonzero_table, product, zeros);
  if (arguments.needed[2]) {
    gradients[2] = gather(dy, rows) * others(updates, nonzero_updates, gather(product, rows), gather(zeros, rows));
  }
  return gradients;
}

/// The derivatives of the largest or smallest of all: shared by those that tie.
std::vector<Tensor> scatter_extremum_gradients(const GradientArguments& arguments) {
  const Tensor& table = arguments.inputs[0];
  const Tensor& rows = arguments.inputs[1];
  const Tensor& updates = arguments.inputs[2];
  const Tensor& y = arguments.outputs[0];
  const DType dtype = table.dtype();
  const Tensor table_chosen = as_number(equal(table, y), dtype);
  const Tensor update_chosen = as_number(equal(updates, gather(y, rows)), dtype);
  const Tensor share = arguments.output_gradients[0] / (table_chosen + summed_rows(update_chosen, rows, table.shape()));
  std::vector<Tensor> gradients(3);
  if (arguments.needed[0]) gradients[0] = share * table_chosen;
  if (arguments.needed[2]) gradients[2] = gather(share, rows) * update_chosen;
  return gradients;
}

}  // namespace

std::vector<TensorSpec> RavelIndicesOp::infer(std::span<const TensorSpec> inputs) const {
  const TensorSpec& indices = inputs[0];
  if (indices.dtype != DType::int32 && indices.dtype != DType::int64) {
    throw InvalidArgumentError("Value for attr 'Tindices' of " + std::string(message_name_of(indices.dtype)) +
                               " is not in the list of allowed values: int32, int64 [Op:ScatterNd]");
  }
  return {{indices.shape.slice(0, indices.shape.rank() - 1), DType::int64}};
}

std::vector<Tensor> RavelIndicesOp::gradient(const GradientArguments&) const { return {Tensor()}; }

BatchRule RavelIndicesOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  return batch_axes[0] + 1 < inputs[0].shape.rank() ? BatchRule::maps(batch_axes[0]) : BatchRule::mixes();
}

std::string RavelIndicesOp::attributes() const { return attribute("whole", whole); }

std::string_view ScatterRowsOp::name() const {
  switch (reduction) {
    case ScatterReduction::max:
      return "ScatterRowsMax";
    case ScatterReduction::min:
      return "ScatterRowsMin";
    case ScatterReduction::mul:
      return "ScatterRowsMul";
    case ScatterReduction::update:
    case ScatterReduction::add:
      break;
  }
  return "ScatterRowsUpdate";
}

std::vector<TensorSpec> ScatterRowsOp::infer(std::span<const TensorSpec> inputs) const {
  require_dtype(name(), inputs, 1, DType::int64);
  require_dtype(name(), inputs, 2, inputs[0].dtype);
  return {inputs[0]};
}

std::vector<Tensor> ScatterRowsOp::gradient(const GradientArguments& arguments) const {
  if (reduction == ScatterReduction::mul) return scatter_product_gradients(arguments);
  if (reduction != ScatterReduction::update) return scatter_extremum_gradients(arguments);
  const Tensor& rows = arguments.inputs[1];
  const Tensor& dy = arguments.output_gradients[0];
  std::vector<Tensor> gradients(3);
  if (arguments.needed[0]) gradients[0] = call<ScatterRowsOp>({dy, rows, zeros_like(arguments.inputs[2])}, reduction);
  if (arguments.needed[2]) gradients[2] = gather(dy, rows);
  return gradients;
}

BatchRule ScatterRowsOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  const bool columns = batch_axes[0] == 1 && batch_axes[1] < 0 && batch_axes[2] == 1;
  return columns ? BatchRule::maps(1) : BatchRule::mixes();
}

Tensor scatter(const Tensor& indices, const Tensor& values, const Shape& shape) {
  const ScatterTable table(shape, indices);
  require_updates(table, indices, values);
  // Sums are made in wider integers, whose low bits are the result.
  const bool is_narrow = is_short(values.dtype());
  const Tensor updates = reshape(is_narrow ? cast(values, DType::int32) : values,
                                 {indices.shape().slice(0, indices.rank() - 1).size(), table.columns});
  const Tensor sums = summed_rows(updates, flat_rows(indices, table), {table.rows, table.columns});
  return cast(reshape(sums, shape), values.dtype());
}

ScatterReduction scatter_reduction_from_name(std::string_view name) {
  if (name == "add") return ScatterReduction::add;
  if (name == "max") return ScatterReduction::max;
  if (name == "min") return ScatterReduction::min;
  if (name == "mul") return ScatterReduction::mul;
  throw ValueError("Invalid reduction: " + std::string(name) +
                   ". Supported values are: None, 'add', 'max', 'min', 'mul'.");
}

Tensor scatter_update(const Tensor& inputs, const Tensor& indices, const Tensor& updates, ScatterReduction reduction) {
  if (inputs.dtype() == DType::bool_ && reduction != ScatterReduction::update) {
    // A sum of bytes would wrap.
    const ScatterReduction of_bytes = reduction == ScatterReduction::add ? ScatterReduction::max : reduction;
    return cast(scatter_update(cast(inputs, DType::uint8), indices, cast(updates, DType::uint8), of_bytes),
                DType::bool_);
  }
  const Tensor converted = cast(updates, inputs.dtype());
  if (reduction == ScatterReduction::add) return inputs + scatter(indices, converted, inputs.shape());
  const ScatterTable table(inputs.shape(), indices);
  require_updates(table, indices, converted);
  const Tensor rows = flat_rows(indices, table);
  const Tensor y =
      call<ScatterRowsOp>({table.of(inputs), rows, reshape(converted, {rows.size(), table.columns})}, reduction);
  return reshape(y, inputs.shape());
}

Tensor gather_nd(const Tensor& x, const Tensor& indices) {
  const ScatterTable table(x.shape(), indices);
  return reshape(gather(table.of(x), flat_rows(indices, table)), selected_shape(x.shape(), indices.shape()));
}

}  // namespace ops
}  // namespace rhyton
