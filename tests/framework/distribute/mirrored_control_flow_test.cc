// Branches and loops in the layers of a model that replicas train.

#include <gtest/gtest.h>

#include <rhyton/tests/framework/autodiff/control_flow_model.h>
#include <rhyton/tests/framework/distribute/training_setup.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::distribute {
namespace {

TEST(ControlFlowOfReplicas, IsTrainedAsOnOneDevice) {
  const Training training{.make_model = [] { return test::make_control_flow_model(); },
                          .x = test::random_tensor({30, 4, 5}, 1),
                          .y = test::random_tensor({30, 1}, 2),
                          .fit = {.batch_size = 8, .epochs = 2, .shuffle = false}};
  const Trained alone = training.run(0);
  EXPECT_EQ(alone.losses.size(), 8u);
  for (const int replicas : {1, 2, 3}) {
    SCOPED_TRACE(replicas);
    expect_equal_trainings(training.run(replicas), alone);
  }
}

}  // namespace
}  // namespace rhyton::distribute
