# check_cxx_abi(LIBRARY SOURCE): C++ libraries that meet LibTorch in one program must share its
# std::string. With an old-ABI LibTorch a distribution's yaml-cpp or spdlog would fail only at the
# very end, in the linker, with names that nobody can read: so it is tried here, and explained.
include(CheckCXXSourceCompiles)
function(check_cxx_abi library source)
  if(LibTorch_CXX11_ABI)
    return()
  endif()
  string(MAKE_C_IDENTIFIER "LINKS_WITH_OLD_ABI_${library}" links)
  set(CMAKE_REQUIRED_DEFINITIONS -D_GLIBCXX_USE_CXX11_ABI=0)
  set(CMAKE_REQUIRED_LIBRARIES ${library})
  check_cxx_source_compiles("${source}" ${links})
  if(NOT ${links})
    unset(${links} CACHE)  # another LIBTORCH_ROOT, another answer
    message(FATAL_ERROR
      "LibTorch in ${LibTorch_ROOT} was built with the old C++ ABI (_GLIBCXX_USE_CXX11_ABI=0), \
but ${library} of this system was not, and the two cannot be linked into one program.\n\
Use a LibTorch with the C++11 ABI: a release from 2.7 on, an archive named \
libtorch-cxx11-abi-*, or the one that scripts/build fetches when LIBTORCH_ROOT is not set.")
  endif()
endfunction()
