# The messages of tasks, for the module for clusters and for programs that have them without the module: the objects
# rhyton_grpc_messages, and RHYTON_GRPC_INCLUDE_DIRS. Needs gRPC and its programs (Dependencies.cmake).

include_guard(GLOBAL)

set(grpc_folder framework/distribute/grpc)
set(generated_dir ${PROJECT_BINARY_DIR}/grpc/rhyton)
file(MAKE_DIRECTORY ${generated_dir})
set(generated)
foreach(messages task devices)
  set(file ${generated_dir}/${grpc_folder}/${messages})
  add_custom_command(OUTPUT ${file}.pb.cc ${file}.grpc.pb.cc ${file}.pb.h ${file}.grpc.pb.h
    COMMAND ${PROTOC_PROGRAM} --proto_path=${PROJECT_SOURCE_DIR} --cpp_out=${generated_dir} --grpc_out=${generated_dir}
      --plugin=protoc-gen-grpc=${GRPC_CPP_PLUGIN_PROGRAM} ${grpc_folder}/${messages}.proto
    DEPENDS ${PROJECT_SOURCE_DIR}/${grpc_folder}/${messages}.proto ${PROJECT_SOURCE_DIR}/${grpc_folder}/task.proto
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
  list(APPEND generated ${file}.pb.cc ${file}.grpc.pb.cc)
endforeach()

# For checks of sources that include them, without compiling.
add_custom_target(rhyton_grpc_sources DEPENDS ${generated})

# Generated code is compiled without the project's warnings, and with its sanitizers.
add_library(rhyton_grpc_messages OBJECT ${generated})
add_dependencies(rhyton_grpc_messages rhyton_grpc_sources)
rhyton_build_options(rhyton_grpc_messages)
target_compile_options(rhyton_grpc_messages PRIVATE -w)

# As system headers, whose warnings are not shown: <rhyton/framework/distribute/grpc/task.pb.h>, and the same as
# generated code includes it.
set(RHYTON_GRPC_INCLUDE_DIRS ${PROJECT_BINARY_DIR}/grpc ${generated_dir})

# rhyton_grpc_options(objects): for what is compiled with these messages.
function(rhyton_grpc_options objects)
  set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${objects} SYSTEM PRIVATE ${RHYTON_GRPC_INCLUDE_DIRS})
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:librhyton,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(${objects} PRIVATE PkgConfig::GRPC)
endfunction()
rhyton_grpc_options(rhyton_grpc_messages)
