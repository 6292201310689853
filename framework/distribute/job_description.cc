#include <rhyton/framework/distribute/job_description.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>

namespace rhyton::distribute {
namespace {

using Value = std::optional<std::string>;

std::string text_of(const Value& value) { return value.has_value() ? "'" + *value + "'" : "none"; }

/// The lowest rank with the most frequent value; of several such values, that of the lowest rank.
std::size_t rank_of_majority(const std::vector<Value>& values) {
  std::size_t best = 0;
  std::ptrdiff_t maximum = 0;
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    const std::ptrdiff_t equal = std::count(values.begin(), values.end(), values[rank]);
    if (equal > maximum) {
      best = rank;
      maximum = equal;
    }
  }
  return best;
}

void require_equal(const std::string& what, const std::vector<Value>& values) {
  const std::size_t usual = rank_of_majority(values);
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    if (values[rank] == values[usual]) continue;
    throw ValueError("All processes of a job must have the same " + what + ", but rank " + std::to_string(rank) +
                     " of " + std::to_string(values.size()) + " has " + text_of(values[rank]) + " and rank " +
                     std::to_string(usual) + " has " + text_of(values[usual]) + ".");
  }
}

}  // namespace

void require_same(ProcessGroup& processes, const JobDescription& description) {
  io::Json own = io::Json::array();
  for (const auto& [name, value] : description.entries) own.push_back(io::Json::array({name, value}));

  std::vector<io::Json> all;
  for (const std::string& text : processes.all_gather(own.dump())) all.push_back(io::Json::parse(text));
  // The names of all descriptions, in their order.
  std::vector<std::string> names;
  for (const io::Json& entries : all) {
    for (const io::Json& entry : entries) {
      const std::string& name = entry[0].as_string();
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  for (const std::string& name : names) {
    std::vector<Value> values;
    for (const io::Json& entries : all) {
      const auto* const found = std::find_if(entries.begin(), entries.end(),
                                             [&](const io::Json& entry) { return entry[0].as_string() == name; });
      values.push_back(found == entries.end() ? Value() : Value((*found)[1].as_string()));
    }
    require_equal(name, values);
  }
}

void require_same(ProcessGroup& processes, const std::string& what, const std::string& value) {
  require_same(processes, JobDescription{.entries = {{what, value}}});
}

}  // namespace rhyton::distribute
