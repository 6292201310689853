#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/io/zip/zip.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/models/golden_models.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::models {

/// Two dense layers, compiled and trained for one step.
inline Sequential trained_dense() {
  Sequential model({
      layers::Input({.shape = {4}}),
      layers::Dense(3, {.activation = "relu", .kernel_regularizer = "l2"}),
      layers::Dense(2),
  });
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse", .metrics = {"mae"}});
  model.train_on_batch(test::random_tensor({6, 4}, 1), test::random_tensor({6, 2}, 2));
  return model;
}

/// A model with nesting, sharing, freezing and several outputs: a Sequential within a functional model, a layer called
/// twice, a frozen layer, batch normalization; compiled and trained for two steps.
struct Branches {
  static std::vector<Tensor> inputs(std::uint64_t seed) {
    return {test::random_tensor({5, 4}, seed), test::random_tensor({5, 4}, seed + 1)};
  }
  static std::vector<Tensor> targets(std::uint64_t seed) {
    return {test::random_tensor({5, 1}, seed + 2), Tensor::from_data<std::int32_t>({5}, {0, 2, 1, 1, 0})};
  }
  static Model make() {
    const Sequential block({layers::Input({.shape = {4}}), layers::Dense(6, {.activation = "tanh"}),
                            layers::BatchNormalization(), layers::Dense(4)});
    const layers::SymbolicTensor a = layers::Input({.shape = {4}, .name = "a"});
    const layers::SymbolicTensor b = layers::Input({.shape = {4}, .name = "b"});
    const layers::Dense shared(5, {.activation = "tanh"});
    const layers::Dense frozen(5, {.trainable = false});
    const layers::SymbolicTensor x = layers::Add()({shared(block(a)), shared(b), frozen(a)});
    return Model({.inputs = {a, b},
                  .outputs = {layers::Dense(1, {.name = "value"})(x),
                              layers::Dense(3, {.activation = "softmax", .name = "kind"})(x)},
                  .name = "branches"});
  }
  static Model trained() {
    Model model = make();
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01, .clipnorm = 1.0}),
                   .loss = std::map<std::string, losses::Loss>{{"value", "mse"},
                                                               {"kind", losses::SparseCategoricalCrossentropy()}},
                   .loss_weights = std::map<std::string, double>{{"value", 1.0}, {"kind", 0.5}},
                   .metrics = std::map<std::string, MetricsArgument::List>{{"kind", {"accuracy"}}}});
    for (const std::uint64_t seed : {10, 20}) model.train_on_batch(inputs(seed), targets(seed));
    return model;
  }
};

inline void expect_same_bits(const Tensor& a, const Tensor& b, const std::string& what) {
  ASSERT_EQ(a.spec(), b.spec()) << what;
  EXPECT_EQ(std::memcmp(a.raw_data(), b.raw_data(), a.spec().bytes()), 0) << what;
}

inline void expect_same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) expect_same_bits(a[i], b[i], what + " " + std::to_string(i));
}

inline std::vector<Tensor> values_of(const std::vector<Variable>& variables) {
  return {variables.begin(), variables.end()};
}

/// A copy of an archive with one member replaced, or removed if `content` is empty.
inline void replace_member(const std::string& from, const std::string& to, const std::string& name,
                           const std::vector<std::byte>& content) {
  io::ZipReader reader{std::filesystem::path(from)};
  io::ZipWriter writer{std::filesystem::path(to)};
  for (const io::ZipMember& member : reader.members()) {
    if (member.name != name) {
      writer.add_stored(member.name, reader.read(member.name));
    } else if (!content.empty()) {
      writer.add_stored(member.name, content);
    }
  }
  writer.commit();
}

}  // namespace rhyton::models
