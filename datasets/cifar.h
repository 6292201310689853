#pragma once

#include <filesystem>
#include <string>

#include <rhyton/datasets/image_data.h>

namespace rhyton::datasets {

/// A batch of CIFAR in a file of Python's pickle: the images [N, 32, 32, 3], or [N, 3, 32, 32] where the image data
/// format is "channels_first", and the labels [N, 1] under that key, both uint8. Throws NotFoundError, IOError for other
/// files.
ImageData load_cifar_batch(const std::filesystem::path& path, const std::string& label_key = "labels");

namespace cifar10 {

/// 50000 training and 10000 test images of 10 classes, uint8 (N, 32, 32, 3), labels uint8 (N, 1)
/// (`keras.datasets.cifar10`). With the image data format "channels_first" images are (N, 3, 32, 32).
///
/// Searches in this order: `$RHYTON_DATASETS/cifar-10-batches-py`, the folder installed with the library or that of the
/// source tree, and the folder to which Keras extracts the files, `~/.keras/datasets/cifar-10-batches-py-target`;
/// otherwise downloads the archive to that one. Throws IOError if it cannot be downloaded, or a file is damaged.
Splits load_data();

}  // namespace cifar10

namespace cifar100 {

/// The same with 100 classes (`keras.datasets.cifar100`). `label_mode`: "fine", labels from 0 to 99, or "coarse", 20
/// groups of classes. The folders are `cifar-100-python` and `cifar-100-python-target`. Throws ValueError in Keras's words
/// for another mode.
Splits load_data(const std::string& label_mode = "fine");

}  // namespace cifar100

}  // namespace rhyton::datasets
