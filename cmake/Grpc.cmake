# The module for clusters of tasks, librhyton_grpc.so: loaded by the library when a program makes a server or connects to
# one. Nothing else is linked to gRPC.

include(GrpcMessages)

file(GLOB grpc_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${grpc_folder}/*.cc)
add_library(rhyton_grpc_objects OBJECT ${grpc_sources})
rhyton_build_options(rhyton_grpc_objects)
add_dependencies(rhyton_grpc_objects rhyton_grpc_messages)
rhyton_grpc_options(rhyton_grpc_objects)

add_library(rhyton_grpc MODULE $<TARGET_OBJECTS:rhyton_grpc_objects> $<TARGET_OBJECTS:rhyton_grpc_messages>)
set_target_properties(rhyton_grpc PROPERTIES
  LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
  INSTALL_RPATH "$ORIGIN" BUILD_RPATH "$ORIGIN")
target_link_libraries(rhyton_grpc PRIVATE Rhyton::rhyton PkgConfig::GRPC)
install(TARGETS rhyton_grpc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
