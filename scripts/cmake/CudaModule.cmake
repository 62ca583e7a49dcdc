# libgrasppanda_ops_cuda.so, as lib/ops/cuda_module.recipe says. nvcc is called by custom commands:
# CMake's own CUDA language would make a toolkit a condition of configuring.
#
# Defines GRASPPANDA_CUDA_REVISION (of the sources), GRASPPANDA_CUDA_ARCHITECTURES (empty: not built),
# the target grasppanda_ops_cuda where it is built, and grasppanda_install_cuda_module().
set(_recipe ${PROJECT_SOURCE_DIR}/lib/ops/cuda_module.recipe)
function(_recipe_lines word result)
  file(STRINGS ${_recipe} lines REGEX "^${word} ")
  list(TRANSFORM lines REPLACE "^${word} +" "")
  set(${result} ${lines} PARENT_SCOPE)
endfunction()
_recipe_lines(source _sources)
_recipe_lines(header _headers)
_recipe_lines(flag _flags)
_recipe_lines(code _wanted)

# The revision: a hash over the hashes of the recipe and of every file it names, in its order.
set(_hashes)
foreach(_file lib/ops/cuda_module.recipe ${_sources} ${_headers})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${_file})
  file(SHA256 ${PROJECT_SOURCE_DIR}/${_file} _hash)
  string(APPEND _hashes ${_hash})
endforeach()
string(SHA256 GRASPPANDA_CUDA_REVISION "${_hashes}")
string(SUBSTRING ${GRASPPANDA_CUDA_REVISION} 0 16 GRASPPANDA_CUDA_REVISION)

# It stands in one file, which needs no precompiled header.
set_source_files_properties(${PROJECT_SOURCE_DIR}/lib/ops/cuda_module.cpp PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON
  COMPILE_DEFINITIONS GRASPPANDA_CUDA_REVISION="${GRASPPANDA_CUDA_REVISION}")

# The sources lie beside an installed program, where `ops build` finds them.
function(grasppanda_install_cuda_module)
  foreach(file lib/ops/cuda_module.recipe ${_sources} ${_headers})
    get_filename_component(folder ${file} DIRECTORY)
    install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION share/grasppanda/sources/${folder})
  endforeach()
  if(TARGET grasppanda_ops_cuda)
    install(FILES ${PROJECT_BINARY_DIR}/libgrasppanda_ops_cuda.so DESTINATION lib)
  endif()
endfunction()

set(GRASPPANDA_CUDA_ARCHITECTURES "")
if(GRASPPANDA_CUDA STREQUAL "OFF")
  message(STATUS "CUDA kernels: not built (GRASPPANDA_CUDA=OFF)")
  return()
endif()
file(GLOB _toolkits /usr/local/cuda*/bin)
list(REVERSE _toolkits)  # the newest first
unset(GRASPPANDA_NVCC)
if(DEFINED ENV{CUDA_HOME} AND EXISTS $ENV{CUDA_HOME}/bin/nvcc)
  set(GRASPPANDA_NVCC $ENV{CUDA_HOME}/bin/nvcc)
else()
  find_program(_nvcc nvcc HINTS ENV PATH PATHS ${_toolkits} NO_CACHE)
  if(_nvcc)
    set(GRASPPANDA_NVCC ${_nvcc})
  endif()
endif()
if(NOT GRASPPANDA_NVCC)
  if(GRASPPANDA_CUDA STREQUAL "ON")
    message(FATAL_ERROR "GRASPPANDA_CUDA=ON, but no nvcc in CUDA_HOME, PATH or /usr/local/cuda*.")
  endif()
  message(STATUS "CUDA kernels: not built (no nvcc); 'grasppanda ops build' compiles them later")
  return()
endif()

# nvcc wants a host compiler that it knows; another than GCC it chooses itself.
set(_host)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(_host -ccbin ${CMAKE_CXX_COMPILER})
endif()
if(NOT "${GRASPPANDA_NVCC_WORKS}" STREQUAL "${GRASPPANDA_NVCC} ${_host}")
  file(WRITE ${PROJECT_BINARY_DIR}/cuda/try.cu "__global__ void nothing() {}\n")
  execute_process(COMMAND ${GRASPPANDA_NVCC} ${_host} -c ${PROJECT_BINARY_DIR}/cuda/try.cu
    -o ${PROJECT_BINARY_DIR}/cuda/try.o
    OUTPUT_VARIABLE _complaint ERROR_VARIABLE _complaint RESULT_VARIABLE _status)
  if(NOT _status EQUAL 0)
    if(GRASPPANDA_CUDA STREQUAL "ON")
      message(FATAL_ERROR "${GRASPPANDA_NVCC} does not compile: ${_complaint}")
    endif()
    message(STATUS "CUDA kernels: not built (${GRASPPANDA_NVCC} does not compile with "
      "${CMAKE_CXX_COMPILER}; GRASPPANDA_CUDA=ON says why)")
    return()
  endif()
  set(GRASPPANDA_NVCC_WORKS "${GRASPPANDA_NVCC} ${_host}" CACHE INTERNAL "nvcc that was tried")
endif()

execute_process(COMMAND ${GRASPPANDA_NVCC} --list-gpu-code OUTPUT_VARIABLE _known)
set(GRASPPANDA_CUDA_CODE "" CACHE STRING "Architectures of the CUDA kernels, such as 80;90; empty: all")
if(GRASPPANDA_CUDA_CODE)
  set(_wanted ${GRASPPANDA_CUDA_CODE})
endif()
set(_generate)
foreach(_architecture ${_wanted})
  if(NOT _known MATCHES "sm_${_architecture}[\r\n]")
    continue()
  endif()
  if(NOT _generate)
    list(APPEND _generate -gencode arch=compute_${_architecture},code=compute_${_architecture})
  endif()
  list(APPEND _generate -gencode arch=compute_${_architecture},code=sm_${_architecture})
  list(APPEND GRASPPANDA_CUDA_ARCHITECTURES ${_architecture})
endforeach()
message(STATUS "CUDA kernels: ${GRASPPANDA_NVCC}, architectures ${GRASPPANDA_CUDA_ARCHITECTURES}")

set(_objects)
foreach(_source ${_sources})
  get_filename_component(_name ${_source} NAME_WE)
  set(_object ${PROJECT_BINARY_DIR}/cuda/${_name}.o)
  list(APPEND _objects ${_object})
  add_custom_command(OUTPUT ${_object}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/cuda
    COMMAND ${GRASPPANDA_NVCC} ${_flags} ${_generate} ${_host}
      -I${PROJECT_SOURCE_DIR} -DGRASPPANDA_CUDA_REVISION="${GRASPPANDA_CUDA_REVISION}"
      -MD -MF ${_object}.d -c ${PROJECT_SOURCE_DIR}/${_source} -o ${_object}
    DEPENDS ${PROJECT_SOURCE_DIR}/${_source} ${_recipe} DEPFILE ${_object}.d
    COMMENT "Compiling ${_source} for ${GRASPPANDA_CUDA_ARCHITECTURES}" VERBATIM)
endforeach()
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/libgrasppanda_ops_cuda.so
  COMMAND ${GRASPPANDA_NVCC} -shared -cudart=static ${_host} ${_objects}
    -o ${PROJECT_BINARY_DIR}/libgrasppanda_ops_cuda.so
  DEPENDS ${_objects} COMMENT "Linking libgrasppanda_ops_cuda.so" VERBATIM)
add_custom_target(grasppanda_ops_cuda ALL DEPENDS ${PROJECT_BINARY_DIR}/libgrasppanda_ops_cuda.so)
