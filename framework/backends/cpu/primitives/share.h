#pragma once

#include <cstdint>

namespace rhyton::cpu {

/// One of `count` parts of a sequence that are about equally long; by default all of it.
struct Share {
  std::int64_t index = 0;
  std::int64_t count = 1;

  std::int64_t begin(std::int64_t length) const { return length * index / count; }
  std::int64_t end(std::int64_t length) const { return length * (index + 1) / count; }
  bool is_last() const { return index + 1 == count; }
};

}  // namespace rhyton::cpu
