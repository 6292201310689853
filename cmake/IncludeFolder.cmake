# Every include reads <rhyton/...>: the build has one folder rhyton/ of links to the library's folders, in the
# layout that `cmake --install` gives the headers.

set(RHYTON_FOLDERS framework layers optimizers models datasets applications)
set(RHYTON_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)

file(MAKE_DIRECTORY ${RHYTON_INCLUDE_DIR}/rhyton)
# The globs make a build configure again when a folder or the umbrella header is added or removed.
file(GLOB entries CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/*)
foreach(entry IN LISTS RHYTON_FOLDERS ITEMS rhyton.h)
  if(entry IN_LIST entries)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${entry} ${RHYTON_INCLUDE_DIR}/rhyton/${entry} SYMBOLIC)
  else()
    file(REMOVE ${RHYTON_INCLUDE_DIR}/rhyton/${entry})
  endif()
endforeach()

# RHYTON_PUBLIC_HEADERS: paths relative to the source folder, as in <rhyton/...>.
set(RHYTON_PUBLIC_HEADERS)
foreach(folder IN LISTS RHYTON_FOLDERS)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${folder}/*.h)
  list(APPEND RHYTON_PUBLIC_HEADERS ${headers})
endforeach()
list(FILTER RHYTON_PUBLIC_HEADERS EXCLUDE REGEX "^framework/(backends|distribute/grpc)/")
if(EXISTS ${PROJECT_SOURCE_DIR}/rhyton.h)
  list(APPEND RHYTON_PUBLIC_HEADERS rhyton.h)
endif()
