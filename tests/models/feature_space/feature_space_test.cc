#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/convert_to_tensor.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/preprocessing/integer_lookup.h>
#include <rhyton/layers/preprocessing/string_lookup.h>
#include <rhyton/layers/preprocessing/text_vectorization.h>
#include <rhyton/models/feature_space/feature_space.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::utils {
namespace {

using test::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::map<std::string, Tensor> table() {
  return {{"age", convert_to_tensor({20.0F, 40.0F, 60.0F, 80.0F})},
          {"sex", convert_to_tensor({0, 1, 1, 0})},
          {"thal", StringTensor({"fixed", "normal", "normal", "fixed"})}};
}

const Tensor labels = convert_to_tensor({0.0F, 1.0F, 1.0F, 0.0F});

FeatureSpace feature_space(const FeatureSpaceOptions& options = {}) {
  return FeatureSpace({{"age", "float_normalized"},
                       {"sex", FeatureSpace::integer_categorical({.num_oov_indices = 0})},
                       {"thal", "string_categorical"}},
                      options);
}

TEST(FeatureSpace, ConcatenatesFeaturesInTheOrderOfTheirNames) {
  const FeatureSpace space = feature_space();
  space.adapt(table());
  const Tensor encoded = space(table());
  ASSERT_EQ(encoded.shape(), (Shape{4, 6}));
  const std::vector<double> values = encoded.to_vector();
  // The age, the indices of sex in {1, 0}, and those of thal in {unknown, "normal", "fixed"}.
  EXPECT_NEAR(values[0], -1.3416407, 1e-6);
  EXPECT_THAT(std::vector<double>(values.begin() + 1, values.begin() + 6), ElementsAre(0, 1, 0, 0, 1));
  EXPECT_THAT(std::vector<double>(values.begin() + 7, values.begin() + 12), ElementsAre(1, 0, 0, 1, 0));
}

TEST(FeatureSpace, MapsTheElementsOfADataSetAndKeepsTheLabels) {
  const FeatureSpace space = feature_space();
  const datasets::Pipeline rows = datasets::from_tensor_slices(table(), labels);
  space.adapt(rows);
  const std::vector<double> whole = static_cast<const Tensor&>(space(table())).to_vector();
  for (const datasets::Pipeline& encoded : {rows.map(space).batch(4), rows.batch(4).map(space)}) {
    std::vector<datasets::Batch> batches;
    for (const datasets::Batch& batch : encoded) batches.push_back(batch);
    ASSERT_EQ(batches.size(), 1U);
    EXPECT_EQ(batches[0].x.at(0).to_vector(), whole);
    EXPECT_EQ(batches[0].y.at(0).to_vector(), labels.to_vector());
  }
}

TEST(FeatureSpace, InTheModeDictGivesATensorForEachFeature) {
  const FeatureSpace space = feature_space({.output_mode = "dict", .crosses = {{"sex", "thal"}}, .crossing_dim = 7});
  space.adapt(table());
  const EncodedFeatures<Tensor> encoded = space(table());
  EXPECT_EQ(encoded["age"].shape(), (Shape{4, 1}));
  EXPECT_EQ(encoded["sex_X_thal"].shape(), (Shape{4, 7}));
  EXPECT_EQ(encoded.by_name().size(), 4U);
  EXPECT_THAT(message_of<ValueError>([&] { static_cast<void>(encoded["name"]); }),
              HasSubstr("no encoded feature 'name'"));
  EXPECT_THAT(message_of<ValueError>([&] { static_cast<void>(static_cast<const Tensor&>(encoded)); }),
              HasSubstr("returns a dictionary"));
}

// The crosses are computed on the host, from what an IntegerLookup makes of the data.
TEST(FeatureSpace, IsPartOfAModelThatTrains) {
  const FeatureSpace space = feature_space({.crosses = {{"sex", "thal"}}});
  space.adapt(table());
  const auto train = datasets::from_tensor_slices(table(), labels).batch(3);
  const layers::Dense dense(1, {.kernel_initializer = "zeros"});
  const models::Model model({.inputs = space.get_inputs(), .outputs = dense(space.get_encoded_features())});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const models::History history = model.fit(train, {.epochs = 3, .verbose = 0});
  EXPECT_LT(history.history.at("loss").back(), history.history.at("loss").front());
  const Tensor expected = dense(static_cast<const Tensor&>(space(table())));
  EXPECT_EQ(model.predict(train, {.verbose = 0}).to_vector(), expected.to_vector());

  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "model.keras").string();
  model.save(path);
  EXPECT_EQ(models::load_model(path).predict(train, {.verbose = 0}).to_vector(), expected.to_vector());
}

TEST(FeatureSpace, TakesALayerThatLearns) {
  const FeatureSpace space(
      {{"text", FeatureSpace::feature("string", layers::TextVectorization({.output_mode = "tf_idf"}), "float")}});
  const std::map<std::string, Tensor> texts = {{"text", StringTensor({"a b", "b b"})}};
  EXPECT_THAT(message_of<ValueError>([&] { space(texts); }), HasSubstr("call `.adapt(dataset)`"));
  space.adapt(texts);
  const layers::Layer vectorize = space.preprocessors().at("text");
  EXPECT_EQ(static_cast<const Tensor&>(space(texts)).to_vector(), vectorize(texts.at("text")).to_vector());
}

TEST(FeatureSpace, JoinsWhatLookupsEncode) {
  const FeatureSpace space(
      {{"colour", FeatureSpace::feature(
                      "string", layers::StringLookup({.vocabulary = {"red"}, .output_mode = "multi_hot"}), "float")},
       {"code",
        FeatureSpace::feature("int32", layers::IntegerLookup({.vocabulary = {7}, .output_mode = "one_hot"}), "int")}});
  const Tensor encoded =
      space({{"colour", StringTensor({"red", "blue"})}, {"code", convert_to_tensor({7, 8}, DType::int32)}});
  EXPECT_EQ(encoded.dtype(), DType::float32);
  EXPECT_THAT(encoded.to_vector(), ElementsAre(0, 1, 0, 1, 1, 0, 1, 0));
}

TEST(FeatureSpace, OfOneFeatureJoinsAListInFiles) {
  const FeatureSpace space({{"age", "float"}});
  const models::Model model({.inputs = space.get_inputs(), .outputs = space.get_encoded_features()});
  EXPECT_THAT(model.get_config().dump(), HasSubstr(R"("inbound_nodes": [{"args": [[{)"));
}

TEST(FeatureSpace, NeedsNoDataForGivenVocabularies) {
  const FeatureSpace space(
      {{"colour", FeatureSpace::feature("string", layers::StringLookup({.vocabulary = {"red"}}), "one_hot")}});
  const Tensor encoded = space({{"colour", StringTensor({"red", "blue"})}});
  EXPECT_THAT(encoded.to_vector(), ElementsAre(0, 1, 1, 0));
}

TEST(FeatureSpace, OfAConfigurationIsToBeAdapted) {
  const FeatureSpace space = feature_space();
  space.adapt(table());
  const FeatureSpace copy = FeatureSpace::from_config(space.get_config());
  EXPECT_THAT(message_of<ValueError>([&] { copy(table()); }), HasSubstr("You need to call `.adapt(dataset)`"));
  copy.adapt(table());
  EXPECT_EQ(static_cast<const Tensor&>(copy(table())).to_vector(),
            static_cast<const Tensor&>(space(table())).to_vector());
}

TEST(FeatureSpace, RefusesWhatKerasRefuses) {
  EXPECT_THAT(message_of<ValueError>([] { FeatureSpace({}); }),
              HasSubstr("`features` argument cannot be None or empty"));
  EXPECT_THAT(message_of<ValueError>([] {
                FeatureSpace({{"a", "number"}});
              }),
              HasSubstr("Invalid feature type: number"));
  EXPECT_THAT(message_of<ValueError>([] { feature_space({.output_mode = "list"}); }),
              HasSubstr("Expected one of {'dict', 'concat'}. Received: output_mode=list"));
  EXPECT_THAT(message_of<ValueError>([] {
                feature_space({.crosses = {{"sex", "size"}}});
              }),
              HasSubstr("Received unknown features: ('sex', 'size')"));
  EXPECT_THAT(message_of<ValueError>([] {
                feature_space({.crosses = {{"sex", "thal"}}, .crossing_dim = 0});
              }),
              HasSubstr("`crossing_dim` (dimensionality of the crossing space) should be specified"));
  EXPECT_THAT(message_of<ValueError>([] { FeatureSpace::integer_hashed(3, {.output_mode = "multi_hot"}); }),
              HasSubstr("Expected one of {'int', 'one_hot', 'float'}. Received: output_mode=multi_hot"));
  const FeatureSpace integers({{"n", FeatureSpace::integer_hashed(3, {.output_mode = "int"})}});
  EXPECT_THAT(message_of<ValueError>([&] { integers.get_encoded_features(); }),
              HasSubstr("Cannot concatenate features because feature 'n' has not been encoded (it has dtype int64)"));
  const FeatureSpace floats({{"n", FeatureSpace::feature("float32", layers::Dense(2), "one_hot")}});
  EXPECT_THAT(
      message_of<ValueError>([&] {
        floats.get_inputs();
        floats.get_encoded_features();
      }),
      HasSubstr("Feature 'n' has `output_mode='one_hot'`. Thus its preprocessor should return an integer dtype."));
}

TEST(FeatureSpace, NamesAFeatureThatIsMissingOrUnknown) {
  const FeatureSpace space = feature_space();
  space.adapt(table());
  std::map<std::string, Tensor> data = table();
  data.emplace("name", StringTensor({"a", "b", "c", "d"}));
  EXPECT_THAT(message_of<ValueError>([&] { space(data); }),
              HasSubstr("called with 'name', which is none of its features"));
  data.erase("name");
  data.erase("age");
  EXPECT_THAT(message_of<ValueError>([&] { space(data); }), HasSubstr("called without its feature 'age'"));
  EXPECT_THAT(message_of<ValueError>([&] { space.adapt(data); }), HasSubstr("age"));
}

TEST(FeatureSpace, IsSavedAsAKerasFileOnly) {
  const FeatureSpace space({{"n", "float"}});
  EXPECT_THAT(message_of<ValueError>([&] { space.save("space.h5"); }), HasSubstr(".keras"));
  EXPECT_THAT(message_of<TypeError>([] { FeatureSpace::from_layer(layers::Dense(2)); }),
              HasSubstr("is no FeatureSpace"));
}

}  // namespace
}  // namespace rhyton::utils
