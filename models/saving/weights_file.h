#pragma once

#include <rhyton/framework/io/hdf5.h>
#include <rhyton/models/model.h>

// How the variables of a model stand in an HDF5 file, as Keras 3 writes them: the layers of a model in
// `layers/<class>/vars/0`, `/1`, …, where the class is in snake case and the second of a class is `<class>_1`; what a
// layer is made of below that layer in the same way; the optimizer's in `optimizer/vars/…`. Names of layers play no
// part.

namespace rhyton::saving {

/// Writes the weights, and the optimizer's variables where the model is compiled.
void write_weights(const models::Model& model, io::Hdf5Group root);

/// Sets them from what `write_weights`, or any Keras 3, has written; groups that belong to nothing are passed over. As
/// in Keras the optimizer's stay as they are where their number is another. Throws ValueError in Keras's words, listing
/// the layers, where numbers or shapes differ.
void read_weights(const models::Model& model, const io::Hdf5Group& root);

}  // namespace rhyton::saving
