# librhyton: every source file of its folders.

set(sources)
foreach(folder IN LISTS RHYTON_FOLDERS)
  file(GLOB_RECURSE folder_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cc)
  list(APPEND sources ${folder_sources})
endforeach()
list(FILTER sources EXCLUDE REGEX "/framework/(backends/gpu|distribute/grpc)/")

# Here the target is "librhyton", and "rhyton" is the command line tool; users link Rhyton::rhyton.
add_library(librhyton ${sources})
add_library(Rhyton::rhyton ALIAS librhyton)
rhyton_build_options(librhyton)

set_target_properties(librhyton PROPERTIES
  OUTPUT_NAME rhyton
  EXPORT_NAME rhyton
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  POSITION_INDEPENDENT_CODE ON
  VISIBILITY_INLINES_HIDDEN ON
  LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

target_compile_features(librhyton PUBLIC cxx_std_20)
target_include_directories(librhyton PUBLIC
  $<BUILD_INTERFACE:${RHYTON_INCLUDE_DIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
foreach(library IN LISTS RHYTON_HEADER_LIBRARIES)
  target_link_libraries(librhyton PRIVATE $<BUILD_INTERFACE:${library}>)
endforeach()
target_link_libraries(librhyton PRIVATE ${RHYTON_LINKED_LIBRARIES})

target_compile_definitions(librhyton PRIVATE
  RHYTON_VERSION="${PROJECT_VERSION}"
  EIGEN_DONT_PARALLELIZE)  # the engine has its own pool

include(InstructionSets)

# Kernels do the computing: -O3. The rest of the library decides what they compute, for which -O1 was measured to be as
# fast, and takes two thirds of the time to compile; sources share a precompiled header (docs/building.md).
set(kernel_optimization)
if(NOT RHYTON_SANITIZE)
  set(is_release $<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang>>)
  set(kernel_optimization $<${is_release}:-O3>)
  target_compile_options(librhyton PRIVATE
    $<${is_release}:-O1>
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=262144>  # the compiler looks for garbage less often
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)                # what ccache needs
  target_precompile_headers(librhyton PRIVATE cmake/library_pch.h)
endif()

# The folders for data sets: relative to the library (for an installation that was moved), the one that it was
# configured for, and the one in the source tree. They need not exist.
file(RELATIVE_PATH datasets_from_library
  ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_DATADIR}/rhyton/datasets)
set(kernel_sources ${sources})
list(FILTER kernel_sources INCLUDE REGEX "/framework/backends/cpu/")
set(kernel_options ${kernel_optimization})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 takes the undefined operands in its own AVX-512 header for uninitialized ones (bug 105593).
    list(APPEND kernel_options -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    # Tuned for AMD's Zen 1 to 3, GCC does not fuse multiplications and additions in some of the loops that add up
    # products: a sample's bits would depend on the height of its tile, and so on the other samples of the slice.
    list(APPEND kernel_options --param=avoid-fma-max-bits=0)
  endif()
endif()
set_source_files_properties(${kernel_sources} PROPERTIES COMPILE_OPTIONS "${kernel_options}")

# Pillow and TensorFlow round a product before they add; these sources must do the same, as the selection of pixels
# depends on it.
set_source_files_properties(${PROJECT_SOURCE_DIR}/framework/backends/cpu/shaping/projective_transform.cc PROPERTIES
  COMPILE_OPTIONS "${kernel_options};-ffp-contract=off")
set_source_files_properties(${PROJECT_SOURCE_DIR}/datasets/image_resampling.cc
  ${PROJECT_SOURCE_DIR}/datasets/image_resize.cc PROPERTIES COMPILE_OPTIONS "${kernel_optimization};-ffp-contract=off")
# So does Keras before it rounds the place of a resized image, and of the boxes in it, down to a pixel.
set_source_files_properties(${PROJECT_SOURCE_DIR}/layers/preprocessing/resizing.cc PROPERTIES
  COMPILE_OPTIONS -ffp-contract=off)

# In stb_image, signed numbers overflow when it decodes damaged files: here they wrap and are not reported. GCC takes
# fields of its reader for uninitialized ones.
set(stb_options ${kernel_optimization} -fwrapv $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
if(RHYTON_SANITIZE)
  list(APPEND stb_options -fno-sanitize=signed-integer-overflow,shift)
endif()
set_source_files_properties(${PROJECT_SOURCE_DIR}/framework/io/image/stb_decoder.cc PROPERTIES
  COMPILE_OPTIONS "${stb_options}")

set_source_files_properties(${PROJECT_SOURCE_DIR}/datasets/location.cc PROPERTIES COMPILE_DEFINITIONS
  "RHYTON_SOURCE_DATASETS=\"${PROJECT_SOURCE_DIR}/datasets/data\";RHYTON_INSTALL_DATASETS=\"${CMAKE_INSTALL_FULL_DATADIR}/rhyton/datasets\";RHYTON_DATASETS_FROM_LIBRARY=\"${datasets_from_library}\"")

# Kernels are compiled one by one with every compiler: inlining between them could change their speed and the last
# bits of results. stb_image too, since it is C with macros. A precompiled header serves one set of options.
set_source_files_properties(${kernel_sources} ${PROJECT_SOURCE_DIR}/framework/io/image/encode.cc PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON)
set_source_files_properties(${kernel_sources}
  ${PROJECT_SOURCE_DIR}/datasets/image_resampling.cc ${PROJECT_SOURCE_DIR}/datasets/image_resize.cc
  ${PROJECT_SOURCE_DIR}/framework/io/image/stb_decoder.cc
  ${PROJECT_SOURCE_DIR}/layers/preprocessing/resizing.cc PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
rhyton_unity(librhyton)
