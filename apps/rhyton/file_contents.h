#pragma once

#include <string>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// The contents of a file of Keras or NumPy, whose format is detected by its first bytes:
///
/// - "format": "keras", "h5", "npz" or "npy";
/// - of .npy: "shape", "dtype" (NumPy's name, as in "<f4"), "fortran_order";
/// - of .npz: "arrays", each with its "name" and the entries of a .npy;
/// - of .keras: "metadata", "class_name" and "name" of the model, "members" ("name", "size"), and as "objects" those of
///   `model.weights.h5`;
/// - of .h5: "objects", each with "path", "attributes" and, for datasets, "shape" and "dtype".
///
/// Throws Error naming the file.
io::Json contents_of(const std::string& path);

}  // namespace rhyton::tool
