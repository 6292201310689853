// The example of docs/distillation.md.

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include <rhyton/rhyton.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton {
namespace {

TEST(DistillationGuide, TheStudentLearns) {
  set_random_seed(5);
  const Tensor x = test::random_tensor({300, 8}, 1);
  const Tensor y = argmax(x, 1);
  const Tensor labels = cast(y, int32) % 3;

  const models::Sequential teacher({layers::Input({.shape = {8}}),
                                    layers::Dense(32, {.activation = "relu", .name = "wide"}),
                                    layers::Dense(16, {.activation = "relu", .name = "features"}), layers::Dense(3)});
  teacher.compile({.optimizer = "adam",
                   .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                   .metrics = {"accuracy"}});
  teacher.fit(x, labels, {.epochs = 20, .verbose = 0});

  const models::Sequential student(
      {layers::Input({.shape = {8}}), layers::Dense(16, {.activation = "relu", .name = "narrow"}), layers::Dense(3)});
  const distillation::Distiller distiller(
      teacher, student,
      {distillation::LogitsDistillation({.temperature = 3.0, .loss = losses::KLDivergence()}),
       distillation::FeatureDistillation({.teacher_layer_name = "features", .student_layer_name = "narrow"})},
      {.distillation_loss_weights = {1.0, 0.5}, .student_loss_weight = 0.25});
  distiller.compile({.optimizer = "adam",
                     .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                     .metrics = {"accuracy"}});
  const models::History history = distiller.fit(x, labels, {.epochs = 20, .verbose = 0});
  EXPECT_LT(history["distillation_loss"].back(), 0.7 * history["distillation_loss"].front());
  EXPECT_GT(history["accuracy"].back(), history["accuracy"].front());

  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "student.keras").string();
  distiller.student().save(path);
  const models::Model read = models::load_model(path);
  EXPECT_EQ(read.predict(x, {.verbose = 0}).to_vector(), distiller.predict(x, {.verbose = 0}).to_vector());
}

}  // namespace
}  // namespace rhyton
