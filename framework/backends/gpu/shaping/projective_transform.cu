#include <cmath>
#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/elementwise/projective_sampling.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/registration.h>

namespace rhyton::gpu {
namespace {

using elementwise::BilinearPlace;
using elementwise::SampledPlace;
using image::FillMode;

/// The images and how they are read.
struct Sampling {
  std::int64_t height;
  std::int64_t width;
  std::int64_t channels;
  /// The numbers of the next image's transform are behind those of the first, 8 or 0 further.
  std::int64_t step;
  bool bilinear;
  FillMode mode;

  Sampling(const Shape& images, const Shape& transforms, bool bilinear, FillMode mode)
      : height(images[1]),
        width(images[2]),
        channels(images[3]),
        step(transforms[0] == 1 ? 0 : 8),
        bilinear(bilinear),
        mode(mode) {}

  __host__ __device__ std::int64_t image_size() const { return height * width * channels; }

  /// The offset of the pixel in its image, -1 for one outside.
  __device__ std::int64_t offset_of(float y, float x) const {
    const bool is_inside =
        elementwise::is_inside(y, static_cast<float>(height)) && elementwise::is_inside(x, static_cast<float>(width));
    if (!is_inside) return -1;
    return (static_cast<std::int64_t>(y) * width + static_cast<std::int64_t>(x)) * channels;
  }
  __device__ std::int64_t nearest_offset(const SampledPlace& place) const {
    return offset_of(std::round(place.y), std::round(place.x));
  }
  __device__ SampledPlace place_of(const float* transform, std::int64_t pixel) const {
    const std::int64_t y = pixel / width;
    return elementwise::sampled_place(transform, static_cast<float>(pixel - y * width), static_cast<float>(y),
                                      static_cast<float>(width), static_cast<float>(height), mode);
  }
};

template <class T>
__global__ void transform_images(const T* images, const float* transforms, T* results, std::int64_t size,
                                 Sampling sampling, T fill) {
  for_each_index(size, [&](std::int64_t i) {
    const std::int64_t sample = i / sampling.image_size();
    const std::int64_t rest = i - sample * sampling.image_size();
    const std::int64_t pixel = rest / sampling.channels;
    const T* const image = images + sample * sampling.image_size() + (rest - pixel * sampling.channels);
    const SampledPlace place = sampling.place_of(transforms + sample * sampling.step, pixel);
    if (!place.is_seen) {
      results[i] = fill;
    } else if (sampling.bilinear) {
      const BilinearPlace around = elementwise::bilinear_place(place);
      const auto read = [&](float y, float x) {
        const std::int64_t offset = sampling.offset_of(y, x);
        return static_cast<float>(number(offset < 0 ? fill : image[offset]));
      };
      const float upper = elementwise::weighted(around.left_weight, read(around.top, around.left), around.right_weight,
                                                read(around.top, around.left + 1));
      const float lower = elementwise::weighted(around.left_weight, read(around.top + 1, around.left),
                                                around.right_weight, read(around.top + 1, around.left + 1));
      const float value = elementwise::weighted(around.upper_weight, upper, around.lower_weight, lower);
      results[i] = element<T>(elementwise::sampled_element<Computed<T>>(value));
    } else {
      const std::int64_t offset = sampling.nearest_offset(place);
      results[i] = offset < 0 ? fill : image[offset];
    }
  });
}

/// Each thread adds up one channel of an image, so that the order of the sums is always the same.
template <class T>
__global__ void add_gradients(const T* dy, const float* transforms, T* dx, std::int64_t columns, Sampling sampling) {
  for_each_index(columns, [&](std::int64_t i) {
    const std::int64_t sample = i / sampling.channels;
    const std::int64_t first = sample * sampling.image_size() + (i - sample * sampling.channels);
    const std::int64_t pixels = sampling.height * sampling.width;
    const float* const transform = transforms + sample * sampling.step;
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) dx[first + pixel * sampling.channels] = T(0);
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
      const SampledPlace place = sampling.place_of(transform, pixel);
      if (!place.is_seen) continue;
      const T own = dy[first + pixel * sampling.channels];
      const auto add = [&](std::int64_t offset, float weight) {
        if (offset >= 0) dx[first + offset] += static_cast<T>(weight) * own;
      };
      if (!sampling.bilinear) {
        add(sampling.nearest_offset(place), 1);
        continue;
      }
      const BilinearPlace around = elementwise::bilinear_place(place);
      add(sampling.offset_of(around.top, around.left), around.upper_weight * around.left_weight);
      add(sampling.offset_of(around.top, around.left + 1), around.upper_weight * around.right_weight);
      add(sampling.offset_of(around.top + 1, around.left), around.lower_weight * around.left_weight);
      add(sampling.offset_of(around.top + 1, around.left + 1), around.lower_weight * around.right_weight);
    }
  });
}

/// The fill value as an element; integers wrap around.
template <class T>
T fill_element(double value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(image::integer_fill(value));
  } else {
    return element<T>(static_cast<Computed<T>>(value));
  }
}

template <class T>
void run_transform(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<image::ProjectiveTransformOp>();
  const TensorView& x = arguments.inputs[0];
  const std::int64_t size = x.size();
  if (size == 0) return;
  launch(stream_of(arguments), "ImageProjectiveTransformV3", one_thread_each(size), &transform_images<T>,
         x.as<const T>(), arguments.inputs[1].as<const float>(), arguments.outputs[0].as<T>(), size,
         Sampling(x.shape(), arguments.inputs[1].shape(), op.bilinear, op.mode), fill_element<T>(op.fill_value));
}

template <class T>
void run_gradient(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<image::ProjectiveTransformGradOp>();
  const TensorView& dy = arguments.inputs[0];
  if (dy.size() == 0) return;
  const std::int64_t columns = dy.shape()[0] * dy.shape()[3];
  launch(stream_of(arguments), "ImageProjectiveTransformGrad", one_thread_each(columns), &add_gradients<T>,
         dy.as<const T>(), arguments.inputs[1].as<const float>(), arguments.outputs[0].as<T>(), columns,
         Sampling(dy.shape(), arguments.inputs[1].shape(), op.bilinear, op.mode));
}

template <class... T>
void add_transforms(KernelTable& table) {
  (table.add("ImageProjectiveTransformV3", dtype_of<T>, {.run = &run_transform<T>}), ...);
}

}  // namespace

void register_projective_transform_kernels(KernelTable& table) {
  add_transforms<float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table);
  table.add("ImageProjectiveTransformGrad", DType::float32, {.run = &run_gradient<float>});
  table.add("ImageProjectiveTransformGrad", DType::float64, {.run = &run_gradient<double>});
}

}  // namespace rhyton::gpu
