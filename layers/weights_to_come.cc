#include <rhyton/layers/weights_to_come.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace rhyton::layers {
namespace {

thread_local bool expected = false;

}  // namespace

WeightsToCome::WeightsToCome() : previous_(std::exchange(expected, true)) {}
WeightsToCome::~WeightsToCome() { expected = previous_; }
bool WeightsToCome::is_expected() { return expected; }

Tensor WeightsToCome::zeros(const Shape& shape, DType dtype) {
  constexpr std::size_t many = std::size_t{16} << 20;
  Tensor tensor = Tensor::uninitialized(shape, dtype);
  auto* const begin = static_cast<std::byte*>(tensor.mutable_raw_data());
  const std::size_t bytes = tensor.spec().bytes();
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(begin) % page) % page;
  const std::size_t pages = bytes > before ? (bytes - before) / page * page : 0;
  // Returns the pages to the system, which provides zeros when they are read again.
  if (bytes >= many && ::madvise(begin + before, pages, MADV_DONTNEED) == 0) {
    std::fill(begin, begin + before, std::byte{0});
    std::fill(begin + before + pages, begin + bytes, std::byte{0});
    return tensor;
  }
  std::fill(begin, begin + bytes, std::byte{0});
  return tensor;
}

}  // namespace rhyton::layers
