#pragma once

#include <string>

#include <rhyton/framework/io/hdf5.h>
#include <rhyton/framework/io/hdf5_handles.h>
#include <rhyton/framework/tensor/tensor.h>

/// Between the elements of datasets and those of tensors. For the files that make up hdf5.h only.
namespace rhyton::io::hdf5 {

TensorSpec spec_of(const Hdf5Dataset& dataset, const OpenFile& file, Id id);
Tensor read_elements(const Hdf5Dataset& dataset, const OpenFile& file, Id id);
/// The same, to memory that has room for a tensor of that spec. Throws ValueError where it is not that of the dataset.
void read_elements_into(const Hdf5Dataset& dataset, const OpenFile& file, Id id, const TensorSpec& spec, void* target);
/// A new dataset with the tensor's elements.
Handle write_elements(const OpenFile& file, Id group, const std::string& name, const std::string& path,
                      const Tensor& tensor);

}  // namespace rhyton::io::hdf5
