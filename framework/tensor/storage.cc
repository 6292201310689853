#include <rhyton/framework/tensor/storage.h>

#include <rhyton/framework/device/device_runtime.h>

namespace rhyton {
namespace {

constexpr std::size_t storage_alignment = 64;

}  // namespace

std::shared_ptr<Storage> Storage::allocate(std::size_t bytes, LogicalDevice& device) {
  // The constructor is private to keep the block and its size together; this opens it to make_shared, which puts
  // Storage and reference counts in one piece of memory.
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

}  // namespace rhyton
