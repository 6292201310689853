#pragma once

// The functions of keras.ops for symbolic tensors.

#include <rhyton/layers/operations/activations.h>
#include <rhyton/layers/operations/blocks.h>
#include <rhyton/layers/operations/control_flow.h>
#include <rhyton/layers/operations/core.h>
#include <rhyton/layers/operations/fourier.h>
#include <rhyton/layers/operations/image.h>
#include <rhyton/layers/operations/linalg.h>
#include <rhyton/layers/operations/math.h>
#include <rhyton/layers/operations/nn.h>
#include <rhyton/layers/operations/numpy_binary.h>
#include <rhyton/layers/operations/numpy_creation.h>
#include <rhyton/layers/operations/numpy_elementwise.h>
#include <rhyton/layers/operations/numpy_indexing.h>
#include <rhyton/layers/operations/numpy_joining.h>
#include <rhyton/layers/operations/numpy_products.h>
#include <rhyton/layers/operations/numpy_reductions.h>
#include <rhyton/layers/operations/numpy_shaping.h>
#include <rhyton/layers/operations/numpy_statistics.h>
#include <rhyton/layers/operations/windows.h>
