#pragma once

#include <rhyton/datasets/image_data.h>
#include <rhyton/framework/error.h>

namespace rhyton::datasets::fashion_mnist {

/// Zalando's Fashion-MNIST: 60000 training and 10000 test images of clothes, uint8 (N, 28, 28), labels uint8 (N,):
/// 0 T-shirt/top, 1 Trouser, 2 Pullover, 3 Dress, 4 Coat, 5 Sandal, 6 Shirt, 7 Sneaker, 8 Bag, 9 Ankle boot.
///
/// Searched for and downloaded as in `mnist::load_data`, in folders named `fashion-mnist`. Throws as that does.
Splits load_data();

}  // namespace rhyton::datasets::fashion_mnist
