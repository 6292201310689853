# `cmake --install`: the components library (with its headers, and the files for find_package(Rhyton)), datasets, tool
# and examples; the last two are in Apps.cmake.

include(CMakePackageConfigHelpers)

foreach(header IN LISTS RHYTON_PUBLIC_HEADERS)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rhyton/${folder}
    COMPONENT library)
endforeach()

install(TARGETS librhyton EXPORT RhytonTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT library
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
if(EXISTS ${PROJECT_SOURCE_DIR}/datasets/data)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/datasets/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/rhyton/datasets
    COMPONENT datasets)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Rhyton)
install(EXPORT RhytonTargets NAMESPACE Rhyton:: DESTINATION ${package_dir} COMPONENT library)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/RhytonConfig.cmake.in
  ${PROJECT_BINARY_DIR}/RhytonConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/RhytonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/RhytonConfig.cmake ${PROJECT_BINARY_DIR}/RhytonConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindFarmHash.cmake
  DESTINATION ${package_dir} COMPONENT library)
