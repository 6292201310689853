#include <rhyton/applications/resnet_v2.h>

#include <rhyton/applications/base_resnet.h>

namespace rhyton::applications::resnet_v2 {

models::Model ResNet50V2(const ApplicationOptions& options) {
  return make_resnet_v2({.name = "resnet50v2",
                         .blocks = {3, 4, 6, 3},
                         .md5 = "3ef43a0b657b3be2300d5770ece849e0",
                         .md5_without_top = "fac2f116257151a9d068a22e544a4917"},
                        options);
}

models::Model ResNet101V2(const ApplicationOptions& options) {
  return make_resnet_v2({.name = "resnet101v2",
                         .blocks = {3, 4, 23, 3},
                         .md5 = "6343647c601c52e1368623803854d971",
                         .md5_without_top = "c0ed64b8031c3730f411d2eb4eea35b5"},
                        options);
}

models::Model ResNet152V2(const ApplicationOptions& options) {
  return make_resnet_v2({.name = "resnet152v2",
                         .blocks = {3, 8, 36, 3},
                         .md5 = "a49b44d1979771252814e80f8ec446f9",
                         .md5_without_top = "ed17cf2e0169df9d443503ef94b23b33"},
                        options);
}

}  // namespace rhyton::applications::resnet_v2
