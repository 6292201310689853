#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/index.h>
#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/shape.h>
#include <rhyton/framework/tensor/storage.h>

namespace rhyton {

/// Shape and dtype, without elements.
struct TensorSpec {
  Shape shape;
  DType dtype = DType::float32;

  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
  /// Bytes of a contiguous tensor of this spec.
  std::size_t bytes() const { return static_cast<std::size_t>(shape.size()) * size_of(dtype); }
};

/// The origin of a traced tensor: a value of the graph (or of the shape inference) that is being recorded.
class TraceOrigin {
 public:
  virtual ~TraceOrigin() = default;
};

/// An n-dimensional array: a cheap handle, copies share the elements.
///
/// A *concrete* tensor has its elements, contiguous in row-major order, on one logical device. A *traced* tensor
/// represents a value of a graph while code is traced: shape and dtype are known, the elements are not; reading them
/// throws. A default-constructed Tensor is *empty*: no tensor at all.
class Tensor {
 public:
  Tensor() = default;

  /// A concrete tensor with uninitialised elements, in memory that the host can write.
  static Tensor uninitialized(const Shape& shape, DType dtype);
  /// The same on that device.
  static Tensor uninitialized(const Shape& shape, DType dtype, LogicalDevice& device);
  static Tensor zeros(const Shape& shape, DType dtype = DType::float32);
  /// A tensor of rank 0.
  template <class T>
  static Tensor scalar(T value) {
    return from_data(Shape{}, std::span<const T>(&value, 1));
  }
  /// A copy of `elements`. Throws ValueError when their number is not the shape's.
  template <class T>
  static Tensor from_data(const Shape& shape, std::span<const T> elements) {
    return from_bytes(shape, dtype_of<T>, elements.data(), elements.size());
  }
  template <class T>
  static Tensor from_data(const Shape& shape, const std::vector<T>& elements) {
    return from_data(shape, std::span<const T>(elements));
  }
  template <class T>
  static Tensor from_data(const Shape& shape, std::initializer_list<T> elements) {
    return from_data(shape, std::span<const T>(elements.begin(), elements.size()));
  }
  /// A tensor filled with that value, converted to `dtype`: integers exactly, fractions are truncated for integers.
  /// Throws ValueError when the value is out of range of an integer dtype.
  static Tensor full(const Shape& shape, const Scalar& value, DType dtype = DType::float32);
  /// A tensor of these numbers in row-major order, each converted as by `full`. Throws ValueError when their number is
  /// not the shape's.
  static Tensor from_numbers(const Shape& shape, std::span<const Scalar> numbers, DType dtype);
  /// A concrete tensor over `storage`, from `byte_offset` on. Throws ValueError when it would not fit.
  static Tensor from_storage(const Shape& shape, DType dtype, std::shared_ptr<Storage> storage,
                             std::size_t byte_offset = 0);
  /// A traced tensor. For recorders (graph tracing, shape inference) only.
  static Tensor traced(const TensorSpec& spec, std::shared_ptr<const TraceOrigin> origin, std::int64_t id);

  bool is_empty() const { return impl_ == nullptr; }
  bool is_traced() const;
  bool is_concrete() const { return !is_empty() && !is_traced(); }
  /// The truth value of the only element, as in `if (a < b)`. `is_empty` returns whether a handle is empty. Throws
  /// ValueError when the number of elements is not one ("The truth value of an array with more than one element is
  /// ambiguous"), TypeError when the tensor is traced, RuntimeError when it is empty.
  explicit operator bool() const;
  /// `item<T>()`: `float(sum(x))`.
  template <class T>
  requires std::is_arithmetic_v<T> &&(!std::same_as<T, bool>)explicit operator T() const { return item<T>(); }

  const TensorSpec& spec() const;
  const Shape& shape() const { return spec().shape; }
  DType dtype() const { return spec().dtype; }
  int rank() const { return shape().rank(); }
  /// The number of elements.
  std::int64_t size() const { return shape().size(); }

  /// The elements, for the host to read: those of a tensor on a GPU are copied at the first call. Throws TypeError when
  /// `T` is not the dtype's type, RuntimeError when the tensor is traced.
  template <class T>
  const T* data() const {
    require_dtype(dtype_of<T>);
    return static_cast<const T*>(raw_data());
  }
  /// The elements, for the host to write: a tensor on a GPU is moved to the host first. Throws as `data`.
  template <class T>
  T* mutable_data() {
    require_dtype(dtype_of<T>);
    return static_cast<T*>(mutable_raw_data());
  }
  /// All elements, as long as the tensor lives. Throws as `data`.
  template <class T>
  std::span<const T> elements() const& {
    return {data<T>(), static_cast<std::size_t>(size())};
  }
  /// A copy of them, for a tensor that ends with the expression: `for (const float y : model(x).elements<float>())`.
  template <class T>
  std::vector<T> elements() const&& {
    const T* const first = data<T>();
    return {first, first + size()};
  }
  /// As `data`, for elements of any dtype.
  const void* raw_data() const;
  void* mutable_raw_data();
  /// The address of the elements on the tensor's own device, for kernels that run there.
  const void* device_data() const;
  /// The same to write to.
  void* mutable_device_data();
  /// The block of memory with the elements, and their position in it.
  const std::shared_ptr<Storage>& storage() const;
  std::size_t byte_offset() const;
  /// The device that the elements are on.
  LogicalDevice& device() const;
  /// The same elements on that device: this tensor if they are already there, else a copy.
  Tensor to(LogicalDevice& device) const;

  /// The only element, converted to double as by `to_vector`. Throws ValueError when there is more than one.
  double item() const;
  /// The only element as a `T`, `x.item<std::int64_t>()`: integers exactly, fractions are truncated for an integer `T`.
  /// Throws ValueError when there is more than one element, and when `T` is an integer that does not have the value.
  template <class T>
  requires std::is_arithmetic_v<T> T item()
  const {
    if constexpr (std::floating_point<T>) {
      return static_cast<T>(item());
    } else if constexpr (std::same_as<T, bool>) {
      return item() != 0.0;
    } else {
      const std::int64_t value = integer_item();
      if (!std::in_range<T>(value)) throw_out_of_range(value);
      return static_cast<T>(value);
    }
  }
  /// All elements in row-major order, converted. NaN has no sign.
  std::vector<double> to_vector() const;
  /// The same as `T`, `x.to_vector<float>()`: each as by `item<T>()`.
  template <class T>
  requires std::is_arithmetic_v<T> std::vector<T> to_vector()
  const {
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>(size()));
    if constexpr (std::floating_point<T>) {
      for (const double value : to_vector()) values.push_back(static_cast<T>(value));
    } else if constexpr (std::same_as<T, bool>) {
      for (const double value : to_vector()) values.push_back(value != 0.0);
    } else {
      for (const std::int64_t value : to_integers()) {
        if (!std::in_range<T>(value)) throw_out_of_range(value);
        values.push_back(static_cast<T>(value));
      }
    }
    return values;
  }
  /// A copy with its own elements.
  Tensor clone() const;

  /// The origin of a traced tensor, null for others, and its number there.
  const std::shared_ptr<const TraceOrigin>& trace_origin() const;
  std::int64_t trace_id() const;
  /// True when both handles are the same tensor.
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  /// The number of handles of this tensor, this one included.
  long handle_count() const { return impl_.use_count(); }
  /// Identifies the tensor: equal for two handles of the same tensor.
  const void* identity() const { return impl_.get(); }

  /// The mask of this handle: which steps of a sequence count, bool [batch, steps]. Empty if there is none. Layers pass
  /// it on (`layers::LayerImpl::compute_mask`) and losses and metrics use it; the results of ops have none. Copies of a
  /// handle have the same mask, other handles of the same tensor have their own.
  Tensor mask() const { return mask_ == nullptr ? Tensor() : *mask_; }
  bool has_mask() const { return mask_ != nullptr; }
  /// A handle of the same tensor with that mask; without one if `mask` is empty.
  Tensor with_mask(const Tensor& mask) const;
  /// A handle of the same tensor without a mask: what ops return that have nothing to do.
  Tensor without_mask() const { return with_mask({}); }

  /// As TensorFlow prints: `tf.Tensor([[22. 28.]\n [49. 64.]], shape=(2, 2), dtype=float32)`.
  std::string to_string() const;

  // Ops as methods (defined with the ops, in framework/ops/): shorthand for the functions of the same name.
  Tensor reshape(const Shape& shape) const;
  Tensor cast(DType dtype) const;
  Tensor cast(std::string_view dtype) const { return cast(dtype_from_name(dtype)); }
  Tensor transpose(const std::vector<int>& axes = {}) const;
  /// The sub-tensor at `index` of the first axis; negative counts from the end.
  Tensor operator[](std::int64_t index) const;
  /// Several indices, as in Python: `x[{Slice(), -1}]`. See `get_item`.
  Tensor operator[](const std::vector<Index>& key) const;
  /// One that is no number: `x[Slice(0, 2)]`.
  template <IsSlicing Key>
  Tensor operator[](const Key& key) const {
    return (*this)[std::vector<Index>{key}];
  }
  /// Rows [first, last) of the first axis; negative counts from the end.
  Tensor slice(std::int64_t first, std::int64_t last) const;

 private:
  struct Impl;
  explicit Tensor(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  static Tensor from_bytes(const Shape& shape, DType dtype, const void* elements, std::size_t count);
  void require_dtype(DType dtype) const;
  std::int64_t integer_item() const;
  std::vector<std::int64_t> to_integers() const;
  [[noreturn]] static void throw_out_of_range(std::int64_t value);

  std::shared_ptr<Impl> impl_;
  std::shared_ptr<const Tensor> mask_;
};

/// Writes `to_string()`.
std::ostream& operator<<(std::ostream& stream, const Tensor& tensor);

}  // namespace rhyton
