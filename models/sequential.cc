#include <rhyton/models/sequential.h>

#include <rhyton/framework/context.h>
#include <rhyton/models/sequential_impl.h>

namespace rhyton::models {
namespace {

std::shared_ptr<SequentialImpl> make(const std::vector<layers::Layer>& layers, const SequentialOptions& options) {
  layers::LayerOptions layer_options;
  layer_options.name = options.name.empty() ? context().unique_name("sequential") : options.name;
  auto impl = std::make_shared<SequentialImpl>(layer_options);
  impl->add(layers);
  if (!options.trainable) impl->set_trainable(false);
  return impl;
}

SequentialImpl& impl_of(const Sequential& model) { return static_cast<SequentialImpl&>(*model.impl()); }

}  // namespace

Sequential::Sequential(const SequentialOptions& options) : Sequential(std::vector<layers::Layer>(), options) {}

Sequential::Sequential(std::initializer_list<layers::Layer> layers, const SequentialOptions& options)
    : Sequential(std::vector<layers::Layer>(layers), options) {}

Sequential::Sequential(const std::vector<layers::Layer>& layers, const SequentialOptions& options)
    : Model(make(layers, options)) {}

void Sequential::add(const layers::Layer& layer) const { impl_of(*this).add({layer}); }

layers::Layer Sequential::pop() const { return impl_of(*this).pop(); }

}  // namespace rhyton::models
