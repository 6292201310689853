#pragma once

#include <stdexcept>
#include <string>

namespace rhyton {

/// The base of every exception that Rhyton throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument has the right type but a wrong value (Python's `ValueError`, as Keras raises it).
class ValueError : public Error {
 public:
  using Error::Error;
};

/// An argument has a wrong type or dtype (Python's `TypeError`).
class TypeError : public Error {
 public:
  using Error::Error;
};

/// An operation cannot be carried out in the current state (Python's `RuntimeError`).
class RuntimeError : public Error {
 public:
  using Error::Error;
};

/// A tensor given to an op has a wrong shape, dtype or content (TensorFlow's `InvalidArgumentError`).
class InvalidArgumentError : public Error {
 public:
  using Error::Error;
};

/// A file, key or name does not exist (TensorFlow's `NotFoundError`).
class NotFoundError : public Error {
 public:
  using Error::Error;
};

/// Memory, or another bounded resource, has run out (TensorFlow's `ResourceExhaustedError`).
class ResourceExhaustedError : public Error {
 public:
  using Error::Error;
};

/// The operation exists but not for these arguments (Python's `NotImplementedError`).
class NotImplementedError : public Error {
 public:
  using Error::Error;
};

/// A file could not be read or written, or its content is damaged (Python's `OSError`).
class IOError : public Error {
 public:
  using Error::Error;
};

}  // namespace rhyton
