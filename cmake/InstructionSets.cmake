# A build for any x86-64 machine (RHYTON_MARCH empty) has the CPU's kernels three times: for x86-64 like the rest of
# the library, and for x86-64-v3 and x86-64-v4. framework/backends/cpu/instruction_sets.cc chooses when a program runs.
#
# Inline functions and templates are weak symbols, of which a linker keeps any one: functions compiled for AVX-512 could
# then be called on any machine. So each set is linked separately first, and all but one of its symbols become local.

set(RHYTON_KERNEL_SETS)  # those beside the library's own
if(NOT RHYTON_MARCH AND NOT RHYTON_SANITIZE AND UNIX AND NOT APPLE
    AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(RHYTON_KERNEL_SETS x86-64-v3 x86-64-v4)
endif()

# The name of the library's own set.
if(RHYTON_MARCH)
  set(instruction_set ${RHYTON_MARCH})
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(instruction_set x86-64)
else()
  set(instruction_set ${CMAKE_SYSTEM_PROCESSOR})
endif()

target_compile_definitions(librhyton PRIVATE RHYTON_REGISTER_KERNELS=rhyton_register_kernels)
set_source_files_properties(
  ${PROJECT_SOURCE_DIR}/framework/device/instruction_set.cc
  ${PROJECT_SOURCE_DIR}/framework/backends/cpu/instruction_sets.cc
  PROPERTIES COMPILE_DEFINITIONS
  "RHYTON_INSTRUCTION_SET=\"${instruction_set}\";$<$<BOOL:${RHYTON_KERNEL_SETS}>:RHYTON_SEVERAL_INSTRUCTION_SETS>")

set(kernel_sources ${sources})
list(FILTER kernel_sources INCLUDE REGEX "/framework/backends/cpu/")
list(FILTER kernel_sources EXCLUDE REGEX "/instruction_sets\\.cc$")

foreach(set IN LISTS RHYTON_KERNEL_SETS)
  string(MAKE_C_IDENTIFIER ${set} suffix)
  set(kernels rhyton_kernels_${suffix})
  set(entry rhyton_register_kernels_${suffix})
  # Not ".text.…", which the last link would mix with the others.
  set(section .text_${suffix})
  set(folder ${PROJECT_BINARY_DIR}/kernels/${set})

  add_library(${kernels} OBJECT ${kernel_sources})
  rhyton_build_options(${kernels})
  target_compile_options(${kernels} PRIVATE -march=${set}
    # Unique symbols stay global for any option of objcopy.
    $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>
    # GCC 12 takes the undefined operands in its own AVX-512 header for uninitialised ones (bug 105593).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized;-Wno-maybe-uninitialized>)
  target_compile_definitions(${kernels} PRIVATE EIGEN_DONT_PARALLELIZE RHYTON_REGISTER_KERNELS=${entry})
  target_include_directories(${kernels} PRIVATE ${RHYTON_INCLUDE_DIR})
  target_link_libraries(${kernels} PRIVATE ${RHYTON_HEADER_LIBRARIES} ${RHYTON_LINKED_LIBRARIES})
  set_target_properties(${kernels} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    VISIBILITY_INLINES_HIDDEN ON
    INTERPROCEDURAL_OPTIMIZATION OFF)  # the partial link needs machine code

  configure_file(${PROJECT_SOURCE_DIR}/cmake/KernelSet.ld.in ${folder}/kernels.ld @ONLY)
  add_custom_command(OUTPUT ${folder}/kernels.o ${folder}/joined.o
    # Without its group a function always belongs to this object, and not to the first object that defines it.
    COMMAND ${CMAKE_LINKER} -r --force-group-allocation -T ${folder}/kernels.ld -o ${folder}/joined.o
      $<TARGET_OBJECTS:${kernels}>
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=${entry} ${folder}/joined.o ${folder}/kernels.o
    DEPENDS $<TARGET_OBJECTS:${kernels}> ${folder}/kernels.ld
    COMMENT "Joining the kernels for ${set}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${folder}/kernels.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(librhyton PRIVATE ${folder}/kernels.o)
endforeach()
