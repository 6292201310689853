#include <rhyton/models/callbacks/logs.h>

#include <rhyton/framework/error.h>

namespace rhyton::callbacks {
namespace {

[[noreturn]] void throw_unknown(const std::string& name, const std::string& known) {
  throw NotFoundError("There is no value named '" + name + "'. There are: [" + known + "].");
}

}  // namespace

double Logs::at(const std::string& name) const {
  if (const std::optional<double> value = find(name)) return *value;
  std::string known;
  for (const auto& [key, value] : entries_) known += (known.empty() ? "'" : ", '") + key + "'";
  throw_unknown(name, known);
}

const std::vector<double>& History::operator[](const std::string& name) const {
  if (const auto values = history.find(name); values != history.end()) return values->second;
  std::string known;
  for (const auto& [key, values] : history) known += (known.empty() ? "'" : ", '") + key + "'";
  throw_unknown(name, known);
}

}  // namespace rhyton::callbacks
