#include <rhyton/models/training/step_mutex.h>

#include <rhyton/framework/context.h>

namespace rhyton::training {
namespace {

struct StepMutex {
  std::shared_mutex mutex;
};

}  // namespace

std::shared_mutex& step_mutex() { return context().slot<StepMutex>().mutex; }

}  // namespace rhyton::training
