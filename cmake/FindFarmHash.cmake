# The library FarmHash (on Debian and Ubuntu: libfarmhash-dev), as the target FarmHash::farmhash. The configuration that
# is installed includes this file too.
if(NOT TARGET FarmHash::farmhash)
  find_path(FARMHASH_INCLUDE_DIR farmhash.h REQUIRED)
  find_library(FARMHASH_LIBRARY farmhash REQUIRED)
  add_library(FarmHash::farmhash UNKNOWN IMPORTED)
  set_target_properties(FarmHash::farmhash PROPERTIES
    IMPORTED_LOCATION ${FARMHASH_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${FARMHASH_INCLUDE_DIR})
endif()
