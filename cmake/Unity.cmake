# Unity builds: rhyton_unity(target) compiles the sources of a target in groups, up to RHYTON_UNITY of one module at a
# time, because most of the time goes into headers that all of them read (docs/building.md).

set(RHYTON_UNITY ${PROJECT_IS_TOP_LEVEL} CACHE STRING
  "Number of sources of a module that are compiled together; ON: 8, 0 or OFF: each source alone")

# Compiled by themselves are sources that have compile options or definitions of their own (CMake sees to that), and
# those with the property SKIP_UNITY_BUILD_INCLUSION.
function(rhyton_unity target)
  if(NOT RHYTON_UNITY)
    return()
  endif()
  set(maximum ${RHYTON_UNITY})
  if(NOT maximum MATCHES "^[0-9]+$")
    set(maximum 8)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A class of a source may have members of the types in its unnamed namespace; GCC knows sources by being the main file.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)

  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.(cc|cu)$")
  list(SORT sources)
  set(groups)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE group)
    cmake_path(RELATIVE_PATH group BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    cmake_path(GET group PARENT_PATH group)
    string(REGEX MATCH "^(framework/)?[^/]+" group ${group})  # the folders below it are often small
    string(MAKE_C_IDENTIFIER "${group}" group)
    if(NOT group IN_LIST groups)
      list(APPEND groups ${group})
      set(sources_of_${group})
    endif()
    list(APPEND sources_of_${group} ${source})
  endforeach()

  foreach(group IN LISTS groups)
    list(LENGTH sources_of_${group} count)
    math(EXPR parts "(${count} + ${maximum} - 1) / ${maximum}")
    math(EXPR size "(${count} + ${parts} - 1) / ${parts}")  # parts of about one size
    set(at 0)
    foreach(source IN LISTS sources_of_${group})
      math(EXPR part "${at} / ${size}")
      math(EXPR at "${at} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
    endforeach()
  endforeach()
endfunction()
