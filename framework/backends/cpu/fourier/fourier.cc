#include <rhyton/framework/ops/fourier.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <rhyton/framework/backends/cpu/fourier/real_transform.h>
#include <rhyton/framework/backends/cpu/fourier/transform.h>
#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {
namespace {

std::int64_t last_length(const TensorSpec& spec) { return spec.shape.at(-1); }

std::int64_t rows_of(const TensorSpec& spec) {
  return spec.shape.size() / std::max<std::int64_t>(last_length(spec), 1);
}

/// Samples with as many rows, of that many complex numbers, as are transformed together.
template <class T>
std::int64_t samples_together(const TensorSpec& spec, std::int64_t length) {
  const std::int64_t rows = rows_of(spec);
  if (spec.shape.rank() < 2 || rows == 0 || length == 0) return 1;
  return std::max<std::int64_t>(rows_together<T>(length) * spec.shape[0] / rows, 1);
}

template <class T>
std::int64_t least_samples(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  return samples_together<T>(inputs[0], last_length(inputs[0]));
}

template <class T>
std::int64_t least_samples_from_real(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  return samples_together<T>(inputs[0], complex_length(last_length(inputs[0])));
}

template <class T>
std::int64_t least_samples_to_real(const Op&, Kernel::Specs, Kernel::Specs outputs) {
  return samples_together<T>(outputs[0], complex_length(last_length(outputs[0])));
}

template <class T>
Parts<T> parts_of(std::span<const TensorView> views) {
  return {views[0].as<T>(), views[1].as<T>()};
}

template <class T>
void transform(const KernelArguments& arguments) {
  const TensorSpec& spec = arguments.inputs[0].spec;
  const std::int64_t length = last_length(spec);
  if (length == 0) return;
  Parts<const T> from = parts_of<const T>(arguments.inputs);
  Parts<T> to = parts_of<T>(arguments.outputs);
  if (arguments.attributes<FftOp>().inverse) {
    from = from.swapped();
    to = to.swapped();
  }
  make_fourier_transform<T>(length)->run(to, length, from, length, rows_of(spec));
}

/// The complex numbers of as many rows as are transformed together. `spec` is that of the real numbers.
template <class T>
std::size_t real_workspace(const TensorSpec& spec) {
  const std::int64_t length = complex_length(last_length(spec));
  return static_cast<std::size_t>(2 * std::min(rows_of(spec), rows_together<T>(length)) * length) * sizeof(T);
}

template <class T>
std::size_t workspace_from_real(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  return real_workspace<T>(inputs[0]);
}

template <class T>
void transform_from_real(const KernelArguments& arguments) {
  const TensorSpec& spec = arguments.inputs[0].spec;
  RealTransform<T>(last_length(spec), static_cast<T*>(arguments.workspace))
      .run(parts_of<T>(arguments.outputs), arguments.inputs[0].as<const T>(), rows_of(spec));
}

template <class T>
std::size_t workspace_to_real(const Op&, Kernel::Specs, Kernel::Specs outputs) {
  return real_workspace<T>(outputs[0]);
}

template <class T>
void transform_to_real(const KernelArguments& arguments) {
  const TensorSpec& spec = arguments.outputs[0].spec;
  RealTransform<T>(last_length(spec), static_cast<T*>(arguments.workspace))
      .run_inverse(arguments.outputs[0].as<T>(), parts_of<const T>(arguments.inputs), rows_of(spec));
}

template <class T>
void register_for(KernelTable& table) {
  table.add("FFT", dtype_of<T>, {.run = &transform<T>, .least_samples = &least_samples<T>});
  table.add("RFFT", dtype_of<T>,
            {.run = &transform_from_real<T>,
             .workspace_bytes = &workspace_from_real<T>,
             .least_samples = &least_samples_from_real<T>});
  table.add("IRFFT", dtype_of<T>,
            {.run = &transform_to_real<T>,
             .workspace_bytes = &workspace_to_real<T>,
             .least_samples = &least_samples_to_real<T>});
}

}  // namespace

void register_fourier_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
}

}  // namespace rhyton::cpu
