#include <rhyton/datasets/fashion_mnist.h>

#include <iostream>

#include <rhyton/datasets/idx_dataset.h>

namespace rhyton::datasets::fashion_mnist {

Splits load_data() {
  const IdxDataset dataset = {
      .title = "Fashion-MNIST",
      .folder = "fashion-mnist",
      .files = {{
          {"train-images-idx3-ubyte", "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
          {"train-labels-idx1-ubyte", "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
          {"t10k-images-idx3-ubyte", "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
          {"t10k-labels-idx1-ubyte", "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"},
      }},
      .mirrors = {"https://storage.googleapis.com/tensorflow/tf-keras-datasets/",
                  "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"},
  };
  return load_idx_dataset(dataset, &std::cout);
}

}  // namespace rhyton::datasets::fashion_mnist
