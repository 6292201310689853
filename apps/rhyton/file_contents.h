#pragma once

#include <string>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// What a file of Keras or NumPy holds, found by its first bytes:
///
/// - "format": "keras", "h5", "npz" or "npy";
/// - of .npy: "shape", "dtype" (NumPy's name, as in "<f4"), "fortran_order";
/// - of .npz: "arrays", each with its "name" and what a .npy has;
/// - of .keras: "metadata", "class_name" and "name" of the model, "members" ("name", "size"), and as "objects" what
///   `model.weights.h5` holds;
/// - of .h5: "objects", each with "path", "attributes" and, for datasets, "shape" and "dtype".
///
/// Throws Error naming the file.
io::Json contents_of(const std::string& path);

}  // namespace rhyton::tool
