// Models and files that cannot be saved or loaded; existing files stay unchanged.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/models/saving/weights_file.h>
#include <rhyton/tests/models/saving/saving_models.h>
#include <rhyton/tests/support/file_size_limit.h>

namespace rhyton::models {
namespace {

using test::message_of;
using testing::HasSubstr;

class SavingErrors : public testing::Test {
 protected:
  std::string path(const std::string& name = "model.keras") const { return (folder_ / name).string(); }
  test::TemporaryFolder folder_;
};

TEST_F(SavingErrors, OtherExtensions) {
  const Sequential model = trained_dense();
  EXPECT_EQ(message_of<ValueError>([&] { model.save("model.txt"); }), golden_message("save_unknown_extension"));
  EXPECT_EQ(message_of<ValueError>([&] { model.save_weights("model.h5"); }),
            "The filename must end in `.weights.h5`. Received: filepath=model.h5");
}

TEST_F(SavingErrors, FilesThatAreNone) {
  EXPECT_EQ(message_of<ValueError>([] { load_model("missing.keras"); }), golden_message("load_missing_file"));
  EXPECT_EQ(message_of<ValueError>([] { load_model("missing"); }), golden_message("load_missing_folder"));
  EXPECT_THROW(load_model(folder_.path().string()), ValueError);
  EXPECT_THROW(load_model("missing.h5"), NotFoundError);
  test::put(path(), "no archive at all");
  EXPECT_THAT(message_of<ValueError>([&] { load_model(path()); }), HasSubstr("accessible `.keras` zip file"));
  test::put(path(), "");
  EXPECT_THROW(load_model(path()), ValueError);
}

TEST_F(SavingErrors, DamagedArchives) {
  trained_dense().save(path());
  const std::string whole = test::content_of(path());
  for (std::size_t length = 2; length < whole.size(); length += 97) {
    test::put(path("cut.keras"), whole.substr(0, length));
    EXPECT_THROW(load_model(path("cut.keras")), Error) << length;
  }
  // One byte in the middle of the weights: the checksum detects it.
  std::string changed = whole;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
  test::put(path("changed.keras"), changed);
  EXPECT_THROW(load_model(path("changed.keras")), IOError);
}

TEST_F(SavingErrors, MembersThatAreMissingOrWrong) {
  trained_dense().save(path());
  replace_member(path(), path("bad.keras"), "model.weights.h5", {});
  EXPECT_EQ(message_of<ValueError>([&] { load_model(path("bad.keras")); }),
            "Expected a model.weights.h5 or model.weights.npz file. Received: \"" + path("bad.keras") + "\"");
  replace_member(path(), path("bad.keras"), "config.json", {});
  EXPECT_THROW(load_model(path("bad.keras")), NotFoundError);
  for (const char* const text : {"{", "[]", "3", "{}", R"({"class_name": "Dense", "config": {"units": 3}})",
                                 R"({"class_name": "Nobody", "config": {}})"}) {
    replace_member(path(), path("bad.keras"), "config.json", test::to_bytes(text));
    EXPECT_THROW(load_model(path("bad.keras")), Error) << text;
  }
  replace_member(path(), path("bad.keras"), "model.weights.h5", test::to_bytes("no HDF5"));
  EXPECT_THROW(load_model(path("bad.keras")), IOError);
}

/// Loads weights into a model of two dense layers, 4 → 3 → 2.
void load(const std::vector<std::pair<std::string, Shape>>& datasets) {
  io::Hdf5File file = io::Hdf5File::create_image();
  io::Hdf5Group root = file.root();
  for (const auto& [name, shape] : datasets) root.write_dataset(name, Tensor::zeros(shape));
  const Sequential model(
      {layers::Input({.shape = {4}}), layers::Dense(3, {.name = "first"}), layers::Dense(2, {.name = "second"})});
  saving::find_weights(model, root).assign_all();
}

std::string message_for(const std::vector<std::pair<std::string, Shape>>& datasets) {
  return message_of<ValueError>([&] { load(datasets); });
}

TEST_F(SavingErrors, WeightsThatDoNotFit) {
  EXPECT_NO_THROW(load({{"layers/dense/vars/0", {4, 3}},
                        {"layers/dense/vars/1", {3}},
                        {"layers/dense_1/vars/0", {3, 2}},
                        {"layers/dense_1/vars/1", {2}}}));
  EXPECT_EQ(
      message_for({{"layers/dense/vars/0", {4, 3}}, {"layers/dense_1/vars/0", {3, 2}}, {"layers/dense_1/vars/1", {2}}}),
      "A total of 1 objects could not be loaded. Example error message for object <Dense name=first, "
      "built=True>:\n\nLayer 'first' expected 2 variables, but received 1 variables during loading. Expected: "
      "['kernel', 'bias']\n\nList of objects that could not be loaded:\n[<Dense name=first, built=True>]");
  EXPECT_THAT(message_for({{"layers/dense/vars/0", {4, 5}},
                           {"layers/dense/vars/1", {3}},
                           {"layers/dense_1/vars/0", {3, 2}},
                           {"layers/dense_1/vars/1", {2}}}),
              HasSubstr("variable.shape=(4, 3), Received: value.shape=(4, 5)."));
  EXPECT_THAT(message_for({}), HasSubstr("A total of 2 objects could not be loaded."));
}

TEST_F(SavingErrors, AnotherOptimizersStateIsLeftOut) {
  const Sequential adam = trained_dense();
  io::Hdf5File file = io::Hdf5File::create_image();
  saving::WeightsSnapshot(adam).write(file.root());
  const Sequential sgd({layers::Input({.shape = {4}}), layers::Dense(3), layers::Dense(2)});
  sgd.compile({.optimizer = "sgd", .loss = "mse"});
  saving::find_weights(sgd, file.root()).assign_all();
  expect_same_bits(sgd.get_weights(), adam.get_weights(), "weight");
  EXPECT_EQ(sgd.optimizer().iterations().item(), 0.0);
}

TEST_F(SavingErrors, AFolderThatIsNotThere) {
  EXPECT_THROW(trained_dense().save(path("nowhere/model.keras")), IOError);
}

TEST_F(SavingErrors, AnErrorWhileWritingLeavesTheOldFile) {
  const Sequential model = trained_dense();
  model.save(path());
  const std::string before = test::content_of(path());
  model.train_on_batch(test::random_tensor({6, 4}, 3), test::random_tensor({6, 2}, 4));
  {
    const test::FileSizeLimit limit(1000);
    EXPECT_THROW(model.save(path()), IOError);
  }
  EXPECT_EQ(test::content_of(path()), before);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"model.keras"}) << "nothing half-written stays";
  load_model(path());
  model.save(path());
  EXPECT_NE(test::content_of(path()), before);
}

}  // namespace
}  // namespace rhyton::models
