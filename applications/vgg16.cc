#include <rhyton/applications/vgg16.h>

#include <rhyton/applications/base_vgg.h>

namespace rhyton::applications::vgg16 {

models::Model VGG16(const ApplicationOptions& options) {
  return make_vgg({.name = "vgg16",
                   .convolutions = {2, 2, 3, 3, 3},
                   .md5 = "64373286793e3c8b2b4e3219cbf3544b",
                   .md5_without_top = "6d6bbae143d832006294945121d1f1fc"},
                  options);
}

}  // namespace rhyton::applications::vgg16
