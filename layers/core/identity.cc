#include <rhyton/layers/core/identity.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class IdentityImpl final : public LayerImpl {
 public:
  explicit IdentityImpl(const IdentityOptions& options) : LayerImpl(base_options(options)) { mark_built(); }

  std::string class_name() const override { return Identity::keras_name; }
  bool supports_masking() const override { return true; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return inputs; }
};

}  // namespace

Identity::Identity(const IdentityOptions& options) : Layer(std::make_shared<IdentityImpl>(options)) {}

Identity Identity::from_config(const io::Json& config) { return Identity(read_layer<Identity>(config)); }

}  // namespace rhyton::layers
