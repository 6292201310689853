#pragma once

#include <rhyton/framework/backends/gpu/cublas/matrix_product.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>

namespace rhyton::gpu {

/// The same products as `multiply`, for any lengths and floating dtype, without a bias and without cuBLASLt: much
/// slower, and used only where cuBLASLt has no algorithm, of which it warns once for each kind of product.
void own_product(GpuStream& stream, const MatrixProduct& product, const MatrixAddresses& addresses);

}  // namespace rhyton::gpu
