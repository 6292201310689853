#pragma once

#include <rhyton/framework/tensor/step_mutex.h>

namespace rhyton::training {

using rhyton::step_mutex;

}  // namespace rhyton::training
