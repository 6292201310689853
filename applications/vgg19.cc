#include <rhyton/applications/vgg19.h>

#include <rhyton/applications/base_vgg.h>

namespace rhyton::applications::vgg19 {

models::Model VGG19(const ApplicationOptions& options) {
  return make_vgg({.name = "vgg19",
                   .convolutions = {2, 2, 4, 4, 4},
                   .md5 = "cbe5617147190e668d6c5d5026f83318",
                   .md5_without_top = "253f8cb515780f3b799900260a226db6"},
                  options);
}

}  // namespace rhyton::applications::vgg19
