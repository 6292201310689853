#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {

// Normalisation layers are composed from elementwise ops and reductions: nothing stands here yet.
void register_normalization_kernels(KernelTable&) {}

}  // namespace rhyton::cpu
