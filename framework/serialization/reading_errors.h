#pragma once

#include <string>

#include <rhyton/framework/error.h>

namespace rhyton {

/// The result of `read`. Errors in a configuration are rethrown as the same class with the message `describe(message)`;
/// a missing key (NotFoundError) becomes a ValueError.
template <class Read, class Describe>
auto describing_errors(const Read& read, const Describe& describe) {
  const auto described = [&](const Error& error) -> std::string { return describe(std::string(error.what())); };
  try {
    return read();
  } catch (const ValueError& error) {
    throw ValueError(described(error));
  } catch (const TypeError& error) {
    throw TypeError(described(error));
  } catch (const NotFoundError& error) {
    throw ValueError(described(error));
  } catch (const NotImplementedError& error) {
    throw NotImplementedError(described(error));
  }
}

}  // namespace rhyton
