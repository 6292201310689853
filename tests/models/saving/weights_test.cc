// `save_weights` and `load_weights`: by extension, by name, with skipped mismatches, all or nothing.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/warning.h>
#include <rhyton/tests/models/saving/saving_models.h>

namespace rhyton::models {
namespace {

using test::message_of;
using testing::HasSubstr;

class SavedWeights : public testing::Test {
 protected:
  SavedWeights() {
    config::set_warning_handler([this](const std::string& message) { warnings_.push_back(message); });
  }
  ~SavedWeights() override { config::set_warning_handler({}); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static Sequential dense(std::int64_t units = 3, const std::string& name = "first") {
    return Sequential(
        {layers::Input({.shape = {4}}), layers::Dense(units, {.name = name}), layers::Dense(2, {.name = "second"})});
  }

  test::TemporaryFolder folder_;
  std::vector<std::string> warnings_;
};

TEST_F(SavedWeights, ComeBackFromEveryFormat) {
  const Model model = Branches::trained();
  model.save_weights(path("model.weights.h5"));
  model.save(path("model.keras"));
  model.save(path("model.h5"));
  for (const char* const name : {"model.weights.h5", "model.keras", "model.h5"}) {
    const Model other = Branches::make();
    other.load_weights(path(name));
    expect_same_bits(other.get_weights(), model.get_weights(), name);
  }
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(SavedWeights, BringTheStateOfAnOptimizerThatIsBuilt) {
  const Model model = Branches::trained();
  model.save_weights(path("model.weights.h5"));
  const Model other = Branches::trained();
  other.train_on_batch(Branches::inputs(50), Branches::targets(50));
  other.load_weights(path("model.weights.h5"));
  expect_same_bits(values_of(other.optimizer().variables()), values_of(model.optimizer().variables()), "state");
}

TEST_F(SavedWeights, OfAnotherOptimizerAreLeftOutWithAWarning) {
  trained_dense().save_weights(path("adam.weights.h5"));
  const Sequential other({layers::Input({.shape = {4}}), layers::Dense(3), layers::Dense(2)});
  other.compile({.optimizer = "sgd", .loss = "mse"});
  other.load_weights(path("adam.weights.h5"));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("Skipping variable loading for optimizer 'sgd"));
  EXPECT_THAT(warnings_[0], HasSubstr("because it has 2 variables whereas the saved optimizer has 10 variables."));
}

TEST_F(SavedWeights, OfAnOptimizerOfOtherShapesAreLeftOutWithAWarning) {
  const auto trained = [](std::int64_t units) {
    Sequential model = dense(units);
    model.compile({.optimizer = "adam", .loss = "mse"});
    model.train_on_batch(test::random_tensor({6, 4}, 1), test::random_tensor({6, 2}, 2));
    return model;
  };
  trained(5).save_weights(path("five.weights.h5"));
  const Sequential model = trained(3);
  const std::vector<Tensor> before = values_of(model.optimizer().variables());
  model.load_weights(path("five.weights.h5"), {.skip_mismatch = true});
  ASSERT_EQ(warnings_.size(), 2u);
  EXPECT_THAT(warnings_[0], HasSubstr("because the shapes of its variables are not those of the saved optimizer's."));
  expect_same_bits(values_of(model.optimizer().variables()), before, "state");
}

TEST_F(SavedWeights, ThatDoNotFitChangeNothing) {
  const Sequential saved = dense(5);
  saved.save_weights(path("five.weights.h5"));
  saved.save(path("five.h5"));
  const Sequential model = dense(3);
  const std::vector<Tensor> before = model.get_weights();
  for (const char* const name : {"five.weights.h5", "five.h5"}) {
    EXPECT_THROW(model.load_weights(path(name)), ValueError) << name;
    expect_same_bits(model.get_weights(), before, name);
  }
  EXPECT_THAT(message_of<ValueError>([&] { model.load_weights(path("five.h5")); }),
              HasSubstr("Shape mismatch in layer #0 (named first) for weight sequential"));
}

TEST_F(SavedWeights, OfManyOtherLayersAreAShortMessage) {
  const auto chain = [](int units) {
    Sequential model({layers::Input({.shape = {2}})});
    for (int i = 0; i < 60; ++i) model.add(layers::Dense(units));
    return model;
  };
  chain(2).save_weights(path("two.weights.h5"));
  const std::string message = message_of<ValueError>([&] { chain(3).load_weights(path("two.weights.h5")); });
  EXPECT_THAT(message, HasSubstr("A total of 60 objects could not be loaded."));
  EXPECT_THAT(message, HasSubstr(", … and 40 more]"));
  EXPECT_LT(message.size(), 3000);
}

TEST_F(SavedWeights, OfADamagedFileChangeNothing) {
  const Sequential saved = dense();
  saved.save(path("model.keras"));
  saved.save_weights(path("model.weights.h5"));
  const Sequential model = dense();
  const std::vector<Tensor> before = model.get_weights();
  for (const char* const name : {"model.keras", "model.weights.h5"}) {
    const std::string whole = test::content_of(path(name));
    for (const std::size_t length : {whole.size() / 4, whole.size() / 2, whole.size() - 40}) {
      test::put(path(std::string("cut_") + name), whole.substr(0, length));
      EXPECT_THROW(model.load_weights(path(std::string("cut_") + name)), Error) << name << " of " << length;
      expect_same_bits(model.get_weights(), before, name);
    }
  }
}

TEST_F(SavedWeights, SkipMismatchLeavesLayersAsTheyAre) {
  const Sequential saved({layers::Input({.shape = {4}}), layers::Dense(3), layers::Dense(7)});
  saved.save_weights(path("seven.weights.h5"));
  saved.save(path("seven.h5"));
  for (const char* const name : {"seven.weights.h5", "seven.h5"}) {
    warnings_.clear();
    const Sequential model = dense();
    const std::vector<Tensor> before = model.get_weights();
    model.load_weights(path(name), {.skip_mismatch = true});
    const std::vector<Tensor> after = model.get_weights();
    expect_same_bits(after[0], saved.get_weights()[0], name);
    expect_same_bits(after[2], before[2], name);
    expect_same_bits(after[3], before[3], name);
    ASSERT_FALSE(warnings_.empty()) << name;
    EXPECT_THAT(warnings_[0], HasSubstr("second")) << name;
  }
}

TEST_F(SavedWeights, GoByNameInLegacyFiles) {
  const Sequential saved = dense(3, "first");
  saved.save(path("model.h5"));
  const Sequential model({layers::Input({.shape = {4}}), layers::Dense(3, {.name = "other"}),
                          layers::Dense(3, {.name = "between"}), layers::Dense(2, {.name = "second"})});
  const std::vector<Tensor> before = model.get_weights();
  EXPECT_EQ(
      message_of<ValueError>([&] { model.load_weights(path("model.h5")); }),
      "Layer count mismatch when loading weights from file. Model expected 3 layers, found 2 saved layers.\nFile: " +
          path("model.h5"));
  model.load_weights(path("model.h5"), {.by_name = true});
  const std::vector<Tensor> after = model.get_weights();
  for (const std::size_t i : {0, 1, 2, 3}) expect_same_bits(after[i], before[i], "unnamed");
  for (const std::size_t i : {2, 3}) expect_same_bits(after[i + 2], saved.get_weights()[i], "named");
  saved.save_weights(path("model.weights.h5"));
  EXPECT_THAT(message_of<ValueError>([&] { model.load_weights(path("model.weights.h5"), {.by_name = true}); }),
              HasSubstr("`by_name` only supports loading legacy '.h5' or '.hdf5' files."));
}

TEST_F(SavedWeights, OfFrozenPartsStandBehindTheOthersInLegacyFiles) {
  const auto nested = [](bool frozen) {
    const Sequential block({layers::Input({.shape = {4}}), layers::Dense(4, {.name = "a", .trainable = !frozen}),
                            layers::Dense(4, {.name = "b"})},
                           {.name = "block"});
    return Sequential({layers::Input({.shape = {4}}), block}, {.name = "outer"});
  };
  nested(false).save(path("free.h5"));
  const Sequential frozen = nested(true);
  frozen.save(path("frozen.h5"));
  const auto names_in = [&](const std::string& name) {
    return io::Hdf5File::open_read(path(name))
        .root()
        .open_group("model_weights/block")
        .read_string_list_attribute("weight_names");
  };
  EXPECT_THAT(names_in("free.h5")[0], HasSubstr("a/kernel"));
  EXPECT_THAT(names_in("frozen.h5")[0], HasSubstr("b/kernel"));
  EXPECT_THAT(names_in("frozen.h5")[2], HasSubstr("a/kernel"));
  expect_same_bits(load_model(path("frozen.h5")).get_weights(), frozen.get_weights(), "weight");
}

TEST_F(SavedWeights, OfModelsWithVeryManyLayersComeBack) {
  // Names of more than 64512 bytes are split into several attributes.
  const auto make = [] {
    std::vector<layers::Layer> layers = {layers::Input({.shape = {1}})};
    for (int i = 0; i < 300; ++i)
      layers.push_back(layers::Dense(1, {.name = std::string(240, 'n') + std::to_string(i)}));
    return Sequential(layers);
  };
  const Sequential saved = make();
  saved.save(path("long.h5"));
  const io::Hdf5Group group = io::Hdf5File::open_read(path("long.h5")).root().open_group("model_weights");
  EXPECT_FALSE(group.has_attribute("layer_names"));
  EXPECT_TRUE(group.has_attribute("layer_names1"));
  const Sequential model = make();
  model.load_weights(path("long.h5"));
  expect_same_bits(model.get_weights(), saved.get_weights(), "weight");
}

TEST_F(SavedWeights, NeedAModelThatIsBuiltAndAFileThatIsThere) {
  EXPECT_THAT(message_of<ValueError>([&] { Sequential({layers::Dense(2)}).load_weights("x.weights.h5"); }),
              HasSubstr("You are loading weights into a model that has not yet been built."));
  EXPECT_THAT(message_of<ValueError>([&] { Sequential({layers::Dense(2)}).save_weights(path("x.weights.h5")); }),
              HasSubstr("You are saving a model that has not yet been built."));
  EXPECT_THROW(dense().load_weights(path("missing.weights.h5")), NotFoundError);
  EXPECT_THROW(dense().load_weights(path("missing.keras")), ValueError);
  EXPECT_THAT(message_of<ValueError>([&] { dense().load_weights("weights.npz"); }),
              HasSubstr("File format not supported: filepath=weights.npz."));
}

TEST_F(SavedWeights, DoNotReplaceAFileAgainstTheUsersWill) {
  const Sequential model = dense();
  for (const char* const name : {"model.keras", "model.h5"}) {
    test::put(path(name), "mine");
    EXPECT_THROW(model.save(path(name), {.overwrite = false}), ValueError);
    EXPECT_EQ(test::content_of(path(name)), "mine");
  }
  test::put(path("model.weights.h5"), "mine");
  EXPECT_THROW(model.save_weights(path("model.weights.h5"), {.overwrite = false}), ValueError);
  EXPECT_EQ(test::content_of(path("model.weights.h5")), "mine");
}

TEST_F(SavedWeights, StandWithoutTraining) {
  const Sequential model = trained_dense();
  model.save(path("plain.h5"), {.include_optimizer = false});
  const Model loaded = load_model(path("plain.h5"));
  EXPECT_FALSE(loaded.is_compiled());
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_EQ(warnings_[0],
            "No training configuration found in the save file, so the model was *not* compiled. Compile it manually.");
  model.save(path("trained.h5"));
  EXPECT_FALSE(load_model(path("trained.h5"), {.compile = false}).is_compiled());
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(SavedWeights, AndArchitectureMayLieInAFolder) {
  const Model model = Branches::trained();
  model.save(path("model.keras"));
  io::ZipReader archive{std::filesystem::path(path("model.keras"))};
  std::filesystem::create_directory(folder_ / "model");
  for (const io::ZipMember& member : archive.members()) {
    test::put(folder_ / ("model/" + member.name), test::to_text(archive.read(member.name)));
  }
  const Model loaded = load_model(path("model"));
  EXPECT_EQ(loaded.to_json(), model.to_json());
  expect_same_bits(loaded.get_weights(), model.get_weights(), "weight");
  std::filesystem::remove(folder_ / "model/model.weights.h5");
  EXPECT_THROW(load_model(path("model")), ValueError);
}

}  // namespace
}  // namespace rhyton::models
