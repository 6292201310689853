#include <rhyton/layers/preprocessing/string_lookup.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/layers/preprocessing/string_lookup_impl.h>

namespace rhyton::layers {
namespace {

StringLookupImpl& impl_of(const StringLookup& layer) { return dynamic_cast<StringLookupImpl&>(*layer.impl()); }

IndexLookup<std::string>& lookup_of(const StringLookup& layer) { return impl_of(layer).lookup(); }

}  // namespace

void require_strings(const LayerImpl& layer, const Tensor& inputs) {
  if (inputs.dtype() == string_dtype) return;
  throw TypeError("Layer '" + layer.name() + "' (of type " + layer.class_name() +
                  ") takes strings. Received: a tensor of numbers, shape=" + inputs.shape().to_string() +
                  ", dtype=" + std::string(name_of(inputs.dtype())));
}

void StringLookupImpl::require_kind(const Tensor& inputs) const {
  if (!lookup().is_inverted()) return require_strings(*this, inputs);
  if (inputs.dtype() != string_dtype) return;
  throw TypeError("Layer '" + name() +
                  "' (of type StringLookup) has invert=True: it takes integers. Received: a tensor of strings, shape=" +
                  inputs.shape().to_string());
}

std::vector<Tensor> StringLookupImpl::call_on_host(const std::vector<Tensor>& inputs) const {
  const Tensor& given = inputs.at(0);
  require_kind(given);
  if (lookup().is_inverted()) {
    return {StringTensor(given.shape(), lookup().tokens_of(cast(given, DType::int64).elements<std::int64_t>()))};
  }
  const StringTensor& tokens = StringTensor::of(given);
  return {lookup().encoded(Tensor::from_data<std::int64_t>(tokens.shape(), lookup().indices_of(tokens.elements())))};
}

std::vector<Tensor> StringLookupImpl::infer_on_host(const std::vector<Tensor>& inputs) const {
  const Tensor& given = inputs.at(0);
  require_kind(given);
  if (lookup().is_inverted()) return {without_elements({given.shape(), string_dtype})};
  return {lookup().encoded(without_elements({given.shape(), DType::int64}))};
}

StringLookup::StringLookup(const StringLookupOptions& options)
    : Layer(std::make_shared<StringLookupImpl>(StringLookupArguments{options})) {}

StringLookup StringLookup::from_config(const io::Json& config) {
  return {Made(), std::make_shared<StringLookupImpl>(read_layer<StringLookup>(config))};
}

void StringLookup::adapt(const StringTensor& data) const {
  reset_state();
  lookup_of(*this).update_state_to_adapt(data.elements(), data.shape());
  finalize_state();
}

void StringLookup::reset_state() const { lookup_of(*this).reset_state(); }
void StringLookup::update_state(const StringTensor& data) const {
  lookup_of(*this).update_state(data.elements(), data.shape());
}
void StringLookup::finalize_state() const { lookup_of(*this).finalize_state(); }

void StringLookup::set_vocabulary(const Vocabulary<std::string>& vocabulary,
                                  const std::optional<std::vector<double>>& idf_weights) const {
  lookup_of(*this).set_vocabulary(vocabulary, idf_weights);
}

std::vector<std::string> StringLookup::get_vocabulary(bool include_special_tokens) const {
  return lookup_of(*this).vocabulary(include_special_tokens);
}

std::int64_t StringLookup::vocabulary_size() const { return lookup_of(*this).vocabulary_size(); }

void StringLookup::save_assets(const std::string& folder) const { layers::save_assets(impl_of(*this), folder); }
void StringLookup::load_assets(const std::string& folder) const { layers::load_assets(impl_of(*this), folder); }

}  // namespace rhyton::layers
