#pragma once

#include <string>

#include <gtest/gtest.h>

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

}  // namespace rhyton::test
