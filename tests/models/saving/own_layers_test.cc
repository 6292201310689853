// Custom layers that contain others: files have their weights where Keras stores them, by the attributes of its class.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/normalization/layer_normalization.h>
#include <rhyton/tests/models/saving/saving_models.h>

namespace rhyton::models {
namespace {

using io::Json;
using layers::Layer;
using layers::LayerAttribute;
using testing::Contains;

/// The class of tests/golden/make_own_layers.py. Its Keras class also has `_hidden` under a second name.
class Mixer final : public layers::LayerImpl {
 public:
  Mixer(std::int64_t units, const layers::LayerOptions& options) : LayerImpl(options), units_(units) {}

  std::string class_name() const override { return "Mixer"; }
  // In the order of assignment in Keras.
  std::vector<Layer> sublayers() const override { return {out_, tanh_, norm_, dense_, hidden_}; }
  std::vector<LayerAttribute> attributes() const override {
    return {{.name = "out", .layers = {out_}},
            {.name = "blocks", .layers = {tanh_, norm_, dense_}, .is_list = true},
            {.name = "_hidden", .layers = {hidden_}},
            {.name = "alias", .layers = {hidden_}}};
  }
  void build(const std::vector<Shape>& input_shapes) override {
    hidden_.build(input_shapes[0]);
    for (const Layer& layer : {Layer(tanh_), Layer(norm_), Layer(dense_), Layer(out_)}) layer.build({-1, units_});
    scale_ = add_weight({.shape = {}, .initializer = "ones", .name = "scale"});
  }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {out_(dense_(norm_(tanh_(hidden_(inputs[0]))))) * scale_};
  }
  Json get_config() const override {
    Json config = LayerImpl::get_config();
    config["units"] = units_;
    return config;
  }

 private:
  std::int64_t units_;
  layers::Dense out_{units_};
  layers::Dense tanh_{units_, {.activation = "tanh"}};
  layers::LayerNormalization norm_;
  layers::Dense dense_{units_};
  layers::Dense hidden_{units_, {.activation = "relu"}};
  Variable scale_;
};

Layer mixer_from(const Json& config) {
  return layers::make_layer<Mixer>(config["units"].as_int(), layers::LayerOptions{.name = config["name"].as_string()});
}

class OwnLayersTest : public testing::Test {
 protected:
  static std::string golden(const std::string& name) { return RHYTON_GOLDEN_DIR "/own_layers/" + name; }
  static Model load(const std::string& path) {
    return load_model(path, {.custom_objects = {{"Own>Mixer", mixer_from}, {"Mixer", mixer_from}}});
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  test::TemporaryFolder folder_;
};

/// The paths of all datasets.
void collect(const io::Hdf5Group& group, const std::string& prefix, std::vector<std::string>& paths) {
  for (const std::string& name : group.dataset_names()) paths.push_back(prefix + name);
  for (const std::string& name : group.group_names()) collect(group.open_group(name), prefix + name + "/", paths);
}

std::vector<std::string> weights_in(const std::string& archive) {
  const io::Hdf5File file = io::Hdf5File::open_image(io::ZipReader(archive).read("model.weights.h5"), archive);
  std::vector<std::string> paths;
  collect(file.root(), "", paths);
  return paths;
}

TEST_F(OwnLayersTest, ReadWhatKerasSaved) {
  const Model model = load(golden("mixer.keras"));
  const std::vector<Tensor> weights = model.get_weights();
  std::vector<Tensor> expected;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    expected.push_back(io::read_npz(golden("mixer.npz"), "weight" + std::to_string(i)));
  }
  ASSERT_EQ(weights.size(), 13u);
  expect_same_bits(weights, expected, "weight");
  const std::vector<double> output =
      model.predict(io::read_npz(golden("mixer.npz"), "input"), {.verbose = 0}).to_vector();
  const std::vector<double> keras = io::read_npz(golden("mixer.npz"), "output").to_vector();
  ASSERT_EQ(output.size(), keras.size());
  for (std::size_t i = 0; i < output.size(); ++i) EXPECT_NEAR(output[i], keras[i], 1e-5);
}

TEST_F(OwnLayersTest, AreWrittenWhereKerasHasThem) {
  load(golden("mixer.keras")).save(path("again.keras"));
  EXPECT_EQ(weights_in(path("again.keras")), weights_in(golden("mixer.keras")));
}

TEST_F(OwnLayersTest, AreFoundAgainInEveryFormat) {
  const Model model = load(golden("mixer.keras"));
  for (const char* const name : {"again.keras", "again.h5"}) {
    model.save(path(name));
    expect_same_bits(load(path(name)).get_weights(), model.get_weights(), name);
  }
}

/// The same class with tracked members.
class TrackedMixer final : public layers::LayerImpl {
 public:
  TrackedMixer(std::int64_t units, const layers::LayerOptions& options) : LayerImpl(options), units_(units) {}

  std::string class_name() const override { return "Mixer"; }
  void build(const std::vector<Shape>& input_shapes) override {
    hidden_.build(input_shapes[0]);
    for (const Layer& layer : blocks_) layer.build({-1, units_});
    out_.build({-1, units_});
    scale_ = add_weight({.shape = {}, .initializer = "ones", .name = "scale"});
  }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    Tensor x = hidden_(inputs[0]);
    for (const Layer& layer : blocks_) x = layer(x);
    return {out_(x) * scale_};
  }
  Json get_config() const override {
    Json config = LayerImpl::get_config();
    config["units"] = units_;
    return config;
  }

 private:
  std::int64_t units_;
  layers::Dense out_ = track("out", layers::Dense(units_));
  std::vector<Layer> blocks_ = track("blocks", std::vector<Layer>{layers::Dense(units_, {.activation = "tanh"}),
                                                                  layers::LayerNormalization(), layers::Dense(units_)});
  layers::Dense hidden_ = track("_hidden", layers::Dense(units_, {.activation = "relu"}));
  layers::Dense alias_ = track("alias", hidden_);
  Variable scale_;
};

Layer tracked_mixer_from(const Json& config) {
  return layers::make_layer<TrackedMixer>(config["units"].as_int(),
                                          layers::LayerOptions{.name = config["name"].as_string()});
}

TEST_F(OwnLayersTest, TrackedMembersAreSublayersAndAttributes) {
  const Model overriding = load(golden("mixer.keras"));
  const Model tracking = load_model(
      golden("mixer.keras"), {.custom_objects = {{"Own>Mixer", tracked_mixer_from}, {"Mixer", tracked_mixer_from}}});
  expect_same_bits(tracking.get_weights(), overriding.get_weights(), "weight");
  tracking.save(path("again.keras"));
  EXPECT_EQ(weights_in(path("again.keras")), weights_in(golden("mixer.keras")));

  Tensor x = Tensor::full({2, tracking.inputs()[0].shape().at(-1)}, 0.5);
  expect_same_bits({tracking(x)}, {overriding(x)}, "output");
}

/// Calls a layer that it does not track.
class Forgetful final : public layers::LayerImpl {
 public:
  explicit Forgetful(bool tracks) : LayerImpl(layers::LayerOptions{}) {
    if (tracks) track("inner", inner_);
  }
  std::string class_name() const override { return "Forgetful"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {inner_(inputs[0])}; }

 private:
  layers::Dense inner_ = layers::Dense(3, {.name = "inner"});
};

TEST_F(OwnLayersTest, AWarningTellsOfLayersThatAreCalledAndNotTracked) {
  for (const bool tracks : {true, false}) {
    std::vector<std::string> warnings;
    const config::WarningHandler before =
        config::set_warning_handler([&](const std::string& message) { warnings.push_back(message); });
    const Layer layer = layers::make_layer<Forgetful>(tracks);
    layer(Tensor::full({1, 2}, 1.0));
    config::set_warning_handler(before);
    EXPECT_EQ(layer.weights().size(), tracks ? 2U : 0U);
    if (tracks) {
      EXPECT_THAT(warnings, testing::IsEmpty());
    } else {
      EXPECT_THAT(warnings, testing::ElementsAre(testing::HasSubstr("calls the layer \"inner\", which is not one of")));
    }
  }
}

/// A layer that does not override `attributes`.
class Pair final : public layers::LayerImpl {
 public:
  Pair() : LayerImpl(layers::LayerOptions{}) {}
  std::string class_name() const override { return "Pair"; }
  std::vector<Layer> sublayers() const override { return {first_, second_}; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {second_(first_(inputs[0]))}; }

 private:
  layers::Dense first_{3};
  layers::Dense second_{3};
};

TEST_F(OwnLayersTest, WithoutAttributesAreAListOfLayers) {
  const Sequential model({layers::Input({.shape = {3}}), layers::make_layer<Pair>()});
  model.save(path("pair.keras"));
  const std::vector<std::string> paths = weights_in(path("pair.keras"));
  EXPECT_THAT(paths, Contains("layers/pair/layers/dense/vars/0"));
  EXPECT_THAT(paths, Contains("layers/pair/layers/dense_1/vars/1"));
}

/// A layer whose Keras class stores `store["table"] = self.table` in `save_own_variables`.
class Lookup final : public layers::LayerImpl {
 public:
  explicit Lookup(std::string saved_name) : LayerImpl(layers::LayerOptions{}), saved_name_(std::move(saved_name)) {}
  std::string class_name() const override { return "Lookup"; }
  void build(const std::vector<Shape>& /*input_shapes*/) override {
    table_ = add_weight({.shape = {3}, .initializer = "ones", .name = "table"});
  }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {inputs[0] * table_}; }
  std::vector<std::pair<std::string, Variable>> saved_variables() const override { return {{saved_name_, table_}}; }

 private:
  std::string saved_name_;
  Variable table_;
};

Sequential lookup_model(const std::string& saved_name) {
  return Sequential({layers::Input({.shape = {3}}), layers::make_layer<Lookup>(saved_name)});
}

TEST_F(OwnLayersTest, NameTheirOwnVariablesInFiles) {
  const Sequential model = lookup_model("table");
  model.set_weights({Tensor::full({3}, 5.0)});
  model.save_weights(path("lookup.weights.h5"));
  const io::Hdf5File file = io::Hdf5File::open_read(path("lookup.weights.h5"));
  EXPECT_TRUE(file.root().has_dataset("layers/lookup/vars/table"));
  const Sequential again = lookup_model("table");
  again.load_weights(path("lookup.weights.h5"));
  expect_same_bits(again.get_weights(), model.get_weights(), "table");
}

TEST_F(OwnLayersTest, FindNoVariableOfAnotherName) {
  lookup_model("table").save_weights(path("lookup.weights.h5"));
  const Sequential other = lookup_model("entries");
  EXPECT_THROW(other.load_weights(path("lookup.weights.h5")), Error);
}

}  // namespace
}  // namespace rhyton::models
