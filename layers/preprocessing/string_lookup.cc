#include <rhyton/layers/preprocessing/string_lookup.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/preprocessing/string_lookup_impl.h>

namespace rhyton::layers {
namespace {

StringLookupImpl& impl_of(const StringLookup& layer) { return dynamic_cast<StringLookupImpl&>(*layer.impl()); }

IndexLookup<std::string>& lookup_of(const StringLookup& layer) { return impl_of(layer).lookup(); }

}  // namespace

void throw_takes_strings(const LayerImpl& layer) {
  throw NotImplementedError(
      "Layer '" + layer.name() + "' (of type " + layer.class_name() +
      ") takes strings, which models do not have. Call it on a StringTensor before the model, and "
      "give the model the result.");
}

std::vector<Tensor> StringLookupImpl::call(const std::vector<Tensor>&, bool) { throw_takes_strings(*this); }

StringLookup::StringLookup(const StringLookupOptions& options)
    : Layer(std::make_shared<StringLookupImpl>(StringLookupArguments{options})) {}

StringLookup StringLookup::from_config(const io::Json& config) {
  return {Made(), std::make_shared<StringLookupImpl>(read_layer<StringLookup>(config))};
}

Tensor StringLookup::operator()(const StringTensor& tokens) const {
  const IndexLookup<std::string>& lookup = lookup_of(*this);
  if (lookup.is_inverted()) {
    throw TypeError("Layer '" + name() + "' (of type StringLookup) has invert=True: it is called on integers.");
  }
  return lookup.encoded(Tensor::from_data<std::int64_t>(tokens.shape(), lookup.indices_of(tokens.elements())));
}

StringTensor StringLookup::operator()(const Tensor& indices) const {
  const IndexLookup<std::string>& lookup = lookup_of(*this);
  if (!lookup.is_inverted()) {
    throw TypeError("Layer '" + name() + "' (of type StringLookup) has invert=False: it is called on strings.");
  }
  return {indices.shape(), lookup.tokens_of(cast(indices, DType::int64).elements<std::int64_t>())};
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
