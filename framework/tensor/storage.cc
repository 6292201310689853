#include <rhyton/framework/tensor/storage.h>

#include <rhyton/framework/device/device_runtime.h>

namespace rhyton {
namespace {

constexpr std::size_t storage_alignment = 64;

}  // namespace

Storage::Storage(void* data, std::size_t bytes, LogicalDevice& device)
    : data_(data), bytes_(bytes), device_(&device), is_on_host_(device.is_host()) {}

std::shared_ptr<Storage> Storage::allocate(std::size_t bytes, LogicalDevice& device) {
  // The constructor is private to keep the block and its size together; this class makes it accessible to make_shared,
  // which allocates Storage and reference counts together.
  struct Owner final : Storage {
    Owner(void* data, std::size_t size, LogicalDevice& owner) : Storage(data, size, owner) {}
  };
  void* data = device.allocator().allocate(bytes, storage_alignment);
  try {
    return std::make_shared<Owner>(data, bytes, device);
  } catch (...) {
    device.allocator().deallocate(data, bytes);
    throw;
  }
}

std::shared_ptr<Storage> Storage::allocate(std::size_t bytes) { return allocate(bytes, device_runtime().host()); }

Storage::~Storage() { device_->allocator().deallocate(data_, bytes_); }

const void* Storage::host_data() const {
  if (is_on_host_) return data_;
  const std::scoped_lock lock(host_copy_mutex_);
  if (host_copy_ == nullptr) {
    std::shared_ptr<Storage> copy = allocate(bytes_);
    device_->stream().copy_to_host(copy->data(), data_, bytes_);
    host_copy_ = std::move(copy);
  }
  return host_copy_->data();
}

void Storage::mark_written() {
  if (is_on_host_) return;
  const std::scoped_lock lock(host_copy_mutex_);
  host_copy_.reset();
}

}  // namespace rhyton
