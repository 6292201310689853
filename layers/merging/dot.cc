#include <rhyton/layers/merging/dot.h>

#include <array>

#include <rhyton/framework/ops/einsum.h>
#include <rhyton/framework/ops/norms.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/merging/base_merge.h>

namespace rhyton::layers {
namespace {

/// The length of an axis, "None" where it is unknown.

class DotImpl final : public LayerImpl {
 public:
  explicit DotImpl(const DotArguments& arguments) : LayerImpl(base_options(arguments)), arguments_(arguments) {
    if (is_pair() && arguments.axes.values().size() != 2) {
      throw ValueError("Invalid format for argument `axes`: it should contain two elements. Received: axes=" +
                       arguments.axes.to_config().dump());
    }
  }

  std::string class_name() const override { return Dot::keras_name; }
  // The result has no steps that a mask could be for.
  bool supports_masking() const override { return true; }
  std::vector<Tensor> compute_mask(const std::vector<Tensor>&, const std::vector<Tensor>&) const override { return {}; }

  void check_single_input(const Shape& shape) const override { throw_for_inputs(shape.to_string()); }

  void check_inputs(const std::vector<Shape>& shapes) const override {
    if (shapes.size() != 2) throw_for_inputs(shape_list_text(shapes));
    const Shape& a = shapes[0];
    const Shape& b = shapes[1];
    const std::array<int, 2> axes = axes_of(a, b);
    const std::int64_t length_a = a[axes[0]];
    const std::int64_t length_b = b[axes[1]];
    if (!is_built() && length_a != length_b) {
      throw ValueError("Incompatible input shapes: axis values " + length_to_string(length_a) + " (at axis " +
                       std::to_string(axes[0]) + ") != " + length_to_string(length_b) + " (at axis " +
                       std::to_string(axes[1]) + "). Full input shapes: " + a.to_string() + ", " + b.to_string());
    }
    const std::string both = a.to_string() + " and " + b.to_string();
    if (a.rank() < 2 || b.rank() < 2) {
      throw ValueError("Cannot do batch_dot on inputs with rank < 2. Received inputs with shapes " + both + ".");
    }
    if (a[0] >= 0 && b[0] >= 0 && a[0] != b[0]) {
      throw ValueError("Cannot do batch_dot on inputs with different batch sizes. Received inputs with shapes " + both +
                       ".");
    }
    if (axes[0] == 0 || axes[1] == 0) {
      throw ValueError(
          "Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy batch dimension to your "
          "inputs using keras.ops.expand_dims(x, 0)");
    }
    if (length_a >= 0 && length_b >= 0 && length_a != length_b) {
      const std::string first = std::to_string(axes[0]);
      const std::string second = std::to_string(axes[1]);
      throw ValueError("Cannot do batch_dot on inputs with shapes " + both + " with axes=[" + first + ", " + second +
                       "]. x.shape[" + first + "] != y.shape[" + second + "] (" + std::to_string(length_a) +
                       " != " + std::to_string(length_b) + ").");
    }
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const std::array<int, 2> axes = axes_of(inputs[0].shape(), inputs[1].shape());
    const auto prepared = [&](std::size_t i) {
      return arguments_.normalize ? normalize(inputs[i], axes[i]) : inputs[i];
    };
    const std::string batch = "a";
    const std::string summed = "b";
    char next = 'c';
    std::string result = batch;
    const auto labels_of = [&](std::size_t i) {
      std::string labels = batch;
      for (int axis = 1; axis < inputs[i].rank(); ++axis) {
        if (axis == axes[i]) {
          labels += summed;
        } else {
          labels += next;
          result += next++;
        }
      }
      return labels;
    };
    const std::string first = labels_of(0);
    const std::string second = labels_of(1);
    const Tensor y = einsum(first + "," + second + "->" + result, prepared(0), prepared(1));
    return {y.rank() == 1 ? expand_dims(y, 1) : y};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 private:
  [[noreturn]] static void throw_for_inputs(const std::string& received) {
    throw ValueError("A `Dot` layer should be called on a list of 2 inputs. Received: input_shape=" + received);
  }

  bool is_pair() const { return arguments_.axes.to_config().is_array(); }

  /// The axes of both inputs, counted from the front.
  std::array<int, 2> axes_of(const Shape& a, const Shape& b) const {
    const std::vector<int>& given = arguments_.axes.values();
    const auto axis_of = [&](const Shape& shape, int axis) {
      // As in Python, a single negative axis is taken modulo the rank.
      if (!is_pair() && axis < 0 && shape.rank() > 0) return (axis % shape.rank() + shape.rank()) % shape.rank();
      if (axis >= shape.rank() || axis < -shape.rank()) {
        throw ValueError("Axis " + std::to_string(axis) + " is out of bounds for input shape " + shape.to_string() +
                         ". Received: axes=" + arguments_.axes.to_config().dump());
      }
      return normalize_axis(axis, shape.rank());
    };
    return {axis_of(a, given.front()), axis_of(b, given.back())};
  }

  DotArguments arguments_;
};

}  // namespace

Dot::Dot(const Axes& axes, const DotOptions& options) : Layer(std::make_shared<DotImpl>(DotArguments{options, axes})) {}

Dot Dot::from_config(const io::Json& config) {
  const auto arguments = read_layer<Dot>(config);
  return Dot(arguments.axes, arguments);
}

SymbolicTensor dot(const std::vector<SymbolicTensor>& inputs, const Axes& axes, const DotOptions& options) {
  return Dot(axes, options)(inputs);
}

Tensor dot(const std::vector<Tensor>& inputs, const Axes& axes, const DotOptions& options) {
  return Dot(axes, options)(inputs);
}

}  // namespace rhyton::layers
