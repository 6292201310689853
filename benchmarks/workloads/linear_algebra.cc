// Decompositions of matrices and Fourier transforms.

#include <cstdint>
#include <functional>
#include <string>

#include <rhyton/benchmarks/workloads/compiled.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace rhyton;

namespace {

Tensor random(const Shape& shape) { return random_normal(shape, /*key=*/1, /*counter=*/0); }

Tensor positive_definite(std::int64_t size) {
  const Tensor x = random({size, size});
  return rhyton::matmul(x, transpose(x)) + eye(size) * static_cast<double>(size);
}

}  // namespace

io::Json linear_algebra(const Options&) {
  io::Json cases = io::Json::object();
  const auto add = [&](const std::string& name, const Tensors& inputs, const graph::Function& function) {
    cases[name] = Compiled(inputs, 0, function).seconds();
  };
  for (const std::int64_t size : {64, 512, 1024}) {
    add("cholesky " + std::to_string(size), {positive_definite(size)},
        [](const Tensors& x) { return Tensors{cholesky(x[0])}; });
  }
  for (const std::int64_t size : {32, 256, 512}) {
    add("svd " + std::to_string(size), {random({size, size})}, [](const Tensors& x) {
      const SingularValues result = svd(x[0], false);
      return Tensors{result.u, result.s, result.vh};
    });
  }
  for (const Shape& shape : {Shape{1024, 1024}, Shape{64, 1000}, Shape{1, 1048576}}) {
    add("fft " + std::to_string(shape[0]) + "×" + std::to_string(shape[1]), {random(shape), random(shape)},
        [](const Tensors& x) {
          const auto [real, imaginary] = fft({x[0], x[1]});
          return Tensors{real, imaginary};
        });
  }
  return io::Json::object({{"cases", cases}});
}

}  // namespace workloads
