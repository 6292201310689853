// `objects_to_skip`: parts of a model that `load_weights` and `save_weights` leave out.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/tests/models/saving/saving_models.h>

namespace rhyton::models {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

/// A block of two layers and a head, in which all weights have one value.
struct Headed {
  layers::Dense inner{4};
  Sequential block{layers::Input({.shape = {4}}), layers::Dense(4), inner};
  layers::Dense head;
  Sequential model;

  explicit Headed(double value, std::int64_t units = 2)
      : head(units), model({layers::Input({.shape = {4}}), block, head}) {
    model.compile({.optimizer = "adam", .loss = "mse"});
    model.train_on_batch(test::random_tensor({6, 4}, 1), test::random_tensor({6, units}, 2));
    for (const std::vector<Variable>& variables : {model.weights(), model.optimizer().variables()}) {
      for (const Variable& variable : variables)
        variable.assign(Tensor::full(variable.shape(), value).cast(variable.dtype()));
    }
  }

  static double value_of(const Variable& variable) { return variable.value().to_vector().front(); }
  /// The values of the first kernel, the kernel of `inner`, that of the head, and the optimizer's iterations.
  std::vector<double> values() const {
    return {value_of(model.weights()[0]), value_of(inner.weights()[0]), value_of(head.weights()[0]),
            value_of(model.optimizer().variables()[0])};
  }
};

class ObjectsToSkipInAFile : public testing::TestWithParam<const char*> {
 protected:
  ObjectsToSkipInAFile() { save(Headed(1), {}); }

  std::string path() const { return (folder_ / GetParam()).string(); }
  void save(const Headed& saved, const ObjectsToSkip& objects) const {
    SaveWeightsOptions options{.overwrite = true, .max_shard_size = {}, .objects_to_skip = objects};
    if (path().ends_with(".json")) options.max_shard_size = 100 / (1024.0 * 1024.0 * 1024.0);
    saved.model.save_weights(path(), options);
  }

  test::TemporaryFolder folder_;
};

TEST_P(ObjectsToSkipInAFile, KeepTheirValues) {
  const Headed all(7);
  all.model.load_weights(path());
  EXPECT_THAT(all.values(), ElementsAre(1, 1, 1, 1));
  const Headed without_head(7);
  without_head.model.load_weights(path(), {.objects_to_skip = {without_head.head}});
  EXPECT_THAT(without_head.values(), ElementsAre(1, 1, 7, 1));
  const Headed without_inner(7);
  without_inner.model.load_weights(path(), {.objects_to_skip = {without_inner.inner, without_inner.model.optimizer()}});
  EXPECT_THAT(without_inner.values(), ElementsAre(1, 7, 1, 7));
  const Headed without_block(7);
  without_block.model.load_weights(path(), {.objects_to_skip = {without_block.block}});
  EXPECT_THAT(without_block.values(), ElementsAre(7, 7, 1, 1));
  const Headed nothing(7);
  nothing.model.load_weights(path(), {.objects_to_skip = {nothing.model}});
  EXPECT_THAT(nothing.values(), ElementsAre(7, 7, 7, 7));
  const Headed other(7);
  other.model.load_weights(path(), {.objects_to_skip = {all.head, all.model.optimizer()}});
  EXPECT_THAT(other.values(), ElementsAre(1, 1, 1, 1)) << "equal objects are not the same";
}

TEST_P(ObjectsToSkipInAFile, NeedNotFit) {
  const Headed wider(7, 3);
  EXPECT_THROW(wider.model.load_weights(path()), ValueError);
  wider.model.load_weights(path(), {.objects_to_skip = {wider.head, wider.model.optimizer()}});
  EXPECT_THAT(wider.values(), ElementsAre(1, 1, 7, 7));
}

TEST_P(ObjectsToSkipInAFile, AreNotWritten) {
  const Headed saved(2);
  save(saved, {saved.head, saved.model.optimizer()});
  const Headed model(7);
  EXPECT_THAT(message_of<ValueError>([&] { model.model.load_weights(path()); }),
              HasSubstr("expected 2 variables, but received 0 variables during loading."));
  model.model.load_weights(path(), {.objects_to_skip = {model.head}});
  EXPECT_THAT(model.values(), ElementsAre(2, 2, 7, 7));
}

INSTANTIATE_TEST_SUITE_P(Saving, ObjectsToSkipInAFile, testing::Values("model.weights.h5", "model.weights.json"),
                         [](const auto& parameter) {
                           return std::string(parameter.param).ends_with("json") ? "sharded" : "whole";
                         });

TEST(ObjectsToSkip, AreRefusedForFilesOfModels) {
  const test::TemporaryFolder folder;
  const Headed saved(1);
  for (const char* const name : {"model.keras", "model.h5"}) {
    const std::string path = (folder / name).string();
    saved.model.save(path);
    EXPECT_THAT(message_of<ValueError>([&] { saved.model.load_weights(path, {.objects_to_skip = {saved.head}}); }),
                HasSubstr("`objects_to_skip` only supports loading '.weights.h5' files. Received: " + path));
  }
}

}  // namespace
}  // namespace rhyton::models
