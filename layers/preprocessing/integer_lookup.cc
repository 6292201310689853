#include <rhyton/layers/preprocessing/integer_lookup.h>

#include <atomic>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/host_layer.h>
#include <rhyton/layers/preprocessing/lookup_layer.h>

namespace rhyton::layers {
namespace {

/// The results for tensors with elements.
std::vector<Tensor> found_in(const IndexLookup<std::int64_t>& lookup, const Tensor& inputs) {
  const Tensor tokens = cast(inputs, DType::int64);
  const auto elements = tokens.elements<std::int64_t>();
  const std::vector<std::int64_t> found =
      lookup.is_inverted() ? lookup.tokens_of(elements) : lookup.indices_of(elements);
  return {lookup.encoded(Tensor::from_data<std::int64_t>(tokens.shape(), found))};
}

class IntegerLookupImpl final : public LookupLayer<IntegerLookup, std::int64_t> {
 public:
  using LookupLayer::LookupLayer;

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    if (!is_inferring() && executing_eagerly()) return found_in(lookup(), inputs[0]);
    const Tensor tokens = cast(inputs[0], DType::int64);
    // A model may be made of a layer that is adapted later.
    if (is_inferring()) return {lookup().encoded(tokens)};
    is_traced_ = true;
    return {lookup().encoded(lookup().lookup_of(tokens))};
  }

  void warn_of_new_vocabulary() {
    if (!is_traced_.exchange(false)) return;
    warn("The vocabulary of layer '" + name() +
         "' (of type IntegerLookup) changes. Models that have used it keep the earlier one until they are compiled "
         "again.");
  }

 private:
  /// Whether a compiled model has this vocabulary.
  std::atomic<bool> is_traced_{false};
};

/// For arguments with which the indices cannot be found with ops. A compiled model always has the current vocabulary.
class HostIntegerLookupImpl final : public LookupLayer<IntegerLookup, std::int64_t, HostLayer> {
 public:
  using LookupLayer::LookupLayer;

  std::vector<Tensor> call_on_host(const std::vector<Tensor>& inputs) const override {
    return found_in(lookup(), inputs.at(0));
  }

 protected:
  std::vector<Tensor> infer_on_host(const std::vector<Tensor>& inputs) const override {
    return {lookup().encoded(without_elements({inputs.at(0).shape(), DType::int64}))};
  }
};

std::shared_ptr<LayerImpl> make_impl(const IntegerLookupArguments& arguments) {
  auto impl = std::make_shared<IntegerLookupImpl>(arguments);
  if (impl->lookup().needs_host()) return std::make_shared<HostIntegerLookupImpl>(arguments);
  return impl;
}

IndexLookup<std::int64_t>& lookup_of(const IntegerLookup& layer) {
  if (auto* const impl = dynamic_cast<IntegerLookupImpl*>(layer.impl().get())) return impl->lookup();
  return dynamic_cast<HostIntegerLookupImpl&>(*layer.impl()).lookup();
}

AssetHolder& assets_of(const IntegerLookup& layer) { return dynamic_cast<AssetHolder&>(*layer.impl()); }

void warn_of_new_vocabulary(const IntegerLookup& layer) {
  if (auto* const impl = dynamic_cast<IntegerLookupImpl*>(layer.impl().get())) impl->warn_of_new_vocabulary();
}

const IntegerLookupOptions& checked(const IntegerLookupOptions& options) {
  if (options.max_tokens && *options.max_tokens <= 1) {
    throw ValueError("If `max_tokens` is set for `IntegerLookup`, it must be greater than 1. Received: max_tokens=" +
                     std::to_string(*options.max_tokens));
  }
  if (options.num_oov_indices < 0) {
    throw ValueError(
        "The value of `num_oov_indices` argument for `IntegerLookup` must >= 0. Received: num_oov_indices=" +
        std::to_string(options.num_oov_indices));
  }
  return options;
}

}  // namespace

IntegerLookup::IntegerLookup(const IntegerLookupOptions& options)
    : Layer(make_impl(IntegerLookupArguments{checked(options)})) {}

IntegerLookup IntegerLookup::from_config(const io::Json& config) {
  const auto arguments = read_layer<IntegerLookup>(config);
  checked(arguments);
  return {Made(), make_impl(arguments)};
}

void IntegerLookup::adapt(const Tensor& data) const {
  reset_state();
  const InitScope init;
  const Tensor tokens = cast(data, DType::int64);
  lookup_of(*this).update_state_to_adapt(tokens.elements<std::int64_t>(), tokens.shape());
  finalize_state();
}

void IntegerLookup::reset_state() const { lookup_of(*this).reset_state(); }

void IntegerLookup::update_state(const Tensor& data) const {
  const InitScope init;
  const Tensor tokens = cast(data, DType::int64);
  lookup_of(*this).update_state(tokens.elements<std::int64_t>(), tokens.shape());
}

void IntegerLookup::finalize_state() const {
  warn_of_new_vocabulary(*this);
  lookup_of(*this).finalize_state();
}

void IntegerLookup::set_vocabulary(const Vocabulary<std::int64_t>& vocabulary,
                                   const std::optional<std::vector<double>>& idf_weights) const {
  warn_of_new_vocabulary(*this);
  lookup_of(*this).set_vocabulary(vocabulary, idf_weights);
}

std::vector<std::int64_t> IntegerLookup::get_vocabulary(bool include_special_tokens) const {
  return lookup_of(*this).vocabulary(include_special_tokens);
}

std::int64_t IntegerLookup::vocabulary_size() const { return lookup_of(*this).vocabulary_size(); }

void IntegerLookup::save_assets(const std::string& folder) const { layers::save_assets(assets_of(*this), folder); }
void IntegerLookup::load_assets(const std::string& folder) const { layers::load_assets(assets_of(*this), folder); }

}  // namespace rhyton::layers
