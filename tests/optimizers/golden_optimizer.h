#pragma once

#include <rhyton/framework/io/json/json.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::test {

/// The optimizer that a golden case describes.
inline optimizers::Optimizer make_optimizer(const io::Json& golden) {
  return optimizers::deserialize(
      io::Json::object({{"class_name", golden["class_name"]}, {"config", golden["config"]}}));
}

}  // namespace rhyton::test
