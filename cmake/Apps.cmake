# Every apps/*.cc is one program of the same name, and so are the sources of every folder apps/*/ together.

# rhyton_app(name SOURCE...)
function(rhyton_app name)
  # The target "rhyton" is the library; the command line tool of that name is the target "rhyton_tool".
  set(target ${name})
  if(TARGET ${name})
    set(target ${name}_tool)
  endif()
  add_executable(${target} ${ARGN})
  rhyton_build_options(${target})
  target_include_directories(${target} PRIVATE ${app_include_dir})
  target_link_libraries(${target} PRIVATE Rhyton::rhyton CLI11::CLI11)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
    INSTALL_RPATH "$ORIGIN/${library_from_bin}")
  list(APPEND RHYTON_APPS ${target})
  set(RHYTON_APPS ${RHYTON_APPS} PARENT_SCOPE)
endfunction()

# Programs of several files write <rhyton/apps/...>, as everybody writes <rhyton/...>.
set(app_include_dir ${PROJECT_BINARY_DIR}/apps/include)
file(MAKE_DIRECTORY ${app_include_dir}/rhyton)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/apps ${app_include_dir}/rhyton/apps SYMBOLIC)
file(RELATIVE_PATH library_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})

set(RHYTON_APPS)
file(GLOB entries CONFIGURE_DEPENDS LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/apps/*)
foreach(entry IN LISTS entries)
  get_filename_component(name ${entry} NAME_WE)
  if(IS_DIRECTORY ${entry})
    file(GLOB sources CONFIGURE_DEPENDS ${entry}/*.cc)
    rhyton_app(${name} ${sources})
  elseif(entry MATCHES "\\.cc$")
    rhyton_app(${name} ${entry})
  endif()
endforeach()
