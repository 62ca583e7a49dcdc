# Finds LibTorch without find_package(Torch), which refuses to configure where a CUDA build of
# LibTorch meets a machine without the CUDA toolkit. Nothing of CUDA is looked for here.
#
#   LIBTORCH_ROOT (cache, or environment at the first configure): an unpacked wheel, a LibTorch
#   archive or a prefix such as /usr: a folder with include/ATen/ATen.h and lib/libtorch_cpu.so, or
#   one that holds such a folder as torch/ or libtorch/. When it is set, nothing else is searched;
#   when not, the LibTorch that scripts/build fetched comes first, then the system's.
#
# Defines LibTorch_VERSION, LibTorch_ROOT, LibTorch_LIBRARY_DIR, LibTorch_CXX11_ABI and the targets
#   LibTorch::torch   torch_cpu, c10, headers, C++ ABI
#   LibTorch::openmp  the OpenMP runtime that LibTorch uses: a second one in the process would
#                     have threads of its own, spinning against LibTorch's
set(LIBTORCH_ROOT "$ENV{LIBTORCH_ROOT}" CACHE PATH "Folder of LibTorch, see FindLibTorch.cmake")
if(DEFINED ENV{GRASPPANDA_DEPS})
  set(_deps $ENV{GRASPPANDA_DEPS})
else()
  set(_deps ${PROJECT_SOURCE_DIR}/.deps)
endif()

if(LIBTORCH_ROOT)
  set(_places ${LIBTORCH_ROOT} ${LIBTORCH_ROOT}/torch ${LIBTORCH_ROOT}/libtorch)
  set(_only NO_DEFAULT_PATH)
  set(_where "under LIBTORCH_ROOT=${LIBTORCH_ROOT}")
else()
  set(_places ${_deps}/libtorch-2.11.0/torch)
  set(_only)
  set(_where "in ${_deps} or on the system")
endif()

# Results found for another LIBTORCH_ROOT are not kept.
if(NOT "${LIBTORCH_ROOT}" STREQUAL "${LibTorch_SEARCHED}")
  unset(LibTorch_INCLUDE_DIR CACHE)
  unset(LibTorch_CPU_LIBRARY CACHE)
  unset(LibTorch_C10_LIBRARY CACHE)
endif()
set(LibTorch_SEARCHED "${LIBTORCH_ROOT}" CACHE INTERNAL "LIBTORCH_ROOT of the results below")
set(_lib lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE})
find_path(LibTorch_INCLUDE_DIR ATen/ATen.h HINTS ${_places} PATH_SUFFIXES include ${_only})
find_library(LibTorch_CPU_LIBRARY torch_cpu HINTS ${_places} PATH_SUFFIXES ${_lib} ${_only})
find_library(LibTorch_C10_LIBRARY c10 HINTS ${_places} PATH_SUFFIXES ${_lib} ${_only})
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY)

unset(LibTorch_VERSION)
foreach(_header torch/headeronly/version.h torch/version.h
        torch/csrc/api/include/torch/version.h)
  if(NOT LibTorch_VERSION AND EXISTS ${LibTorch_INCLUDE_DIR}/${_header})
    file(STRINGS ${LibTorch_INCLUDE_DIR}/${_header} _lines
      REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) +[0-9]")
    if("${_lines}" MATCHES "MAJOR +([0-9]+).*MINOR +([0-9]+).*PATCH +([0-9]+)")
      set(LibTorch_VERSION ${CMAKE_MATCH_1}.${CMAKE_MATCH_2}.${CMAKE_MATCH_3})
    endif()
  endif()
endforeach()

# How std::string is spelled in a function that every LibTorch 2 has tells the ABI.
unset(LibTorch_CXX11_ABI)
if(LibTorch_C10_LIBRARY)
  get_filename_component(LibTorch_LIBRARY_DIR ${LibTorch_C10_LIBRARY} DIRECTORY)
  get_filename_component(LibTorch_ROOT ${LibTorch_INCLUDE_DIR} DIRECTORY)
  file(STRINGS ${LibTorch_C10_LIBRARY} _names
    REGEX "torchInternalAssertFailE.*(RKSs|RKNSt7__cxx1112basic_string)")
  if("${_names}" MATCHES "__cxx11")
    set(LibTorch_CXX11_ABI 1)
  elseif("${_names}" MATCHES "RKSs")
    set(LibTorch_CXX11_ABI 0)
  endif()
endif()

set(_advice "Run scripts/build without LIBTORCH_ROOT, which fetches LibTorch 2.11.0, or set \
LIBTORCH_ROOT to a folder with include/ATen/ATen.h and lib/libtorch_cpu.so of 2.4 or newer.")
if(NOT LibTorch_INCLUDE_DIR OR NOT LibTorch_CPU_LIBRARY OR NOT LibTorch_C10_LIBRARY)
  set(_reason "no include/ATen/ATen.h with lib/libtorch_cpu.so and lib/libc10.so ${_where}.")
elseif(NOT LibTorch_VERSION)
  set(_reason "the headers in ${LibTorch_INCLUDE_DIR} state no version.")
elseif(LibTorch_VERSION VERSION_LESS LibTorch_FIND_VERSION)
  set(_reason "LibTorch ${LibTorch_VERSION} in ${LibTorch_ROOT} is too old: grasppanda needs \
${LibTorch_FIND_VERSION} or newer.")
elseif(NOT DEFINED LibTorch_CXX11_ABI)
  set(_reason "cannot tell the C++ ABI of ${LibTorch_C10_LIBRARY}; is it a whole file?")
endif()
if(DEFINED _reason)
  set(LibTorch_FOUND FALSE)
  if(LibTorch_FIND_REQUIRED)
    message(FATAL_ERROR "${_reason}\n${_advice}")
  elseif(NOT LibTorch_FIND_QUIETLY)
    message(STATUS "LibTorch not used: ${_reason}")
  endif()
  unset(_reason)
  return()
endif()
set(LibTorch_FOUND TRUE)
message(STATUS
  "LibTorch ${LibTorch_VERSION} in ${LibTorch_ROOT} (C++11 ABI: ${LibTorch_CXX11_ABI})")

if(NOT TARGET LibTorch::torch)
  add_library(LibTorch::c10 SHARED IMPORTED)
  set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION ${LibTorch_C10_LIBRARY})
  add_library(LibTorch::torch_cpu SHARED IMPORTED)
  set_target_properties(LibTorch::torch_cpu PROPERTIES IMPORTED_LOCATION ${LibTorch_CPU_LIBRARY})
  add_library(LibTorch::torch INTERFACE IMPORTED)
  target_include_directories(LibTorch::torch SYSTEM INTERFACE
    ${LibTorch_INCLUDE_DIR} ${LibTorch_INCLUDE_DIR}/torch/csrc/api/include)
  target_compile_definitions(LibTorch::torch INTERFACE
    _GLIBCXX_USE_CXX11_ABI=${LibTorch_CXX11_ABI})
  target_link_libraries(LibTorch::torch INTERFACE LibTorch::torch_cpu LibTorch::c10)

  add_library(LibTorch::openmp INTERFACE IMPORTED)
  file(GLOB _gomp ${LibTorch_LIBRARY_DIR}/libgomp*.so*)
  if(_gomp AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT LibTorch_LIBRARY_DIR MATCHES "^/usr/")
    list(GET _gomp 0 _gomp)
    target_compile_options(LibTorch::openmp INTERFACE -fopenmp)
    target_link_libraries(LibTorch::openmp INTERFACE ${_gomp})
  else()
    find_package(OpenMP REQUIRED COMPONENTS CXX)
    target_link_libraries(LibTorch::openmp INTERFACE OpenMP::OpenMP_CXX)
  endif()
endif()
