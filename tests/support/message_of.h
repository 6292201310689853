#pragma once

#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>

namespace rhyton::test {

/// The message of the exception of type `E` that `call` throws. The test fails where it throws none; exceptions of
/// other types are not caught.
template <class E, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "nothing was thrown";
}

/// The message of the error of this library that `call` throws, "no error" if it throws none.
template <class Call>
std::string message_or_none(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace rhyton::test
