#pragma once

#include <rhyton/datasets/image_data.h>
#include <rhyton/framework/error.h>

namespace rhyton::datasets::mnist {

/// The MNIST handwritten digits: 60000 training and 10000 test images, uint8 (N, 28, 28), labels uint8 (N,), 0 to 9.
///
/// ```
/// auto [train, test] = datasets::mnist::load_data();
/// ```
///
/// Looks in this order: `$RHYTON_DATASETS/mnist`, the folder installed with the library or that of the source tree,
/// `$KERAS_HOME/datasets/mnist` or `~/.keras/datasets/mnist` (four IDX files, plain or `.gz`), Keras's own `mnist.npz`
/// beside it; at last it downloads the files to there, with a progress bar on standard output. Throws IOError naming
/// the file when one that is there is damaged, or listing what failed when nothing can be downloaded.
Splits load_data();

}  // namespace rhyton::datasets::mnist
