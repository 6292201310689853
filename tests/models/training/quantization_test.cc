// Models with quantized layers: predictions, training, files.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/attention/multi_head_attention.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/einsum_dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::models {
namespace {

using layers::Dense;
using layers::Layer;
using layers::LoraLayer;
using ::testing::Contains;
using ::testing::ElementsAre;

/// Collects warnings during its lifetime.
class WarningsScope {
 public:
  WarningsScope()
      : previous_(config::set_warning_handler([this](const std::string& text) { messages_.push_back(text); })) {}
  ~WarningsScope() { config::set_warning_handler(previous_); }
  WarningsScope(const WarningsScope&) = delete;
  WarningsScope& operator=(const WarningsScope&) = delete;

  const std::vector<std::string>& messages() const { return messages_; }

 private:
  std::vector<std::string> messages_;
  config::WarningHandler previous_;
};

Sequential quantizable_model() {
  return Sequential({layers::Input({.shape = {6}}), Dense(8, {.activation = "relu", .name = "first"}),
                     layers::Dropout(0.25, {.name = "drop"}), Dense(3, {.name = "last"})});
}

TEST(QuantizeModel, ChangesItsLayersAndWarnsOfOthers) {
  const Sequential model = quantizable_model();
  const WarningsScope warnings;
  model.quantize("int8");
  EXPECT_THAT(warnings.messages(), Contains("Layer Dropout does not have a `quantize` method implemented."));
  EXPECT_EQ(model.get_layer("first").quantization_mode(), "int8");
  EXPECT_EQ(model.get_layer("last").quantization_mode(), "int8");
  EXPECT_EQ(model.quantization_mode(), "");
  EXPECT_THROW(model.quantize("int8"), ValueError);
}

TEST(QuantizeModel, FiltersLayersByNameOrFunction) {
  const WarningsScope warnings;
  const auto modes = [](const QuantizeOptions& options) {
    const Sequential model = quantizable_model();
    model.quantize("int8", options);
    return std::vector{model.get_layer("first").quantization_mode(), model.get_layer("last").quantization_mode()};
  };
  EXPECT_THAT(modes({.filters = "fir"}), ElementsAre("int8", ""));
  EXPECT_THAT(modes({.filters = std::vector<std::string>{"^x", "st$"}}), ElementsAre("int8", "int8"));
  EXPECT_THAT(modes({.filters = LayerFilter([](const Layer& layer) { return layer.name() == "last"; })}),
              ElementsAre("", "int8"));
}

TEST(QuantizeModel, PredictionsFollowAtOnce) {
  const WarningsScope warnings;
  const Sequential model = quantizable_model();
  const Tensor x = test::random_tensor({40, 6}, 3);
  const Tensor before = model.predict(x, {.verbose = 0});
  model.quantize("int8");
  const Tensor after = model.predict(x, {.verbose = 0});
  EXPECT_GT(test::relative_distance(after, before), 0.0);
  EXPECT_LT(test::relative_distance(after, before), 0.05);
  EXPECT_LT(test::relative_distance(model(x), after), 1e-6);
}

TEST(QuantizeModel, ComputesInCompiledStepsWhatLayersDo) {
  const WarningsScope warnings;
  const Tensor ids = test::random_tensor({6, 5}, 1, 0.0, 9.0).cast(int32);
  const Sequential model({layers::Input({.shape = {5}, .dtype = "int32"}), layers::Embedding(9, 4),
                          layers::EinsumDense("abc,cde->abde", {-1, 2, 3}, {.bias_axes = "de"}),
                          layers::EinsumDense("abde,def->abf", {-1, 4}), Dense(3)});
  model.quantize("int8");
  Tensor y = ids;
  for (const Layer& layer : model.layers()) {
    EXPECT_EQ(layer.quantization_mode(), "int8");
    y = layer(y);
  }
  EXPECT_LT(test::relative_distance(model.predict(ids, {.verbose = 0}), y), 1e-6);
}

TEST(QuantizeModel, ReachesTheProjectionsOfAttention) {
  const WarningsScope warnings;
  const layers::SymbolicTensor x = layers::Input({.shape = {6, 8}});
  const layers::MultiHeadAttention attention(2, 4);
  const Model model({.inputs = x, .outputs = attention(x, {.args = {x}})});
  const Tensor values = test::random_tensor({3, 6, 8}, 2);
  const Tensor before = model.predict(values, {.verbose = 0});
  model.quantize("int8");
  EXPECT_EQ(attention.query_dense().quantization_mode(), "int8");
  EXPECT_LT(test::relative_distance(model.predict(values, {.verbose = 0}), before), 0.05);
}

TEST(QuantizeModel, TrainsWhatIsNotQuantized) {
  const WarningsScope warnings;
  const Sequential model = quantizable_model();
  model.quantize("int8");
  LoraLayer::from_layer(model.get_layer("first")).enable_lora(2);
  model.compile({.optimizer = "adam", .loss = "mse"});
  EXPECT_EQ(model.trainable_weights().size(), 4U);
  const std::vector<Tensor> before = model.get_weights();
  const Tensor x = test::random_tensor({32, 6}, 5);
  model.fit(x, test::random_tensor({32, 3}, 6), {.epochs = 2, .verbose = 0});
  const std::vector<Variable> weights = model.weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const bool has_changed = !test::same_bits(weights[i].stored_value(), before[i]);
    EXPECT_EQ(has_changed, weights[i].trainable()) << weights[i].path();
  }
}

TEST(QuantizeModel, IsTheSameAfterSavingAndLoading) {
  const WarningsScope warnings;
  const test::TemporaryFolder folder;
  const Sequential model = quantizable_model();
  model.quantize("int8");
  const Tensor x = test::random_tensor({8, 6}, 9);
  const Tensor expected = model.predict(x, {.verbose = 0});
  for (const std::string name : {"m.keras", "m.h5"}) {
    const std::string path = folder / name;
    model.save(path);
    const Model loaded = load_model(path);
    EXPECT_EQ(loaded.get_layer("first").quantization_mode(), "int8") << name;
    EXPECT_TRUE(test::same_bits(loaded.predict(x, {.verbose = 0}), expected)) << name;
  }
  const std::string weights = folder / "m.weights.h5";
  model.save_weights(weights);
  const Sequential other = quantizable_model();
  EXPECT_THROW(other.load_weights(weights), ValueError);
  other.quantize("int8");
  other.load_weights(weights);
  EXPECT_TRUE(test::same_bits(other.predict(x, {.verbose = 0}), expected));
}

}  // namespace
}  // namespace rhyton::models
