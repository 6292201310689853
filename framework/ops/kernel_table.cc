#include <rhyton/framework/ops/kernel_table.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace rhyton {
namespace {

/// By type of device; a table keeps its address.
struct RegisteredTables {
  std::shared_mutex mutex;
  std::map<std::string, KernelTable, std::less<>> tables;
};

RegisteredTables& registered_tables() {
  static RegisteredTables registered;
  return registered;
}

}  // namespace

struct KernelTable::Impl {
  std::string device_type;
  mutable std::shared_mutex mutex;
  // std::map keeps the addresses of kernels valid while others are added.
  std::map<std::pair<std::string, DType>, Kernel> kernels;
};

KernelTable::KernelTable(std::string device_type) : impl_(std::make_unique<Impl>()) {
  impl_->device_type = std::move(device_type);
}
KernelTable::~KernelTable() = default;

void KernelTable::add(std::string_view op, DType dtype, const Kernel& kernel) {
  const std::unique_lock lock(impl_->mutex);
  impl_->kernels[{std::string(op), dtype}] = kernel;
}

const Kernel* KernelTable::find(std::string_view op, DType dtype) const {
  const std::shared_lock lock(impl_->mutex);
  const auto it = impl_->kernels.find({std::string(op), dtype});
  return it == impl_->kernels.end() ? nullptr : &it->second;
}

const Kernel& KernelTable::get(const Op& op, std::span<const TensorSpec> inputs) const {
  const DType dtype = op.kernel_dtype(inputs);
  if (const Kernel* kernel = find(op.name(), dtype)) return *kernel;
  throw NotImplementedError("Could not find device for node: op " + std::string(op.name()) + " has no " +
                            impl_->device_type + " kernel for dtype " + std::string(name_of(dtype)) + ".");
}

std::vector<std::string> KernelTable::list() const {
  const std::shared_lock lock(impl_->mutex);
  std::vector<std::string> names;
  for (const auto& [key, kernel] : impl_->kernels) names.push_back(key.first + " " + std::string(name_of(key.second)));
  std::sort(names.begin(), names.end());
  return names;
}

KernelTable& cpu_kernels() {
  static KernelTable& table = []() -> KernelTable& {
    static KernelTable built("CPU");
    register_builtin_kernels(built);
    return built;
  }();
  return table;
}

KernelTable& register_kernel_table(std::string_view device_type) {
  RegisteredTables& registered = registered_tables();
  const std::unique_lock lock(registered.mutex);
  const auto [entry, _] = registered.tables.try_emplace(std::string(device_type), std::string(device_type));
  return entry->second;
}

KernelTable& gpu_kernels() { return register_kernel_table("GPU"); }

KernelTable& kernels_for(std::string_view device_type) {
  if (device_type == "CPU") return cpu_kernels();
  RegisteredTables& registered = registered_tables();
  const std::shared_lock lock(registered.mutex);
  const auto found = registered.tables.find(device_type);
  if (found != registered.tables.end()) return found->second;
  throw NotFoundError("No backend has registered kernels for devices of type \"" + std::string(device_type) + "\".");
}

}  // namespace rhyton
