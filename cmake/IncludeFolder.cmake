# Every include reads <rhyton/...>: the build has one folder rhyton/ of links to the modules, in the
# layout that `cmake --install` gives the headers.

set(RHYTON_ROOMS framework layers optimizers models datasets)
set(RHYTON_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)

file(MAKE_DIRECTORY ${RHYTON_INCLUDE_DIR}/rhyton)
# The globs make a build configure again when a module or the umbrella header is added or removed.
file(GLOB rooms CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/*)
foreach(entry IN LISTS RHYTON_ROOMS ITEMS rhyton.h)
  if(entry IN_LIST rooms)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${entry} ${RHYTON_INCLUDE_DIR}/rhyton/${entry} SYMBOLIC)
  else()
    file(REMOVE ${RHYTON_INCLUDE_DIR}/rhyton/${entry})
  endif()
endforeach()

# RHYTON_PUBLIC_HEADERS: paths relative to the source folder, as in <rhyton/...>.
set(RHYTON_PUBLIC_HEADERS)
foreach(room IN LISTS RHYTON_ROOMS)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${room}/*.h)
  list(APPEND RHYTON_PUBLIC_HEADERS ${headers})
endforeach()
list(FILTER RHYTON_PUBLIC_HEADERS EXCLUDE REGEX "^framework/backends/")
if(EXISTS ${PROJECT_SOURCE_DIR}/rhyton.h)
  list(APPEND RHYTON_PUBLIC_HEADERS rhyton.h)
endif()
