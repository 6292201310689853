# Every benchmarks/*.cc is one program of the same name, with google-benchmark; benchmarks/workloads/*.cc are together
# the program "workloads", which benchmarks/compare.py runs.

file(GLOB benchmarks CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/benchmarks/*.cc)

# Benchmarks write <rhyton/benchmarks/...>, like all others.
set(benchmark_include_dir ${PROJECT_BINARY_DIR}/benchmarks/include)
file(MAKE_DIRECTORY ${benchmark_include_dir}/rhyton)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/benchmarks ${benchmark_include_dir}/rhyton/benchmarks SYMBOLIC)

foreach(source IN LISTS benchmarks)
  get_filename_component(name ${source} NAME_WE)
  set(target ${name})
  if(TARGET ${name})
    set(target ${name}_benchmark)
  endif()
  add_executable(${target} ${source})
  rhyton_build_options(${target})
  target_include_directories(${target} PRIVATE ${benchmark_include_dir})
  # benchmark_main is used only by a program that has no main of its own.
  target_link_libraries(${target} PRIVATE Rhyton::rhyton benchmark::benchmark benchmark::benchmark_main)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endforeach()

file(GLOB workloads CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/benchmarks/workloads/*.cc)
add_executable(workloads ${workloads})
rhyton_build_options(workloads)
target_include_directories(workloads PRIVATE ${benchmark_include_dir})
target_link_libraries(workloads PRIVATE Rhyton::rhyton)
set_target_properties(workloads PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# The peer of cluster.cc, which has the module's messages and nothing else of Rhyton.
if(RHYTON_GRPC)
  add_executable(grpc_stream ${PROJECT_SOURCE_DIR}/benchmarks/peers/grpc_stream.cc
    $<TARGET_OBJECTS:rhyton_grpc_messages>)
  rhyton_build_options(grpc_stream)
  add_dependencies(grpc_stream rhyton_grpc_messages)
  target_include_directories(grpc_stream SYSTEM PRIVATE ${RHYTON_GRPC_INCLUDE_DIRS})
  target_link_libraries(grpc_stream PRIVATE PkgConfig::GRPC)
  set_target_properties(grpc_stream PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endif()
