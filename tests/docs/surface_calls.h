#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/model.h>

// What the program that make_surface_program.py writes is made of.

namespace rhyton::test {

/// A name of docs/keras_surface.tsv that is there, and a call of it.
struct SurfaceCall {
  std::string area;
  std::string name;
  /// Throws where the call does not work, or its result is not that of a computation.
  void (*run)();
};

/// Those of all names.
const std::vector<SurfaceCall>& surface_calls();

/// Two samples with three channels, on 0 to 3 axes of length 6 (4 where there are three).
Tensor x0();
Tensor x1();
Tensor x2();
Tensor x3();
/// Two samples with two steps like those of x3.
Tensor frames();
/// Numbers of classes below 10, [2, 6].
Tensor tokens();
/// Of the images x2.
Tensor corners();

/// Throws Error for a tensor without elements, and for elements that are not finite.
void require_result(const Tensor& result);
void require_result(const std::vector<Tensor>& results);
/// Calls the model on one image of its size.
void require_result(const models::Model& application);

}  // namespace rhyton::test
