#pragma once

#include <array>
#include <string>

#include <rhyton/applications/base_application.h>

namespace rhyton::applications {

/// A ResNet or ResNetV2.
struct ResNetArchitecture {
  std::string name;
  /// The number of blocks of each of the four stacks.
  std::array<int, 4> blocks;
  /// The checksums of the weights with and without the top.
  std::string md5;
  std::string md5_without_top;
};

/// Normalization after convolutions.
Model make_resnet(const ResNetArchitecture& architecture, const ApplicationOptions& options);
/// Normalization before convolutions.
Model make_resnet_v2(const ResNetArchitecture& architecture, const ApplicationOptions& options);

}  // namespace rhyton::applications
