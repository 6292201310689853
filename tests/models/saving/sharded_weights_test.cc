// `.weights.json` files: weights divided over several files, as Keras divides them.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/normalization/layer_normalization.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/tests/models/saving/saving_models.h>
#include <rhyton/tests/support/file_size_limit.h>

namespace rhyton::models {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr double gigabyte = 1024.0 * 1024.0 * 1024.0;

class ShardedWeightsFile : public testing::Test {
 protected:
  ShardedWeightsFile() {
    config::set_warning_handler([this](const std::string& message) { warnings_.push_back(message); });
  }
  ~ShardedWeightsFile() override { config::set_warning_handler({}); }

  std::string path(const std::string& name = "model.weights.json") const { return (folder_ / name).string(); }

  static std::string golden(const std::string& name) { return RHYTON_GOLDEN_DIR "/sharded_weights/" + name; }
  static std::vector<Tensor> golden_arrays(const std::string& role, std::size_t count) {
    std::vector<Tensor> arrays;
    for (std::size_t i = 0; i < count; ++i) {
      arrays.push_back(io::read_npz(golden("model.npz"), role + std::to_string(i)));
    }
    return arrays;
  }
  /// The model of make_sharded_weights.py, with other weights.
  static Sequential golden_model() {
    const Sequential block({layers::Input({.shape = {3}}), layers::Dense(5), layers::LayerNormalization()});
    Sequential model({layers::Input({.shape = {4}}), layers::Dense(3), layers::BatchNormalization(), block,
                      layers::Dropout(0.5), layers::Dense(2)});
    model.compile({.optimizer = "adam", .loss = "mse"});
    model.train_on_batch(test::random_tensor({8, 4}, 1), test::random_tensor({8, 2}, 2));
    return model;
  }

  /// Kernels and biases of 64, 16, 64, 16, … bytes.
  static Sequential chain(int layers, double value) {
    Sequential model({layers::Input({.shape = {4}})});
    for (int i = 0; i < layers; ++i) model.add(layers::Dense(4));
    for (const Variable& variable : model.weights()) variable.assign(Tensor::full(variable.shape(), value));
    return model;
  }
  void expect_chain(int layers, double value) const {
    const Sequential model = chain(layers, -1);
    model.load_weights(path());
    expect_same_bits(model.get_weights(), chain(layers, value).get_weights(), "weight");
  }

  test::TemporaryFolder folder_;
  std::vector<std::string> warnings_;
};

TEST_F(ShardedWeightsFile, OfKerasIsRead) {
  const Sequential model = golden_model();
  model.load_weights(golden("model.weights.json"));
  const std::vector<Tensor> weights = model.get_weights();
  expect_same_bits(weights, golden_arrays("weight", weights.size()), "weight");
  const std::vector<Tensor> state = values_of(model.optimizer().variables());
  const std::vector<Tensor> expected = golden_arrays("optimizer_variable", state.size());
  for (std::size_t i = 0; i < state.size(); ++i) {
    expect_same_bits(state[i].cast(float64), expected[i].cast(float64), "optimizer variable " + std::to_string(i));
  }
  const Tensor output = model.predict(io::read_npz(golden("model.npz"), "input"), {.verbose = 0});
  const Tensor expected_output = io::read_npz(golden("model.npz"), "output");
  for (std::int64_t i = 0; i < output.size(); ++i) {
    EXPECT_NEAR(output.data<float>()[i], expected_output.data<float>()[i], 1e-6) << i;
  }
  EXPECT_TRUE(warnings_.empty());
}

/// Path, attribute "name" and datasets of a group and those in it.
void describe(const io::Hdf5Group& group, std::string& text) {
  text += group.path() + (group.has_attribute("name") ? " named:" : ":");
  for (const std::string& name : group.dataset_names()) {
    const TensorSpec spec = group.open_dataset(name).spec();
    text += " " + name + spec.shape.to_string();
  }
  text += "\n";
  for (const std::string& name : group.group_names()) describe(group.open_group(name), text);
}

std::string description_of(const std::string& path) {
  std::string text;
  describe(io::Hdf5File::open_read(path).root(), text);
  return text;
}

TEST_F(ShardedWeightsFile, IsDividedAsByKeras) {
  golden_model().save_weights(path(), {.max_shard_size = 192 / gigabyte});
  EXPECT_EQ(test::content_of(path()), test::content_of(golden("model.weights.json")));
  EXPECT_THAT(folder_.names(),
              UnorderedElementsAre("model.weights.json", "model_00000.weights.h5", "model_00001.weights.h5",
                                   "model_00002.weights.h5", "model_00003.weights.h5", "model_00004.weights.h5"));
  for (const std::string& name : folder_.names()) {
    if (name.ends_with(".h5")) {
      EXPECT_EQ(description_of(path(name)), description_of(golden(name))) << name;
    }
  }
}

TEST_F(ShardedWeightsFile, ComesBackFromShardsOfEverySize) {
  const Model model = Branches::trained();
  for (const double bytes : {128.0, 500.0, 1e4, 1e9}) {
    model.save_weights(path(), {.max_shard_size = bytes / gigabyte});
    const Model other = Branches::trained();
    other.train_on_batch(Branches::inputs(50), Branches::targets(50));
    other.load_weights(path());
    expect_same_bits(other.get_weights(), model.get_weights(), std::to_string(bytes));
    expect_same_bits(values_of(other.optimizer().variables()), values_of(model.optimizer().variables()), "state");
  }
  EXPECT_THAT(folder_.names(), UnorderedElementsAre("model.weights.json", "model_00000.weights.h5"));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(ShardedWeightsFile, RefusesAValueThatNoShardCanHold) {
  chain(3, 1).save_weights(path(), {.max_shard_size = 64 / gigabyte});
  const std::vector<std::string> before = folder_.names();
  for (const double bytes : {63.0, 0.0, -5.0}) {
    const std::string message =
        message_of<ValueError>([&] { chain(3, 2).save_weights(path(), {.max_shard_size = bytes / gigabyte}); });
    EXPECT_THAT(message, HasSubstr("The size of layers/dense/vars/0 is 64.00 B which exceeds the maximum shard size "));
    EXPECT_THAT(message, HasSubstr(". You can increase the `max_shard_size` parameter to accommodate the size."));
  }
  EXPECT_THAT(folder_.names(), testing::UnorderedElementsAreArray(before));
  expect_chain(3, 1);
}

TEST_F(ShardedWeightsFile, HasTheExtensionJson) {
  chain(1, 1).save_weights(path("model.weights.h5"), {.max_shard_size = 1});
  EXPECT_THAT(warnings_, ElementsAre("Saving sharded weights requires `*.json` as the extension. The original path: " +
                                     path("model.weights.h5") + " will be renamed to " + path() + "."));
  EXPECT_THAT(folder_.names(), UnorderedElementsAre("model.weights.json", "model_00000.weights.h5"));
  expect_chain(1, 1);
  EXPECT_THAT(message_of<ValueError>([&] { chain(1, 1).save_weights(path("model.json"), {.max_shard_size = 1}); }),
              HasSubstr("The filename must end in `.weights.json` when `max_shard_size` is specified. Received: "
                        "filepath="));
  EXPECT_THAT(message_of<ValueError>([&] { chain(1, 1).save_weights(path()); }),
              HasSubstr("The filename must end in `.weights.h5`. Received: filepath="));
  EXPECT_THAT(message_of<ValueError>([&] { chain(1, 1).load_weights(path(), {.by_name = true}); }),
              HasSubstr("`by_name` only supports loading legacy '.h5' or '.hdf5' files."));
  for (const std::string& given : {path(), path("model.weights.h5")}) {
    EXPECT_THROW(chain(1, 2).save_weights(given, {.overwrite = false, .max_shard_size = 1}), ValueError);
  }
  expect_chain(1, 1);
}

TEST_F(ShardedWeightsFile, ReplacesItsShardsAndNoOthers) {
  test::put(path("model_00007.weights.h5"), "mine");
  test::put(path("model_2.weights.h5"), "mine");
  const auto expect_shards = [&](std::vector<std::string> names) {
    names.insert(names.end(), {"model.weights.json", "model_00007.weights.h5", "model_2.weights.h5"});
    EXPECT_THAT(folder_.names(), testing::UnorderedElementsAreArray(names));
  };
  double value = 0;
  for (const int layers : {3, 2, 1, 4}) {
    chain(layers, ++value).save_weights(path(), {.max_shard_size = 80 / gigabyte});
    std::vector<std::string> names;
    for (int i = 0; i < layers; ++i) names.push_back("model_0000" + std::to_string(i) + ".weights.h5");
    expect_shards(names);
    expect_chain(layers, value);
  }
}

TEST_F(ShardedWeightsFile, StaysWhenTheDiskIsFull) {
  for (const bool is_there : {false, true}) {
    if (is_there) chain(40, 1).save_weights(path(), {.max_shard_size = 1600 / gigabyte});
    const std::vector<std::string> before = folder_.names();
    for (const rlim_t bytes : {100, 1000, 3000, 20000}) {
      const test::FileSizeLimit limit(bytes);
      EXPECT_THROW(chain(40, 2).save_weights(path(), {.max_shard_size = 1600 / gigabyte}), Error) << bytes;
    }
    EXPECT_THAT(folder_.names(), testing::UnorderedElementsAreArray(before));
  }
  expect_chain(40, 1);
}

TEST_F(ShardedWeightsFile, NamesItsShardsUntilTheNewOnesAreComplete) {
  // The state after a write that was interrupted while the new shards got their names: the file names others.
  chain(2, 1).save_weights(path(), {.max_shard_size = 80 / gigabyte});
  std::string map = test::content_of(path());
  for (const std::string index : {"00000", "00001"}) {
    std::filesystem::rename(path("model_" + index + ".weights.h5"), path("model_" + index + ".new1.weights.h5"));
    while (map.find(index + ".weights") != std::string::npos)
      map.replace(map.find(index + ".weights"), 5, index + ".new1");
  }
  test::put(path(), map);
  test::put(path("model_00000.weights.h5"), "half");
  test::put(path("model_00001.weights.h5.link"), "half");
  expect_chain(2, 1);
  {
    const test::FileSizeLimit limit(3000);
    EXPECT_THROW(chain(2, 2).save_weights(path(), {.max_shard_size = 80 / gigabyte}), Error);
  }
  expect_chain(2, 1);
  chain(2, 3).save_weights(path(), {.max_shard_size = 80 / gigabyte});
  expect_chain(2, 3);
  EXPECT_THAT(folder_.names(),
              UnorderedElementsAre("model.weights.json", "model_00000.weights.h5", "model_00001.weights.h5"));
}

TEST_F(ShardedWeightsFile, KeepsTheNamesOfNewShardsWhereFilesCannotBeLinked) {
  chain(2, 1).save_weights(path(), {.max_shard_size = 80 / gigabyte});
  // A folder in the place of the link: as on a file system without hard links, there will be none.
  const std::filesystem::path link = path("model_00000.weights.h5.link");
  std::filesystem::create_directory(link);
  test::put((link / "file").string(), "mine");
  chain(2, 2).save_weights(path(), {.max_shard_size = 80 / gigabyte});
  expect_chain(2, 2);
  // The first of the old ones stays, since Keras opens it in any case.
  EXPECT_THAT(folder_.names(),
              UnorderedElementsAre("model.weights.json", "model_00000.weights.h5", "model_00000.new1.weights.h5",
                                   "model_00001.new1.weights.h5", "model_00000.weights.h5.link"));
  chain(2, 3).save_weights(path(), {.max_shard_size = 80 / gigabyte});
  expect_chain(2, 3);
  EXPECT_THAT(folder_.names(), UnorderedElementsAre("model.weights.json", "model_00000.weights.h5",
                                                    "model_00001.weights.h5", "model_00000.weights.h5.link"));
}

TEST_F(ShardedWeightsFile, ReplacesADamagedFile) {
  for (const std::string map : {"[]", "{", R"({"weight_map": {"/layers/dense/vars": 3}})", R"({"weight_map": 1})"}) {
    test::put(path(), map);
    chain(2, 1).save_weights(path(), {.max_shard_size = 80 / gigabyte});
    expect_chain(2, 1);
  }
}

TEST_F(ShardedWeightsFile, ThatDoesNotFitChangesNothing) {
  chain(3, 1).save_weights(path(), {.max_shard_size = 80 / gigabyte});
  const Sequential model = chain(3, 5);
  const auto expect_refused = [&]<class Failure>(const std::string& text, const Failure*) {
    EXPECT_THAT(message_of<Failure>([&] { model.load_weights(path()); }), HasSubstr(text));
    expect_same_bits(model.get_weights(), chain(3, 5).get_weights(), text);
  };
  const std::string map = test::content_of(path());
  const auto put_map = [&](const std::string& from, const std::string& to) {
    std::string changed = map;
    changed.replace(changed.find(from), from.size(), to);
    test::put(path(), changed);
  };
  constexpr const ValueError* value_error = nullptr;
  constexpr const NotFoundError* not_found = nullptr;
  put_map("model_00001.weights.h5", "../model_00001.weights.h5");
  expect_refused("Invalid name '../model_00001.weights.h5' of a shard", value_error);
  put_map("model_00001.weights.h5", "model_00002.weights.h5");
  expect_refused("Layer 'dense", value_error);
  put_map("/layers/dense_1/vars", "/layers/dense_7/vars");
  expect_refused("expected 2 variables, but received 0 variables during loading.", value_error);
  put_map("model_00001.weights.h5", "model_00009.weights.h5");
  expect_refused("model_00009.weights.h5", not_found);
  put_map("weight_map", "weights");
  expect_refused("weight_map", not_found);
  put_map("{", "[");
  expect_refused("model.weights.json", value_error);
  std::filesystem::remove(path());
  expect_refused("model.weights.json", not_found);

  test::put(path(), map);
  const Sequential other = chain(2, 4);
  other.add(layers::Dense(7));
  other.load_weights(path(), {.skip_mismatch = true});
  EXPECT_EQ(other.get_weights()[2].to_vector()[0], 1);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("A total of 1 objects could not be loaded."));
}

}  // namespace
}  // namespace rhyton::models
