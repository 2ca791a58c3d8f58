"""The native C++ rules with the repository's warnings and test defaults; nothing else is changed."""

_WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wshadow",
    "-Wnon-virtual-dtor",
    "-Woverloaded-virtual",
    "-Wcast-qual",
    "-Wvla",
    "-Werror",
]

# GCC 12 sees uninitialised or out-of-bounds values in inlined library code where there are none.
_GCC = ["-Wno-maybe-uninitialized", "-Wno-array-bounds", "-Wno-stringop-overflow", "-Wno-restrict"]

_CLANG = [
    "-Wthread-safety",
    "-Wthread-safety-beta",
    # GoogleTest's macros; and std::stable_sort of libstdc++ 12, which uses what it deprecates.
    "-Wno-gnu-zero-variadic-macro-arguments",
    "-Wno-deprecated-declarations",
]

COPTS = _WARNINGS + select({
    "//tools/rules:clang": _CLANG,
    "//conditions:default": _GCC,
})

def ag_library(copts = [], linkstatic = True, **kwargs):
    """cc_library with warnings as errors. No shared object: that would compile every source a second time."""
    native.cc_library(copts = COPTS + copts, linkstatic = linkstatic, **kwargs)

def ag_binary(copts = [], **kwargs):
    """cc_binary with warnings as errors."""
    native.cc_binary(copts = COPTS + copts, **kwargs)

def ag_test(copts = [], size = "small", linkstatic = True, **kwargs):
    """cc_test with warnings as errors; small and linked statically unless told otherwise."""
    native.cc_test(copts = COPTS + copts, size = size, linkstatic = linkstatic, **kwargs)
