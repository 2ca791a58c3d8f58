# Twingrad for CMake: find_package(twingrad), target twingrad::twingrad. It may be moved with the folders around it.
include(CMakeFindDependencyMacro)
find_dependency(Threads)

get_filename_component(_twingrad_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET twingrad::twingrad)
  add_library(twingrad::twingrad STATIC IMPORTED)
  set_target_properties(twingrad::twingrad PROPERTIES
    IMPORTED_LOCATION "${_twingrad_prefix}/lib/libtwingrad.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES CXX
    INTERFACE_INCLUDE_DIRECTORIES "${_twingrad_prefix}/include/twingrad"
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_LINK_LIBRARIES "dnnl;-l:libgomp.so.1;Threads::Threads")
endif()
unset(_twingrad_prefix)
