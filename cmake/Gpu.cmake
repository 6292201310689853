# The module for GPUs, librhyton_gpu.so: loaded by the library if there is a driver for NVIDIA GPUs.
# Nothing else is linked to CUDA, so a build with this module runs on any machine.

if(NOT BUILD_SHARED_LIBS)
  message(FATAL_ERROR "RHYTON_CUDA needs BUILD_SHARED_LIBS: the module for GPUs and the program share one librhyton")
endif()

if(NOT CMAKE_CUDA_ARCHITECTURES)
  # From Turing on; the last one also as PTX, for later GPUs.
  set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120
    CACHE STRING "Generations of GPUs to compile for")
endif()
if(RHYTON_CCACHE_PROGRAM)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  # CMake before 3.26 has no C++20 for nvcc.
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
find_package(CUDAToolkit REQUIRED)
find_path(CUDNN_INCLUDE_DIR cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS} REQUIRED)
find_library(CUDNN_LIBRARY cudnn HINTS ${CUDAToolkit_LIBRARY_DIR} REQUIRED)
# Sums over several GPUs. Without the header they are computed without NCCL, whose library is searched for at run time.
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})

file(GLOB_RECURSE host_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/framework/backends/gpu/*.cc)
file(GLOB_RECURSE kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/framework/backends/gpu/*.cu)

# Objects, because the tests of single kernels are linked from them too.
add_library(rhyton_gpu_host OBJECT ${host_sources})
rhyton_build_options(rhyton_gpu_host)
add_library(rhyton_gpu_kernels OBJECT ${kernel_sources})
foreach(objects rhyton_gpu_host rhyton_gpu_kernels)
  set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${objects} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS} ${CUDNN_INCLUDE_DIR}
    $<$<BOOL:${NCCL_INCLUDE_DIR}>:${NCCL_INCLUDE_DIR}>)
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:librhyton,INTERFACE_INCLUDE_DIRECTORIES>)
  add_dependencies(${objects} librhyton)
endforeach()

set(host_warnings -Wall,-Wextra)
if(RHYTON_WERROR)
  string(APPEND host_warnings ,-Werror)
endif()
target_compile_options(rhyton_gpu_kernels PRIVATE -Xcompiler=${host_warnings}
  -diag-suppress=997)  # a derived op's `derivative` hides that of its base's base on purpose
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
  target_compile_options(rhyton_gpu_kernels PRIVATE --compress-mode=size)
endif()

set(RHYTON_GPU_OBJECTS $<TARGET_OBJECTS:rhyton_gpu_host> $<TARGET_OBJECTS:rhyton_gpu_kernels>)
set(RHYTON_GPU_LIBRARIES CUDA::cudart_static CUDA::cublasLt ${CUDNN_LIBRARY} fmt::fmt ${CMAKE_DL_LIBS})

add_library(rhyton_gpu MODULE ${RHYTON_GPU_OBJECTS})
set_target_properties(rhyton_gpu PROPERTIES
  LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
  INSTALL_RPATH "$ORIGIN" BUILD_RPATH "$ORIGIN")
target_link_libraries(rhyton_gpu PRIVATE Rhyton::rhyton ${RHYTON_GPU_LIBRARIES})
install(TARGETS rhyton_gpu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
