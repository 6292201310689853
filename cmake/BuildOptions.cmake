# How every target of this project is compiled: rhyton_build_options(target).

include(Ccache)

function(rhyton_build_options target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic $<$<BOOL:${RHYTON_WERROR}>:-Werror>
    # Values are IEEE (never -ffast-math); only errno and floating point traps are disabled.
    -fno-math-errno -fno-trapping-math)

  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Warnings that read the optimised flow report code which cannot run, mostly inside inlined library
    # templates: they stay visible and break nothing.
    target_compile_options(${target} PRIVATE
      -Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=stringop-overflow)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      target_compile_options(${target} PRIVATE -Wno-restrict)  # std::string + char, GCC bug 105651
      # With AVX-512, GCC 12.2 joins neighbouring stores of constants to a vector with wrong elements: {1, 1, 1, 0}
      # became {1, 1, 1, 1}. The kernels are vectorised by loops and vector types, which this does not affect.
      target_compile_options(${target} PRIVATE -fno-tree-slp-vectorize)
    endif()
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -Werror=reorder-init-list)
  endif()

  if(RHYTON_MARCH)
    target_compile_options(${target} PRIVATE -march=${RHYTON_MARCH})
  endif()

  if(RHYTON_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=${RHYTON_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
      # For instrumented code GCC warns about the standard library's own templates.
      $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_link_options(${target} PRIVATE -fsanitize=${RHYTON_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # GCC defines these by itself
      foreach(sanitizer address thread)
        string(TOUPPER ${sanitizer} upper_name)
        if(RHYTON_SANITIZE MATCHES ${sanitizer})
          target_compile_definitions(${target} PRIVATE __SANITIZE_${upper_name}__)
        endif()
      endforeach()
    endif()
  endif()
endfunction()
