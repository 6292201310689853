# Every benchmarks/*.cc is one google-benchmark program of the same name.

file(GLOB benchmarks CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/benchmarks/*.cc)
if(benchmarks)
  find_package(benchmark CONFIG REQUIRED)
endif()

# Benchmarks write <rhyton/benchmarks/...>, as everybody writes <rhyton/...>.
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
