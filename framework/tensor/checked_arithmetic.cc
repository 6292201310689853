#include <rhyton/framework/tensor/checked_arithmetic.h>

#include <string>

namespace rhyton {
namespace {

template <class T>
[[noreturn]] void throw_overflow_of(T a, std::string_view operation, T b) {
  throw ShapeOverflowError("A shape is too large: " + std::to_string(a) + " " + std::string(operation) + " " +
                           std::to_string(b) + " does not fit into 64 bits.");
}

}  // namespace

void throw_overflow(std::int64_t a, std::string_view operation, std::int64_t b) { throw_overflow_of(a, operation, b); }
void throw_overflow(std::uint64_t a, std::string_view operation, std::uint64_t b) {
  throw_overflow_of(a, operation, b);
}

}  // namespace rhyton
