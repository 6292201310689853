#include <rhyton/layers/activations/elu.h>

#include <rhyton/layers/activations.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class ELUImpl final : public LayerImpl {
 public:
  explicit ELUImpl(const ELUOptions& options) : LayerImpl(base_options(options)), options_(options) { mark_built(); }

  std::string class_name() const override { return ELU::keras_name; }
  bool supports_masking() const override { return true; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {activations::elu(inputs[0], options_.alpha)};
  }
  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  ELUOptions options_;
};

}  // namespace

ELU::ELU(const ELUOptions& options) : Layer(std::make_shared<ELUImpl>(options)) {}

ELU ELU::from_config(const io::Json& config) { return ELU(read_layer<ELU>(config)); }

}  // namespace rhyton::layers
