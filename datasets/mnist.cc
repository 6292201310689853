#include <rhyton/datasets/mnist.h>

#include <iostream>

#include <rhyton/datasets/idx_dataset.h>

namespace rhyton::datasets::mnist {

Splits load_data() {
  const IdxDataset dataset = {
      .title = "MNIST",
      .folder = "mnist",
      .files = {{
          {"train-images-idx3-ubyte", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
          {"train-labels-idx1-ubyte", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
          {"t10k-images-idx3-ubyte", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
          {"t10k-labels-idx1-ubyte", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
      }},
      .mirrors = {"https://storage.googleapis.com/cvdf-datasets/mnist/",
                  "https://ossci-datasets.s3.amazonaws.com/mnist/"},
      .npz = DatasetFile{"mnist.npz", "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1"},
      .npz_url = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz",
  };
  return load_idx_dataset(dataset, &std::cout);
}

}  // namespace rhyton::datasets::mnist
