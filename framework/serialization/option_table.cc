#include <rhyton/framework/serialization/option_table.h>

#include <algorithm>

namespace rhyton {

std::size_t OptionTable::listed_members() const {
  return static_cast<std::size_t>(
      std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return !row.is_constant; }));
}

void OptionTable::add(Row row) {
  std::erase_if(rows_, [&](const Row& other) { return other.name == row.name; });
  rows_.push_back(std::move(row));
}

}  // namespace rhyton
