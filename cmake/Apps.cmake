# Every apps/*.cc is one program of the same name.

file(GLOB apps CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/*.cc)
file(RELATIVE_PATH library_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})

set(RHYTON_APPS)
foreach(source IN LISTS apps)
  get_filename_component(name ${source} NAME_WE)
  # The target "rhyton" is the library; the command line tool of that name is the target "rhyton_tool".
  set(target ${name})
  if(TARGET ${name})
    set(target ${name}_tool)
  endif()
  add_executable(${target} ${source})
  rhyton_build_options(${target})
  target_link_libraries(${target} PRIVATE Rhyton::rhyton CLI11::CLI11)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
    INSTALL_RPATH "$ORIGIN/${library_from_bin}")
  list(APPEND RHYTON_APPS ${target})
endforeach()
