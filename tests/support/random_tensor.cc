#include <rhyton/tests/support/random_tensor.h>

#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/random/philox.h>

namespace rhyton::test {

Tensor random_tensor(const Shape& shape, std::uint64_t seed, double low, double high, DType dtype) {
  std::vector<double> values(static_cast<std::size_t>(shape.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = random::philox4x32(seed, random::philox_counter(i));
    values[i] = low + (high - low) * random::uniform_double(bits[0], bits[1]);
  }
  if (dtype == DType::float64) return Tensor::from_data<double>(shape, values);
  if (dtype != DType::float32) throw ValueError("random_tensor makes float32 and float64 tensors.");
  return Tensor::from_data<float>(shape, std::vector<float>(values.begin(), values.end()));
}

}  // namespace rhyton::test
