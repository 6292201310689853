#include <gtest/gtest.h>

#include <rhyton/models/losses/loss.h>
#include <rhyton/tests/support/kink_cases.h>

namespace rhyton::losses {
namespace {

TEST(LossesKinks, ValuesAndGradientsAreThoseOfKeras) {
  const std::vector<test::KinkCase> cases = test::kink_cases("loss");
  ASSERT_GT(cases.size(), 20U);
  for (const test::KinkCase& golden : cases) {
    const Loss loss = deserialize(io::Json::object({{"class_name", golden.id}, {"config", golden.arguments}}));
    test::expect_keras_kinks(golden, [&](const std::vector<Tensor>& in) { return loss(golden.y_true, in[0]); });
  }
}

}  // namespace
}  // namespace rhyton::losses
