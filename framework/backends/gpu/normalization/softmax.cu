#include <rhyton/framework/ops/softmax.h>

#include <cmath>
#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/limits.h>
#include <rhyton/framework/backends/gpu/reduce/row_groups.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>

namespace rhyton::gpu {
namespace {

/// The largest number x of a row and the sum of e^(x - largest).
template <class T>
struct RowExponentials {
  T largest;
  T total;

  template <class Group, class Share>
  __device__ RowExponentials(const Group& group, const Share& share) {
    T of_thread = -infinity<T>;
    share.for_each([&](std::int64_t, T x) { of_thread = Larger()(of_thread, x); });
    largest = group.reduce(of_thread, Larger());
    T sum = T(0);
    share.for_each([&](std::int64_t, T x) { sum += std::exp(x - largest); });
    total = group.reduce(sum, Plus());
  }
};

template <class T>
struct SoftmaxTask {
  const T* x;
  T* y;
  std::int64_t length;

  template <int held, class Group>
  __device__ void run(const Group& group, std::int64_t row) const {
    using Number = Computed<T>;
    const RowShare<T, held> share(group, x + row * length, length);
    const RowExponentials<Number> exponentials(group, share);
    const Number factor = Number(1) / exponentials.total;
    T* const to = y + row * length;
    share.for_each(
        [&](std::int64_t at, Number x) { to[at] = element<T>(std::exp(x - exponentials.largest) * factor); });
  }
};

template <class T>
struct LogSoftmaxTask {
  const T* x;
  T* y;
  std::int64_t length;

  template <int held, class Group>
  __device__ void run(const Group& group, std::int64_t row) const {
    using Number = Computed<T>;
    const RowShare<T, held> share(group, x + row * length, length);
    const RowExponentials<Number> exponentials(group, share);
    const Number logarithm = std::log(exponentials.total);
    T* const to = y + row * length;
    share.for_each([&](std::int64_t at, Number x) { to[at] = element<T>((x - exponentials.largest) - logarithm); });
  }
};

/// Integers of a dtype that is known only when the kernel runs.
struct Labels {
  const void* data;
  DType dtype;

  __device__ std::int64_t at(std::int64_t i) const {
    if (dtype == DType::int32) return static_cast<const std::int32_t*>(data)[i];
    if (dtype == DType::int64) return static_cast<const std::int64_t*>(data)[i];
    return static_cast<const std::uint8_t*>(data)[i];
  }
};

/// Computes losses and probabilities; a label out of range gives the loss NaN.
template <class T>
struct SparseCrossEntropyTask {
  SoftmaxTask<T> softmax;
  Labels labels;
  T* loss;
  Report* report;

  template <int held, class Group>
  __device__ void run(const Group& group, std::int64_t row) const {
    using Number = Computed<T>;
    const std::int64_t length = softmax.length;
    const T* const logits = softmax.x + row * length;
    const RowShare<T, held> share(group, logits, length);
    const RowExponentials<Number> exponentials(group, share);
    const Number factor = Number(1) / exponentials.total;
    T* const to = softmax.y + row * length;
    share.for_each(
        [&](std::int64_t at, Number x) { to[at] = element<T>(std::exp(x - exponentials.largest) * factor); });
    if (group.has_row && group.thread() == 0) {
      const std::int64_t label = labels.at(row);
      Number result = not_a_number<Number>;
      if (label >= 0 && label < length) {
        result = std::log(exponentials.total) + (exponentials.largest - number(logits[label]));
      } else {
        note(report, Finding::label_out_of_range, label, length, row);
      }
      loss[row] = element<T>(result);
    }
  }
};

std::int64_t row_length(const Shape& shape) { return shape[shape.rank() - 1]; }

template <class T, template <class> class Task>
void run_softmax(const KernelArguments& arguments) {
  const Shape& shape = arguments.inputs[0].shape();
  const std::int64_t length = row_length(shape);
  if (length == 0) return;
  launch_each_row(stream_of(arguments), arguments.op->name().data(), shape.size() / length, length,
                  Task<T>{arguments.inputs[0].as<const T>(), arguments.outputs[0].as<T>(), length});
}

template <class T>
void run_sparse_cross_entropy(const KernelArguments& arguments) {
  GpuStream& stream = stream_of(arguments);
  const std::int64_t length = row_length(arguments.inputs[0].shape());
  const SoftmaxTask<T> softmax{arguments.inputs[0].as<const T>(), arguments.outputs[1].as<T>(), length};
  const Labels labels{arguments.inputs[1].data, arguments.inputs[1].spec.dtype};
  launch_each_row(stream, "SparseSoftmaxCrossEntropyWithLogits", arguments.outputs[0].size(), length,
                  SparseCrossEntropyTask<T>{softmax, labels, arguments.outputs[0].as<T>(), stream.report()});
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("Softmax", dtype_of<T>, {.run = &run_softmax<T, SoftmaxTask>}), ...);
  (table.add("LogSoftmax", dtype_of<T>, {.run = &run_softmax<T, LogSoftmaxTask>}), ...);
  (table.add("SparseSoftmaxCrossEntropyWithLogits", dtype_of<T>, {.run = &run_sparse_cross_entropy<T>}), ...);
}

}  // namespace

void register_softmax_kernels(KernelTable& table) { add_all<float, double, Half, BFloat16>(table); }

}  // namespace rhyton::gpu
