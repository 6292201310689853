#pragma once

#include <rhyton/framework/backends/cpu/primitives/vector.h>

// A whole vector, or its first elements at the end of a row.

namespace rhyton::cpu {

/// The next `count` elements, at most those of a vector; the others are zero.
template <class T>
__attribute__((always_inline)) inline Vector<T> load_some(const T* from, int count) {
  Vector<T> vector;
  if (count == vector_length<T>) {
    load<T>(vector, from);
  } else {
    load_part<T>(vector, from, count);
  }
  return vector;
}

template <class T>
__attribute__((always_inline)) inline void store_some(T* to, const Vector<T>& vector, int count) {
  if (count == vector_length<T>) {
    store<T>(to, vector);
  } else {
    // A copy, so that the address of `vector` is not taken, which could stay in a register.
    const Vector<T> part = vector;
    store_part<T>(to, part, count);
  }
}

}  // namespace rhyton::cpu
