#include <rhyton/framework/distribute/mirrored_variables.h>

#include <cstring>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/listeners.h>

namespace rhyton::distribute {

std::uint64_t MirroredVariables::Mirrored::versions_now() const {
  // Versions only grow, so that equal sums mean equal versions. Never 0.
  std::uint64_t sum = 1 + variable.version();
  for (const Variable& copy : copies) sum += copy.version();
  return sum;
}

MirroredVariables::Mirrored& MirroredVariables::entry(const Variable& variable) {
  const auto [it, inserted] = entries_.try_emplace(variable.identity());
  Mirrored& mirrored = it->second;
  if (inserted) {
    mirrored.variable = variable;
    for (std::size_t replica = 1; replica < devices_.size(); ++replica) {
      Variable copy(variable.stored_value(), {.trainable = variable.trainable(),
                                              .name = variable.name(),
                                              .path = variable.path() + "/replica_" + std::to_string(replica),
                                              .carries_batch = variable.carries_batch()});
      copy.move_to(*devices_[replica]);
      mirrored.copies.push_back(std::move(copy));
    }
    mirrored.versions = mirrored.versions_now();
  }
  return mirrored;
}

Variable MirroredVariables::of(const Variable& variable, int replica) {
  if (replica == 0) return variable;
  const std::scoped_lock lock(mutex_);
  return entry(variable).copies[static_cast<std::size_t>(replica) - 1];
}

void MirroredVariables::mirror(const Variable& variable) {
  const std::scoped_lock lock(mutex_);
  entry(variable);
}

void MirroredVariables::renew(Mirrored& mirrored) {
  if (mirrored.versions == mirrored.versions_now()) return;
  for (const Variable& copy : mirrored.copies) copy.set_stored_value(mirrored.variable.stored_value());
  mirrored.versions = mirrored.versions_now();
}

void MirroredVariables::renew(const std::vector<Variable>& variables) {
  const std::scoped_lock lock(mutex_);
  for (const Variable& variable : variables) renew(entry(variable));
}

void MirroredVariables::note_step(const std::vector<Variable>& variables) {
  const std::scoped_lock lock(mutex_);
  for (const Variable& variable : variables) {
    Mirrored& mirrored = entry(variable);
    mirrored.versions = mirrored.versions_now();
  }
}

void MirroredVariables::renew_all() {
  const std::scoped_lock lock(mutex_);
  for (auto& [identity, mirrored] : entries_) renew(mirrored);
}

void MirroredVariables::note_step_of_all() {
  const std::scoped_lock lock(mutex_);
  for (auto& [identity, mirrored] : entries_) mirrored.versions = mirrored.versions_now();
}

void MirroredVariables::require_equal() const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [identity, mirrored] : entries_) {
    const Tensor& value = mirrored.variable.stored_value();
    for (std::size_t i = 0; i < mirrored.copies.size(); ++i) {
      if (mirrored.versions != mirrored.versions_now()) continue;  // assigned since the replicas ran
      const Tensor& copy = mirrored.copies[i].stored_value();
      if (std::memcmp(value.raw_data(), copy.raw_data(), value.spec().bytes()) == 0) continue;
      throw RuntimeError("Variable '" + mirrored.variable.path() + "' of replica " + std::to_string(i + 1) +
                         " is not equal to that of replica 0. Replicas must compute every update from sums over "
                         "all of them.");
    }
  }
}

}  // namespace rhyton::distribute
