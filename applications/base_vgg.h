#pragma once

#include <array>
#include <string>

#include <rhyton/applications/base_application.h>

namespace rhyton::applications {

/// VGG16 or VGG19.
struct VggArchitecture {
  std::string name;
  /// The number of convolutions of each block.
  std::array<int, 5> convolutions;
  /// The checksums of the weights with and without the top.
  std::string md5;
  std::string md5_without_top;
};

Model make_vgg(const VggArchitecture& architecture, const ApplicationOptions& options);

}  // namespace rhyton::applications
