# GRASPPANDA_OPS_ONLY: lib/ops, the CUDA kernels and a program that checks and times them, from C++,
# LibTorch and, where it is found, nvcc. Highway is used where it is found; without it the CPU kernels
# are scalar.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(HWY IMPORTED_TARGET libhwy)
endif()
if(HWY_FOUND)
  set(_lanes PkgConfig::HWY)
else()
  message(STATUS "Highway: not found, the CPU kernels are scalar")
  add_library(scalar_lanes INTERFACE)
  target_include_directories(scalar_lanes INTERFACE ${PROJECT_SOURCE_DIR}/lib/ops/scalar_lanes)
  set(_lanes scalar_lanes)
endif()
grasppanda_room(ops FOLDERS lib/ops/*.cpp lib/ops/*/*.cpp LINK ${_lanes} TORCH)
add_executable(grasppanda_ops app/commands/ops_only_main.cpp)
target_link_libraries(grasppanda_ops PRIVATE room_ops ${CMAKE_DL_LIBS})
