#include <rhyton/models/training/step_cache.h>

#include <rhyton/framework/error.h>

namespace rhyton::training {

std::string name_of(StepKind kind) {
  switch (kind) {
    case StepKind::train:
      return "train_function";
    case StepKind::test:
      return "test_function";
    case StepKind::predict:
      return "predict_function";
  }
  throw ValueError("No such kind of step.");
}

}  // namespace rhyton::training
