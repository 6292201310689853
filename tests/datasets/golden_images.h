#pragma once

#include <string>

#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::datasets {

/// The folder of the golden images, with a slash at its end.
inline std::string golden_images_folder() { return RHYTON_GOLDEN_DIR "/images/"; }

/// The cases of images.json.
inline const test::GoldenArea& golden_images() {
  static const test::GoldenArea area("images");
  return area;
}

}  // namespace rhyton::datasets
