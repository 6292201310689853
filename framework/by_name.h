#pragma once

namespace rhyton {

/// The first member of every options struct: no value converts to it, so that an unnamed `{2, 2}` can never be taken
/// for options; fields are given by name.
struct ByName {
  explicit ByName() = default;
};

}  // namespace rhyton
