#include <rhyton/applications/resnet.h>

#include <rhyton/applications/base_resnet.h>

namespace rhyton::applications::resnet {

models::Model ResNet50(const ApplicationOptions& options) {
  return make_resnet({.name = "resnet50",
                      .blocks = {3, 4, 6, 3},
                      .md5 = "2cb95161c43110f7111970584f804107",
                      .md5_without_top = "4d473c1dd8becc155b73f8504c6f6626"},
                     options);
}

models::Model ResNet101(const ApplicationOptions& options) {
  return make_resnet({.name = "resnet101",
                      .blocks = {3, 4, 23, 3},
                      .md5 = "f1aeb4b969a6efcfb50fad2f0c20cfc5",
                      .md5_without_top = "88cf7a10940856eca736dc7b7e228a21"},
                     options);
}

models::Model ResNet152(const ApplicationOptions& options) {
  return make_resnet({.name = "resnet152",
                      .blocks = {3, 8, 36, 3},
                      .md5 = "100835be76be38e30d865e96f2aaae62",
                      .md5_without_top = "ee4c566cf9a93f14d82f913c2dc6dd0c"},
                     options);
}

}  // namespace rhyton::applications::resnet
