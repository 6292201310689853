// The programs in apps/ with recurrent layers: what they learn.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/tests/apps/programs.h>

namespace rhyton {
namespace {

using test::number_after;
using test::Outcome;
using ::testing::HasSubstr;

class Sequences : public test::Programs {};

TEST_F(Sequences, TextClassificationLearnsTheOrderOfWords) {
  const Outcome outcome = run("text_classification");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  // The mean has the words of both clauses, and does not tell which one is the main clause.
  EXPECT_LT(number_after("accuracy by the mean of the words: ", outcome.output), 0.6);
  EXPECT_GE(number_after("accuracy by LSTM: ", outcome.output), 0.97);
  EXPECT_LT(number_after("\"the plot was not good\" is praise by ", outcome.output), 0.1);
  EXPECT_GT(number_after("\"the plot was not good but the cast was great\" is praise by ", outcome.output), 0.9);
  EXPECT_GT(number_after("\"the plot was good although the cast was not great\" is praise by ", outcome.output), 0.9);
  EXPECT_LT(number_after("more padding changes the predictions by ", outcome.output), 1e-6);
}

TEST_F(Sequences, TimeSeriesForecastingIsBetterThanTheNaiveForecasts) {
  const Outcome outcome = run("time_series_forecasting");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  const double error = number_after("GRU:              ", outcome.output);
  EXPECT_LT(error, 0.4 * number_after("the last value:   ", outcome.output));
  EXPECT_LT(error, 0.65 * number_after("the day before:   ", outcome.output));
  EXPECT_GT(error, number_after("the noise itself: ", outcome.output)) << "it knew the future";
}

TEST_F(Sequences, SequenceToSequenceTranslatesDatesThatItHasNotSeen) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "Takes minutes under sanitizers; the other programs run the same layers there.";
#endif
  const Outcome outcome = run("sequence_to_sequence");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  EXPECT_THAT(outcome.output, HasSubstr(" of 500\n"));
  EXPECT_GE(number_after("correct: ", outcome.output), 475);
}

}  // namespace
}  // namespace rhyton
