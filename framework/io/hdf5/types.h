#pragma once

#include <string>

#include <rhyton/framework/io/hdf5/handles.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/tensor/tensor.h>

/// Conversion between the elements of datasets and of tensors. Only for the files that implement hdf5.h.
namespace rhyton::io::hdf5 {

TensorSpec spec_of(const Hdf5Dataset& dataset, const OpenFile& file, Id id);
Tensor read_elements(const Hdf5Dataset& dataset, const OpenFile& file, Id id);
/// The same, into memory for a tensor of that spec. Throws ValueError where it is not the dataset's spec.
void read_elements_into(const Hdf5Dataset& dataset, const OpenFile& file, Id id, const TensorSpec& spec, void* target);
/// A new dataset with the tensor's elements.
Handle write_elements(const OpenFile& file, Id group, const std::string& name, const std::string& path,
                      const Tensor& tensor);

}  // namespace rhyton::io::hdf5
