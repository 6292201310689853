# cmake -D... -P run.cmake: installs the build below WORK_DIR, moves the installation elsewhere, and configures,
# builds and runs the consumer project against it.

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/installed)
file(RENAME ${WORK_DIR}/installed ${WORK_DIR}/prefix)  # nothing may depend on the folder it was installed to

file(GLOB_RECURSE private_headers ${WORK_DIR}/prefix/include/rhyton/framework/backends/*)
if(private_headers)
  message(FATAL_ERROR "headers of the backends were installed: ${private_headers}")
endif()

run(${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix -DCMAKE_CXX_COMPILER=${CXX_COMPILER})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)
