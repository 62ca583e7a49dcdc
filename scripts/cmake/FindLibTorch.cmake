# Finds LibTorch without find_package(Torch), which refuses to configure where there is no CUDA
# toolkit. Works with the unpacked wheel, a LibTorch archive and a system package.
#
#   LIBTORCH_ROOT (cache or environment)  folder that holds include/ATen and lib/libtorch_cpu.so,
#                                         or the folder above it (`torch/` of a wheel)
#
# Defines LibTorch::torch (torch_cpu, c10, headers, ABI), LibTorch_VERSION, LibTorch_LIBRARY_DIR,
# LibTorch_CXX11_ABI.
set(LIBTORCH_ROOT "$ENV{LIBTORCH_ROOT}" CACHE PATH "LibTorch: folder with include/ and lib/")
set(_hints ${LIBTORCH_ROOT} ${LIBTORCH_ROOT}/torch
    ${CMAKE_CURRENT_SOURCE_DIR}/.deps/libtorch-2.11.0/torch)
find_path(LibTorch_INCLUDE_DIR ATen/ATen.h HINTS ${_hints} PATH_SUFFIXES include)
find_library(LibTorch_CPU_LIBRARY torch_cpu HINTS ${_hints} PATH_SUFFIXES lib)
find_library(LibTorch_C10_LIBRARY c10 HINTS ${_hints} PATH_SUFFIXES lib)
if(LibTorch_C10_LIBRARY)
  get_filename_component(LibTorch_LIBRARY_DIR ${LibTorch_C10_LIBRARY} DIRECTORY)
  file(STRINGS ${LibTorch_C10_LIBRARY} _cxx11 REGEX "__cxx11" LIMIT_COUNT 1)
  if(_cxx11)
    set(LibTorch_CXX11_ABI 1)
  else()
    set(LibTorch_CXX11_ABI 0)
  endif()
endif()
foreach(_header torch/headeronly/version.h torch/version.h
        torch/csrc/api/include/torch/version.h)
  if(NOT LibTorch_VERSION AND EXISTS ${LibTorch_INCLUDE_DIR}/${_header})
    file(STRINGS ${LibTorch_INCLUDE_DIR}/${_header} _lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH)")
    string(REGEX MATCH "VERSION_MAJOR ([0-9]+)" _ "${_lines}")
    set(_major "${CMAKE_MATCH_1}")
    string(REGEX MATCH "VERSION_MINOR ([0-9]+)" _ "${_lines}")
    set(_minor "${CMAKE_MATCH_1}")
    string(REGEX MATCH "VERSION_PATCH ([0-9]+)" _ "${_lines}")
    if(NOT _major STREQUAL "")
      set(LibTorch_VERSION "${_major}.${_minor}.${CMAKE_MATCH_1}")
    endif()
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION)

if(LibTorch_FOUND AND NOT TARGET LibTorch::torch)
  add_library(LibTorch::c10 SHARED IMPORTED)
  set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION ${LibTorch_C10_LIBRARY})
  add_library(LibTorch::torch_cpu SHARED IMPORTED)
  set_target_properties(LibTorch::torch_cpu PROPERTIES IMPORTED_LOCATION ${LibTorch_CPU_LIBRARY})
  add_library(LibTorch::torch INTERFACE IMPORTED)
  target_include_directories(LibTorch::torch SYSTEM INTERFACE
    ${LibTorch_INCLUDE_DIR} ${LibTorch_INCLUDE_DIR}/torch/csrc/api/include)
  target_link_libraries(LibTorch::torch INTERFACE LibTorch::torch_cpu LibTorch::c10)
endif()
