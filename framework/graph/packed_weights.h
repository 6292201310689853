#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/tensor/storage.h>

namespace rhyton::graph {

/// Weights in the layout of a kernel.
struct PackedCopy {
  std::shared_ptr<Storage> storage;
  /// The sum of the versions of the variables that it was packed from; 0: it is not packed yet.
  std::uint64_t version = 0;
  /// Whether several frames may use it. It does not change from then on.
  bool is_shared = false;
};

/// What packed weights depend on, except for the values of the variables.
struct PackingKey {
  const Kernel* kernel = nullptr;
  /// `PlannedCall::packed_layout`.
  std::string layout;
  std::size_t bytes = 0;
  /// The identities of the variables.
  std::vector<const void*> variables;

  friend bool operator==(const PackingKey&, const PackingKey&) = default;
};

/// The packed copies of the same weights that the run frames of one pool use: normally one, several while frames run
/// with different versions of the variables. Guarded by the mutex of the pool.
class PackedWeights {
 public:
  explicit PackedWeights(PackingKey key) : key_(std::move(key)) {}

  const PackingKey& key() const { return key_; }
  /// Notes that a frame needs this version.
  void note_needed(std::uint64_t version);
  /// Whether a later version is needed.
  bool is_outdated(const PackedCopy& copy) const { return copy.version < latest_; }
  /// The shared copy of that version, else one that no frame uses, into which the caller packs.
  std::shared_ptr<PackedCopy> get(std::uint64_t version);
  /// Shares a copy that was packed; returns the copy of its version to be used from now on.
  std::shared_ptr<PackedCopy> share(std::shared_ptr<PackedCopy> copy);
  /// The bytes of all copies.
  std::size_t bytes() const { return copies_.size() * key_.bytes; }

 private:
  PackingKey key_;
  std::uint64_t latest_ = 0;
  std::vector<std::shared_ptr<PackedCopy>> copies_;
};

}  // namespace rhyton::graph
