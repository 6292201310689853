#pragma once

#include <cstdint>
#include <span>

#include <rhyton/framework/tensor/dtype.h>

namespace rhyton::distribute {

/// Writes the sums of the inputs' elements [first, last), added in the order of the inputs, to every output. All have
/// that dtype and are in host memory; an output may be one of the inputs. float16 and bfloat16 are added as float32 and
/// rounded once. Throws NotImplementedError for a dtype that is neither floating nor int32 nor int64.
void sum_in_order(std::span<const void* const> inputs, std::span<void* const> outputs, DType dtype, std::int64_t first,
                  std::int64_t last);

/// The part of `elements` that member `member` of `members` works on: [first, last), whole cache lines.
struct Share {
  std::int64_t first = 0;
  std::int64_t last = 0;
};
Share share_of(std::int64_t elements, int member, int members);

}  // namespace rhyton::distribute
