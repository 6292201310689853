#pragma once

#include <rhyton/framework/io/file_part.h>
#include <rhyton/framework/io/hdf5/handles.h>

namespace rhyton::io::hdf5 {

/// A driver of the HDF5 library that reads a file within another file (an archive) in place. Set it with
/// `H5Pset_driver(properties, driver.id(), &part)`, where `part` is a `const FilePart*` that outlives the opened file.
Handle register_part_driver(const OpenFile& file);

}  // namespace rhyton::io::hdf5
