#include <rhyton/layers/nested_numbers.h>

#include <cstdint>

#include <rhyton/framework/error.h>

namespace rhyton::layers {
namespace {

/// Adds the numbers of the part with the axes from `axis` on.
void add_numbers(const Argument& part, int axis, NestedNumbers& numbers) {
  if (axis == numbers.shape.rank()) {
    numbers.elements.push_back(part.number());
    return;
  }
  if (!part.is_list() || static_cast<std::int64_t>(part.list().size()) != numbers.shape[axis]) {
    throw ValueError("The lists of a constant differ in length: " + part.to_string());
  }
  for (const Argument& entry : part.list()) add_numbers(entry, axis + 1, numbers);
}

}  // namespace

NestedNumbers nested_numbers(const Argument& argument) {
  NestedNumbers numbers;
  for (const Argument* part = &argument; part->is_list(); part = &part->list().front()) {
    if (numbers.shape.rank() == Shape::max_rank) throw ValueError("A constant has too many axes.");
    numbers.shape.push_back(static_cast<std::int64_t>(part->list().size()));
    if (part->list().empty()) break;
  }
  add_numbers(argument, 0, numbers);
  return numbers;
}

}  // namespace rhyton::layers
