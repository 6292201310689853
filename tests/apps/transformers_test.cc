// The programs in apps/ with attention: what they learn.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/tests/apps/programs.h>

namespace rhyton {
namespace {

using test::number_after;
using test::Outcome;
using ::testing::HasSubstr;

class Transformers : public test::Programs {};

TEST_F(Transformers, TransformerClassificationReadsWhoWon) {
  const Outcome outcome = run("transformer_classification");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  // The mean has both names, and does not tell which one won.
  EXPECT_LT(number_after("accuracy by the mean of the words: ", outcome.output), 0.6);
  EXPECT_GE(number_after("accuracy by Transformer: ", outcome.output), 0.97);
  EXPECT_THAT(outcome.output, HasSubstr("\"anna beat ben\": anna won\n"));
  EXPECT_THAT(outcome.output, HasSubstr("\"ben beat anna\": ben won\n"));
  EXPECT_THAT(outcome.output, HasSubstr("\"in the final ben was not beaten by anna\": ben won\n"));
  EXPECT_LT(number_after("more padding changes the predictions by ", outcome.output), 1e-6);
}

TEST_F(Transformers, MiniGptWritesTheSameWithAndWithoutTheCache) {
  const Outcome outcome = run("mini_gpt --epochs 1");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  EXPECT_THAT(outcome.output, HasSubstr("the same most probable text without the cache: yes\n"));
}

TEST_F(Transformers, MiniGptWritesSentencesThatAreRight) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "Takes minutes under sanitizers; there it trains for one epoch only.";
#endif
  const Outcome outcome = run("mini_gpt");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  EXPECT_GE(number_after("right sentences of the Transformer: ", outcome.output), 0.9);
  // Half of the verbs would agree by chance.
  EXPECT_LT(number_after("right sentences of a table of what follows six characters: ", outcome.output), 0.5);
  EXPECT_THAT(outcome.output, HasSubstr("the same most probable text without the cache: yes\n"));
}

TEST_F(Transformers, MiniGptRefusesMoreCharactersThanThereAre) {
  const Outcome outcome = run("mini_gpt --top-k 30");
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("--top-k: Value 30 not in range 1 to 29"));
}

TEST_F(Transformers, VisionTransformerTrainsOnOneBatch) {
  const Outcome outcome = run("vision_transformer --limit 64 --epochs 1");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  EXPECT_THAT(outcome.output, HasSubstr("accuracy of the Transformer: "));
}

TEST_F(Transformers, VisionTransformerIsBetterThanTheNearestMeanImage) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "Takes minutes under sanitizers; there it trains on one batch only.";
#endif
  const Outcome outcome = run("vision_transformer --limit 10000 --epochs 4");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  const double accuracy = number_after("accuracy of the Transformer: ", outcome.output);
  EXPECT_GE(accuracy, 0.92);
  EXPECT_GT(accuracy, 0.05 + number_after("accuracy of the nearest mean image: ", outcome.output));
}

}  // namespace
}  // namespace rhyton
