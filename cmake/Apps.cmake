# The command line tool (apps/rhyton/), and every apps/*.cc as a program of the same name.

# rhyton_app(name component SOURCE...): a program that `cmake --install` puts into bin/.
function(rhyton_app name component)
  add_executable(${name} ${ARGN})
  rhyton_build_options(${name})
  target_include_directories(${name} PRIVATE ${app_include_dir})
  target_link_libraries(${name} PRIVATE Rhyton::rhyton CLI11::CLI11)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
    INSTALL_RPATH "$ORIGIN/${library_from_bin}")
  # What has not been built is not installed: the build of one program is enough for an installation.
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component} OPTIONAL)
endfunction()

# Programs of several files write <rhyton/apps/...>, like all others.
set(app_include_dir ${PROJECT_BINARY_DIR}/apps/include)
file(MAKE_DIRECTORY ${app_include_dir}/rhyton)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/apps ${app_include_dir}/rhyton/apps SYMBOLIC)
file(RELATIVE_PATH library_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})

if(RHYTON_BUILD_TOOL)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/rhyton/*.cc)
  rhyton_app(rhyton tool ${sources})
  rhyton_unity(rhyton)
endif()

if(RHYTON_BUILD_APPS)
  file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/*.cc)
  foreach(program IN LISTS programs)
    get_filename_component(name ${program} NAME_WE)
    rhyton_app(${name} examples ${program})
  endforeach()
endif()
