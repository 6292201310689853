#include <rhyton/layers/merging/concatenate.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/merging/base_merge.h>
#include <rhyton/layers/operations/numpy_joining.h>
#include <rhyton/layers/operations/numpy_reductions.h>
#include <rhyton/layers/operations/numpy_shaping.h>
#include <rhyton/layers/operations/operation.h>

namespace rhyton::layers {
namespace {

class ConcatenateImpl final : public LayerImpl {
 public:
  explicit ConcatenateImpl(const ConcatenateOptions& options) : LayerImpl(base_options(options)), options_(options) {}

  std::string class_name() const override { return Concatenate::keras_name; }

  void check_single_input(const Shape& shape) const override { throw_for_input(shape.to_string()); }

  void check_inputs(const std::vector<Shape>& shapes) const override {
    if (shapes.empty()) throw_for_input("[]");
    const Shape& first = shapes[0];
    Axes(options_.axis).of(first);
    for (const Shape& shape : shapes) {
      bool fits = shape.rank() == first.rank();
      for (int axis = 0; fits && axis < first.rank(); ++axis) {
        const bool is_free = axis == normalize_axis(options_.axis, first.rank()) || first[axis] < 0 || shape[axis] < 0;
        fits = is_free || first[axis] == shape[axis];
      }
      if (!fits) {
        throw ValueError(
            "A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. Received: "
            "input_shape=" +
            shape_list_text(shapes));
      }
    }
  }

  io::Json get_build_config() const override {
    return build_config_of_list(LayerImpl::get_build_config(), built_shapes().size());
  }

  bool supports_masking() const override { return true; }

  // Masks of the inputs' shapes are concatenated; a step counts if any of its elements does.
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs, const std::vector<Tensor>& masks) const override {
    if (std::all_of(masks.begin(), masks.end(), [](const Tensor& mask) { return mask.is_empty(); })) return {};
    std::vector<Tensor> whole;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (masks.at(i).is_empty()) {
        whole.push_back(cast(ones_like(inputs[i]), DType::bool_));
      } else if (masks[i].rank() < inputs[i].rank()) {
        whole.push_back(broadcast_like(expand_dims(masks[i], -1), inputs[i]));
      } else {
        whole.push_back(masks[i]);
      }
    }
    return {any(concatenate(whole, options_.axis), {-1})};
  }

  // An empty mask may be one that is known only when the model runs, which then computes them all.
  std::vector<SymbolicTensor> compute_symbolic_mask(const std::vector<SymbolicTensor>& inputs,
                                                    const std::vector<SymbolicTensor>& masks) const override {
    if (std::any_of(masks.begin(), masks.end(), [](const SymbolicTensor& mask) { return mask.is_empty(); })) return {};
    std::vector<SymbolicTensor> whole;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool is_of_steps = masks.at(i).rank() < inputs[i].rank();
      whole.push_back(is_of_steps
                          ? ops::expand_dims(masks[i], -1) | operation_output("ZerosLike", {inputs[i]}, {"bool"})
                          : masks[i]);
    }
    return {ops::any(ops::concatenate(whole, options_.axis), {-1})};
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {concatenate(inputs, options_.axis)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  [[noreturn]] static void throw_for_input(const std::string& received) {
    throw ValueError("A `Concatenate` layer should be called on a list of at least 1 input. Received: input_shape=" +
                     received);
  }

  ConcatenateOptions options_;
};

}  // namespace

Concatenate::Concatenate(const ConcatenateOptions& options) : Layer(std::make_shared<ConcatenateImpl>(options)) {}

Concatenate Concatenate::from_config(const io::Json& config) { return Concatenate(read_layer<Concatenate>(config)); }

SymbolicTensor concatenate(const std::vector<SymbolicTensor>& inputs, const ConcatenateOptions& options) {
  return Concatenate(options)(inputs);
}

Tensor concatenate(const std::vector<Tensor>& inputs, const ConcatenateOptions& options) {
  return Concatenate(options)(inputs);
}

}  // namespace rhyton::layers
