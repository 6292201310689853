# Compiles through ccache, in a way that precompiled headers, a second checkout and -march=native allow.

if(NOT RHYTON_CCACHE OR NOT PROJECT_IS_TOP_LEVEL OR DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  return()
endif()
find_program(RHYTON_CCACHE_PROGRAM ccache)
if(NOT RHYTON_CCACHE_PROGRAM)
  return()
endif()

set(launcher
  # Precompiled headers are looked up by content, not by time.
  CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
  CCACHE_COMMENTS=true  # precompiled headers know files by their text
  # Another checkout of the same sources finds the same objects.
  CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1)

# "native" is another instruction set on another machine: hash its expansion, not the word.
if(RHYTON_MARCH STREQUAL "native")
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -march=native -E -dM -x c++ /dev/null
    OUTPUT_VARIABLE macros ERROR_QUIET)
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -march=native -Q --help=target
    OUTPUT_VARIABLE target ERROR_QUIET)
  file(WRITE ${PROJECT_BINARY_DIR}/native_instruction_set.txt "${target}\n${macros}")
  list(APPEND launcher CCACHE_EXTRAFILES=${PROJECT_BINARY_DIR}/native_instruction_set.txt)
endif()

set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env ${launcher} ${RHYTON_CCACHE_PROGRAM})
