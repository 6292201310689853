#pragma once

#include <exception>
#include <string>

namespace rhyton::test {

/// The message of the exception of type `E` that `call` throws; empty if it throws none. Others are not caught.
template <class E = std::exception, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return {};
}

}  // namespace rhyton::test
