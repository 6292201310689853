# The libraries that the library, the programs and the tests depend on. All of them are private: a program that uses
# Rhyton needs none of these headers.

find_package(Eigen3 CONFIG REQUIRED)  # 3.4 or 5
if(Eigen3_VERSION VERSION_LESS 3.4)
  message(FATAL_ERROR "Rhyton needs Eigen 3.4 or newer, found ${Eigen3_VERSION} in ${Eigen3_DIR}")
endif()
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(fmt CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(Threads REQUIRED)

# pkg-config, because Debian's libzip-config.cmake requires libzip's command line tools.
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)

# For the module of clusters of tasks, and for the fuzz target of its messages. pkg-config, because Debian's
# gRPCConfig.cmake requires the development files of all that gRPC is made of.
if(RHYTON_GRPC OR RHYTON_BUILD_TESTS OR RHYTON_FUZZ)
  pkg_check_modules(GRPC IMPORTED_TARGET grpc++ protobuf)
  find_program(PROTOC_PROGRAM protoc)
  find_program(GRPC_CPP_PLUGIN_PROGRAM grpc_cpp_plugin)
endif()
set(grpc_found OFF)
if(GRPC_FOUND AND PROTOC_PROGRAM AND GRPC_CPP_PLUGIN_PROGRAM)
  set(grpc_found ON)
endif()
if(RHYTON_GRPC)
  if(RHYTON_GRPC STREQUAL AUTO)
    set(RHYTON_GRPC OFF)
    if(grpc_found AND BUILD_SHARED_LIBS)
      set(RHYTON_GRPC ON)
    endif()
  elseif(NOT grpc_found OR NOT BUILD_SHARED_LIBS)
    message(FATAL_ERROR "RHYTON_GRPC needs BUILD_SHARED_LIBS, gRPC and protobuf with protoc and grpc_cpp_plugin (on Debian "
      "and Ubuntu: libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc)")
  endif()
endif()

# FarmHash has neither a CMake configuration nor a file for pkg-config.
include(${CMAKE_CURRENT_LIST_DIR}/FindFarmHash.cmake)

find_path(STB_INCLUDE_DIR stb_image.h PATH_SUFFIXES stb REQUIRED)
add_library(rhyton_stb INTERFACE)
target_include_directories(rhyton_stb SYSTEM INTERFACE ${STB_INCLUDE_DIR})

set(RHYTON_HEADER_LIBRARIES Eigen3::Eigen nlohmann_json::nlohmann_json rhyton_stb)
set(RHYTON_LINKED_LIBRARIES hdf5::hdf5 ZLIB::ZLIB PkgConfig::LIBZIP CURL::libcurl
    OpenSSL::Crypto fmt::fmt FarmHash::farmhash Threads::Threads ${CMAKE_DL_LIBS})

if(RHYTON_BUILD_TOOL OR RHYTON_BUILD_APPS)
  find_package(CLI11 CONFIG REQUIRED)
endif()

# rhyton_decide(option package): AUTO becomes ON where Rhyton is the top level project and the package is installed.
function(rhyton_decide option package)
  if(${option} STREQUAL AUTO)
    find_package(${package} CONFIG QUIET)
    set(${option} OFF PARENT_SCOPE)
    if(PROJECT_IS_TOP_LEVEL AND ${package}_FOUND)
      set(${option} ON PARENT_SCOPE)
    endif()
  endif()
endfunction()
rhyton_decide(RHYTON_BUILD_TESTS GTest)
rhyton_decide(RHYTON_BUILD_BENCHMARKS benchmark)

if(RHYTON_BUILD_TESTS)
  find_package(GTest CONFIG REQUIRED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
if(RHYTON_BUILD_BENCHMARKS)
  find_package(benchmark CONFIG REQUIRED)
endif()
