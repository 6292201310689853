#include <rhyton/framework/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <rhyton/framework/device/device_copy.h>
#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/framework/tensor/number_format.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/framework/tensor/truth_value.h>
#include <rhyton/framework/tensor/visit_dtype.h>

namespace rhyton {

struct Tensor::Impl {
  TensorSpec spec;
  /// Null for a traced tensor.
  std::shared_ptr<Storage> storage = nullptr;
  std::size_t byte_offset = 0;
  std::shared_ptr<const TraceOrigin> origin = nullptr;
  std::int64_t id = -1;
  /// Of a tensor of strings, whose elements the origin has.
  bool has_strings = false;
};

namespace {

/// The device of the elements of a new tensor: they are written by the host, so a GPU scope is ignored.
LogicalDevice& device_for_host_elements() {
  if (has_device_scope() && current_device().is_host()) return current_device();
  return device_runtime().host();
}

/// Constants are on the device of the scope if that is a device of another task, where they are then already when ops
/// read them. For a GPU of this process they are copied by the op that reads them.
Tensor on_device_of_scope(const Tensor& constant) {
  return has_device_scope() && current_device().is_remote() ? constant.to(current_device()) : constant;
}

std::string shape_in_brackets(const Shape& shape) {
  std::string text = "[";
  for (int axis = 0; axis < shape.rank(); ++axis) text += (axis > 0 ? "," : "") + std::to_string(shape[axis]);
  return text + "]";
}

std::shared_ptr<Storage> allocate_elements(const TensorSpec& spec, LogicalDevice& device) {
  require_numeric(spec.dtype, "The memory of a tensor");
  const std::size_t element_bytes = size_of(spec.dtype);
  const std::int64_t size = spec.shape.size();
  if (static_cast<std::uint64_t>(size) >
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / element_bytes) {
    throw ShapeOverflowError("Shape " + spec.shape.to_string() + " of " + std::string(name_of(spec.dtype)) +
                             " has more bytes than can be counted");
  }
  try {
    return Storage::allocate(spec.bytes(), device);
  } catch (const ResourceExhaustedError& error) {
    throw ResourceExhaustedError("OOM when allocating tensor with shape" + shape_in_brackets(spec.shape) +
                                 " and type " + std::string(name_of(spec.dtype)) + " on " + device.full_name() +
                                 " by allocator " + device.allocator().name() + ". " + error.what());
  }
}

void require_count(const Shape& shape, std::size_t count) {
  if (static_cast<std::size_t>(shape.size()) == count) return;
  throw ValueError(std::to_string(count) + " elements were given for a tensor of shape " + shape.to_string() +
                   ", which has " + std::to_string(shape.size()));
}

[[noreturn]] void throw_out_of_range(const Scalar& value, DType dtype) {
  throw ValueError("The value " +
                   (value.is_floating() ? std::to_string(value.as_double()) : std::to_string(value.as_integer())) +
                   " is out of range for dtype " + std::string(name_of(dtype)));
}

template <class T>
T converted(const Scalar& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value.as_double() != 0.0;
  } else if constexpr (std::is_integral_v<T>) {
    if (!value.fits(dtype_of<T>)) throw_out_of_range(value, dtype_of<T>);
    return value.is_floating() ? static_cast<T>(value.as_double()) : static_cast<T>(value.as_integer());
  } else if constexpr (std::is_floating_point_v<T>) {
    return value.is_floating() ? static_cast<T>(value.as_double()) : static_cast<T>(value.as_integer());
  } else {
    return T(static_cast<float>(value.as_double()));
  }
}

std::int64_t integer_of(double value) {
  constexpr double limit = 0x1p63;
  if (value >= -limit && value < limit) return static_cast<std::int64_t>(value);
  throw ValueError("cannot convert float " + scalar_to_string(value, DType::float64) + " to an integer");
}

}  // namespace

Tensor Tensor::uninitialized(const Shape& shape, DType dtype) {
  return uninitialized(shape, dtype, device_for_host_elements());
}

Tensor Tensor::uninitialized(const Shape& shape, DType dtype, LogicalDevice& device) {
  const TensorSpec spec{shape, dtype};
  return Tensor(std::make_shared<Impl>(Impl{.spec = spec, .storage = allocate_elements(spec, device)}));
}

Tensor Tensor::zeros(const Shape& shape, DType dtype) {
  Tensor result = uninitialized(shape, dtype);
  result.device().stream().fill(result.mutable_device_data(), 0, result.spec().bytes());
  return on_device_of_scope(result);
}

Tensor Tensor::full(const Shape& shape, const Scalar& value, DType dtype) {
  Tensor result = uninitialized(shape, dtype);
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    std::fill_n(static_cast<T*>(result.mutable_raw_data()), result.size(), converted<T>(value));
  });
  return on_device_of_scope(result);
}

Tensor Tensor::from_numbers(const Shape& shape, std::span<const Scalar> numbers, DType dtype) {
  require_count(shape, numbers.size());
  Tensor result = uninitialized(shape, dtype);
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    std::transform(numbers.begin(), numbers.end(), static_cast<T*>(result.mutable_raw_data()), &converted<T>);
  });
  return on_device_of_scope(result);
}

Tensor Tensor::from_storage(const Shape& shape, DType dtype, std::shared_ptr<Storage> storage,
                            std::size_t byte_offset) {
  if (storage == nullptr) throw ValueError("A tensor needs a storage, got none");
  require_numeric(dtype, "The storage of a tensor");
  const TensorSpec spec{shape, dtype};
  const std::size_t bytes = spec.bytes();
  if (byte_offset > storage->bytes() || bytes > storage->bytes() - byte_offset) {
    throw ValueError("A tensor of shape " + shape.to_string() + " and dtype " + std::string(name_of(dtype)) +
                     " takes " + std::to_string(bytes) + " bytes, which do not fit at byte " +
                     std::to_string(byte_offset) + " of a storage of " + std::to_string(storage->bytes()) + " bytes");
  }
  if (byte_offset % size_of(dtype) != 0) {
    throw ValueError("Byte offset " + std::to_string(byte_offset) + " is no multiple of the size of a " +
                     std::string(name_of(dtype)));
  }
  return Tensor(std::make_shared<Impl>(Impl{.spec = spec, .storage = std::move(storage), .byte_offset = byte_offset}));
}

Tensor Tensor::traced(const TensorSpec& spec, std::shared_ptr<const TraceOrigin> origin, std::int64_t id) {
  const bool has_strings = dynamic_cast<const StringElements*>(origin.get()) != nullptr;
  return Tensor(
      std::make_shared<Impl>(Impl{.spec = spec, .origin = std::move(origin), .id = id, .has_strings = has_strings}));
}

Tensor Tensor::from_bytes(const Shape& shape, DType dtype, const void* elements, std::size_t count) {
  require_count(shape, count);
  Tensor result = uninitialized(shape, dtype);
  result.device().stream().copy_from_host(result.mutable_raw_data(), elements, result.spec().bytes());
  return on_device_of_scope(result);
}

Tensor Tensor::with_mask(const Tensor& mask) const {
  Tensor result = *this;
  result.mask_ = mask.is_empty() ? nullptr : std::make_shared<const Tensor>(mask);
  return result;
}

bool Tensor::is_traced() const { return impl_ != nullptr && impl_->storage == nullptr && !impl_->has_strings; }

const TensorSpec& Tensor::spec() const {
  if (is_empty()) throw RuntimeError("The tensor is empty (default-constructed): it has no shape, dtype or elements");
  return impl_->spec;
}

const std::shared_ptr<Storage>& Tensor::storage() const {
  require_numeric(spec().dtype, "What reads the elements of a tensor");
  if (is_traced()) {
    throw RuntimeError(
        "The values of a tensor are not available while the model is being compiled into a graph: only shape " +
        shape().to_string() + " and dtype " + std::string(name_of(dtype())) +
        " are known here. Compile the model with `run_eagerly = true` to let the code look at the values.");
  }
  return impl_->storage;
}

const void* Tensor::raw_data() const {
  return static_cast<const std::byte*>(storage()->host_data()) + impl_->byte_offset;
}

void* Tensor::mutable_raw_data() {
  if (!device().is_host()) {
    Tensor on_host = to(device_for_host_elements());
    impl_->storage = on_host.storage();
    impl_->byte_offset = 0;
  }
  return static_cast<std::byte*>(storage()->data()) + impl_->byte_offset;
}

const void* Tensor::device_data() const {
  return static_cast<const std::byte*>(std::as_const(*storage()).data()) + impl_->byte_offset;
}

void* Tensor::mutable_device_data() {
  storage()->mark_written();
  return static_cast<std::byte*>(storage()->data()) + impl_->byte_offset;
}

std::size_t Tensor::byte_offset() const {
  static_cast<void>(storage());
  return impl_->byte_offset;
}

LogicalDevice& Tensor::device() const {
  return impl_ != nullptr && impl_->has_strings ? device_runtime().host() : storage()->device();
}

Tensor Tensor::to(LogicalDevice& target) const {
  if (impl_ != nullptr && impl_->has_strings) return *this;
  if (&device() == &target) return *this;
  std::shared_ptr<Storage> copy = allocate_elements(spec(), target);
  copy_between_devices(target, copy->data(), device(), device_data(), spec().bytes());
  return Tensor(std::make_shared<Impl>(Impl{.spec = spec(), .storage = std::move(copy)}));
}

void Tensor::require_dtype(DType dtype) const {
  if (spec().dtype != dtype) {
    throw TypeError("The elements of a tensor of dtype " + std::string(name_of(spec().dtype)) + " were requested as " +
                    std::string(name_of(dtype)));
  }
}

Tensor::operator bool() const {
  if (is_traced()) {
    throw TypeError(
        "Using a symbolic tensor as a C++ `bool` is not allowed: its value is not known while the model is being "
        "compiled into a graph. Choose between values with `where(condition, a, b)`, or compile the model with "
        "`run_eagerly = true`.");
  }
  require_one_element(*this);
  return to_vector().front() != 0.0;
}

double Tensor::item() const {
  if (spec().shape.is_fully_known() && size() == 1) return to_vector().front();
  static_cast<void>(storage());
  throw ValueError("can only convert a tensor of size 1 to a scalar, got shape " + shape().to_string());
}

std::int64_t Tensor::integer_item() const {
  const double value = item();
  return dtype() == DType::int64 ? *data<std::int64_t>() : integer_of(value);
}

std::vector<std::int64_t> Tensor::to_integers() const {
  const std::vector<double> values = to_vector();
  std::vector<std::int64_t> integers(values.size());
  if (dtype() == DType::int64) {
    std::copy_n(data<std::int64_t>(), integers.size(), integers.begin());
  } else {
    std::transform(values.begin(), values.end(), integers.begin(), integer_of);
  }
  return integers;
}

void Tensor::throw_out_of_range(std::int64_t value) {
  throw ValueError("The value " + std::to_string(value) +
                   " of the tensor is out of range of the integer that it is read as");
}

std::vector<double> Tensor::to_vector() const {
  const std::size_t bytes = (static_cast<void>(storage()), spec().bytes());
  std::vector<std::byte> host_copy;
  const void* elements = device_data();
  if (!device().is_host()) {
    host_copy.resize(bytes);
    device().stream().copy_to_host(host_copy.data(), elements, bytes);
    elements = host_copy.data();
  }
  std::vector<double> values(static_cast<std::size_t>(size()));
  visit_dtype(dtype(), [&]<class T>(std::type_identity<T>) {
    const T* typed = static_cast<const T*>(elements);
    std::transform(typed, typed + values.size(), values.begin(), [](T value) {
      if constexpr (std::is_integral_v<T>) {
        return static_cast<double>(value);
      } else if constexpr (std::is_floating_point_v<T>) {
        return without_sign_of_nan(static_cast<double>(value));
      } else {
        return without_sign_of_nan(static_cast<double>(static_cast<float>(value)));
      }
    });
  });
  return values;
}

Tensor Tensor::clone() const {
  if (impl_ != nullptr && impl_->has_strings) return traced(spec(), impl_->origin, impl_->id);
  LogicalDevice& target = device();
  std::shared_ptr<Storage> copy = allocate_elements(spec(), target);
  target.stream().copy(copy->data(), device_data(), spec().bytes());
  return Tensor(std::make_shared<Impl>(Impl{.spec = spec(), .storage = std::move(copy)}));
}

const std::shared_ptr<const TraceOrigin>& Tensor::trace_origin() const {
  static_cast<void>(spec());
  return impl_->origin;
}

std::int64_t Tensor::trace_id() const {
  static_cast<void>(spec());
  return impl_->id;
}

}  // namespace rhyton
