#include <rhyton/layers/reshaping/repeat_vector.h>

#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class RepeatVectorImpl final : public LayerImpl {
 public:
  explicit RepeatVectorImpl(const RepeatVectorArguments& arguments)
      : LayerImpl(base_options(arguments)), arguments_(arguments) {
    if (arguments.n <= 0) {
      throw ValueError("Argument `n` should be a positive integer. Received: n=" + std::to_string(arguments.n));
    }
  }

  std::string class_name() const override { return RepeatVector::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs, {.ndim = 2}); }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {repeat(expand_dims(inputs[0], 1), arguments_.n, 1)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 private:
  RepeatVectorArguments arguments_;
};

}  // namespace

RepeatVector::RepeatVector(std::int64_t n, const RepeatVectorOptions& options)
    : Layer(std::make_shared<RepeatVectorImpl>(RepeatVectorArguments{options, n})) {}

RepeatVector RepeatVector::from_config(const io::Json& config) {
  const auto arguments = read_layer<RepeatVector>(config);
  return RepeatVector(arguments.n, arguments);
}

}  // namespace rhyton::layers
