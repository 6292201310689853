#include <rhyton/layers/preprocessing/tfd_identity.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class TFDIdentityImpl final : public LayerImpl {
 public:
  explicit TFDIdentityImpl(const TFDIdentityOptions& options) : LayerImpl(base_options(options)) {}

  std::string class_name() const override { return TFDIdentity::keras_name; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool /*training*/) override {
    return {to_compute_dtype(inputs.front())};
  }
};

}  // namespace

TFDIdentity::TFDIdentity(const TFDIdentityOptions& options) : Layer(std::make_shared<TFDIdentityImpl>(options)) {}

TFDIdentity TFDIdentity::from_config(const io::Json& config) { return TFDIdentity(read_layer<TFDIdentity>(config)); }

}  // namespace rhyton::layers
