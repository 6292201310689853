#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::saving {

/// The values of the variables of one object, or some of them, as a group of a file has them.
struct SavedGroup {
  /// "layers/dense/vars"
  std::string vars_path;
  /// The attribute "name": that of the object. Keras writes none where a further file goes on with an object.
  std::optional<std::string> name;
  /// With the names of their datasets.
  std::vector<std::pair<std::string, Tensor>> values;

  void write(io::Hdf5Group& root) const {
    io::Hdf5Group vars = root.create_group(vars_path);
    if (name) vars.write_string_attribute("name", *name);
    for (const auto& [dataset, value] : values) vars.write_dataset(dataset, value);
  }
};

}  // namespace rhyton::saving
