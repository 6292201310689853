#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/layers/assets.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/index_lookup.h>

namespace rhyton::layers {

/// What the implementations of StringLookup and IntegerLookup have in common: an IndexLookup, its configuration and its
/// files. `Handle` is the class of the layer, `Base` that of its implementation: LayerImpl or HostLayer.
template <class Handle, class Token, class Base = LayerImpl>
class LookupLayer : public Base, public AssetHolder {
 public:
  using Arguments = typename Handle::Arguments;

  explicit LookupLayer(const Arguments& arguments)
      : Base({.name = arguments.name}), options_(arguments), lookup_(arguments_of(arguments)) {
    this->mark_built();
  }

  std::string class_name() const override { return Handle::keras_name; }
  bool autocasts() const override { return false; }

  io::Json get_config() const override {
    Arguments arguments = options_;
    arguments.output_mode = lookup_.arguments().output_mode;
    arguments.vocabulary_size = lookup_.recorded_size();
    return written(LayerImpl::get_config(), arguments);
  }
  /// Keras has nothing to build.
  io::Json get_build_config() const override { return io::Json::object(); }

  std::vector<std::pair<std::string, Variable>> saved_variables() const override {
    if (lookup_.idf_weights().is_empty()) return {};
    return {{"idf_weights", lookup_.idf_weights()}};
  }
  std::map<std::string, std::string> assets() const override {
    if (lookup_.is_in_config()) return {};
    return {{"vocabulary.txt", lookup_.vocabulary_text()}};
  }
  void set_assets(const ReadAsset& read) override {
    if (lookup_.is_in_config()) return;
    const std::optional<std::string> text = read("vocabulary.txt");
    if (!text) {
      throw NotFoundError("There is no vocabulary.txt of layer '" + this->name() + "' (of type " + class_name() + ").");
    }
    lookup_.set_vocabulary_text(*text);
  }

  IndexLookup<Token>& lookup() { return lookup_; }
  const IndexLookup<Token>& lookup() const { return lookup_; }

 private:
  IndexLookupArguments<Token> arguments_of(const Arguments& given) {
    return {.class_name = Handle::keras_name,
            .layer_name = [this] { return this->name(); },
            .max_tokens = given.max_tokens,
            .num_oov_indices = given.num_oov_indices,
            .mask_token = given.mask_token,
            .oov_token = given.oov_token,
            .vocabulary = given.vocabulary,
            .idf_weights = given.idf_weights,
            .invert = given.invert,
            .output_mode = given.output_mode,
            .pad_to_max_tokens = given.pad_to_max_tokens,
            .oov_method = given.oov_method,
            .salt = given.salt,
            .vocabulary_size = given.vocabulary_size};
  }

  Arguments options_;
  IndexLookup<Token> lookup_;
};

}  // namespace rhyton::layers
