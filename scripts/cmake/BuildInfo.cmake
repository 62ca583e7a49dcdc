# room_build_info: lib/run/build_info.h answered by a source that is written at build time.
string(TOUPPER "${CMAKE_BUILD_TYPE}" _type)
get_target_property(_options grasppanda_flags INTERFACE_COMPILE_OPTIONS)
list(FILTER _options EXCLUDE REGEX "^\\$<")
string(JOIN " " _flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${_type}} -std=c++20 ${_options})
set(_build_info ${PROJECT_BINARY_DIR}/generated/build_info.cpp)
add_custom_target(write_build_info BYPRODUCTS ${_build_info}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}
    -DTEMPLATE=${PROJECT_SOURCE_DIR}/lib/run/build_info.cpp.in -DOUTPUT=${_build_info}
    -DVERSION=${PROJECT_VERSION} "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    "-DBUILD_TYPE=${CMAKE_BUILD_TYPE}" "-DFLAGS=${_flags}"
    "-DCUDA_ARCHITECTURES=${GRASPPANDA_CUDA_ARCHITECTURES}"
    -DLIBTORCH_VERSION=${LibTorch_VERSION} -DCXX11_ABI=${LibTorch_CXX11_ABI}
    -P ${PROJECT_SOURCE_DIR}/scripts/cmake/WriteBuildInfo.cmake
  COMMENT "Asking git for the commit" VERBATIM)
add_library(room_build_info OBJECT ${_build_info})
add_dependencies(room_build_info write_build_info)
target_link_libraries(room_build_info PUBLIC grasppanda_flags)
