#include <rhyton/layers/reshaping/permute.h>

#include <algorithm>

#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

/// "(2, 1)", as Python prints a tuple.
std::string python_tuple(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "(" + text + (numbers.size() == 1 ? ",)" : ")");
}

class PermuteImpl final : public LayerImpl {
 public:
  explicit PermuteImpl(const PermuteArguments& arguments) : LayerImpl(base_options(arguments)), arguments_(arguments) {
    std::vector<int> sorted = arguments.dims;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i] == static_cast<int>(i) + 1) continue;
      throw ValueError(
          "Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must be consecutive and "
          "start from 1. Received dims=" +
          python_tuple(arguments.dims));
    }
    axes_.insert(axes_.end(), arguments.dims.begin(), arguments.dims.end());
  }

  std::string class_name() const override { return Permute::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs, {.ndim = static_cast<int>(axes_.size())});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {transpose(inputs[0], axes_)}; }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 private:
  PermuteArguments arguments_;
  /// With the batch axis.
  std::vector<int> axes_ = {0};
};

}  // namespace

Permute::Permute(const std::vector<int>& dims, const PermuteOptions& options)
    : Layer(std::make_shared<PermuteImpl>(PermuteArguments{options, dims})) {}

Permute Permute::from_config(const io::Json& config) {
  const auto arguments = read_layer<Permute>(config);
  return Permute(arguments.dims, arguments);
}

}  // namespace rhyton::layers
