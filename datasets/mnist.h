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
/// Searches in this order: `$RHYTON_DATASETS/mnist`, the folder installed with the library or that of the source tree,
/// `$KERAS_HOME/datasets/mnist` or `~/.keras/datasets/mnist` (four IDX files, plain or `.gz`), Keras's own `mnist.npz`
/// beside it; otherwise downloads the files to the cache folder, with a progress bar on standard output. Throws IOError
/// naming the file when an existing file is damaged, or listing the failures when nothing can be downloaded.
Splits load_data();

}  // namespace rhyton::datasets::mnist
