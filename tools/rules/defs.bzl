"""The native C++ rules with the repository's warnings and test defaults, compiled several sources at a time."""

load(":backends.bzl", "against_model", "has_two_backends")
load(":grouped.bzl", "ALONE", "GROUP_COPTS", "group_settings", "grouped")

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

# Abseil's headers are system headers, like those of libraries with `includes`: without this, those that its own build
# files offer count as ours. GCC goes by the folder, clang by the name.
_SYSTEM_HEADERS = ["-isystem", "external/com_google_absl"]

# GCC 12 sees uninitialised or out-of-bounds values in inlined library code where there are none. And it keeps functions in
# one piece: that costs nothing that benchmarks tell, and BOLT takes apart by what it counts (layout.bzl).
_GCC = [
    "-Wno-maybe-uninitialized",
    "-Wno-array-bounds",
    "-Wno-stringop-overflow",
    "-Wno-restrict",
    "-fno-reorder-blocks-and-partition",
]

_CLANG = [
    "--system-header-prefix=absl/",
    "-Wthread-safety",
    "-Wthread-safety-beta",
    # GoogleTest's macros; and std::stable_sort of libstdc++ 12, which uses what it deprecates.
    "-Wno-gnu-zero-variadic-macro-arguments",
    "-Wno-deprecated-declarations",
]

COPTS = _WARNINGS + _SYSTEM_HEADERS + select({
    "//tools/rules:clang": _CLANG,
    "//conditions:default": _GCC,
}) + select({
    "//tools/rules:all_grouped": GROUP_COPTS,
    "//tools/rules:some_grouped": GROUP_COPTS,
    "//conditions:default": [],
})

# The code of the tests themselves is compiled in half the time so; what they test keeps its -O2.
TEST_OPTIMISATION = select({
    "//tools/rules:optimised": ["-O1"],
    "//conditions:default": [],
})

def _precompiled(copts, deps, header):
    """copts and deps with `header` of this package read first, where it is precompiled (precompiled.bzl)."""
    label = "//tools/rules:" + header
    include = ["-include", "$(BINDIR)/tools/rules/%s.h" % header]
    return (
        copts + select({
            "//tools/rules:all_grouped": include,
            "//tools/rules:clang": [],
            "//conditions:default": ["-Winvalid-pch", "-Wno-error=invalid-pch"] + include,
        }),
        deps + select({
            "//tools/rules:all_grouped": [label],
            "//tools/rules:clang": [],
            "//conditions:default": [label],
        }),
    )

def _link(copts, deps, header, model):
    return _precompiled(COPTS + copts, against_model(deps) if model else deps, header)

def _grouped_library(name, srcs, deps, group, model, kwargs):
    if not group or native.package_name() in ALONE:
        return srcs, deps
    return grouped(name, srcs, deps, group_settings(native.package_name(), model), kwargs.get("testonly"))

def ag_library(
        name,
        srcs = [],
        copts = [],
        defines = [],
        deps = [],
        linkstatic = True,
        model = False,
        model_srcs = None,
        model_defines = [],
        group = True,
        **kwargs):
    """cc_library with warnings as errors. No shared object: that would compile every source a second time.

    Args:
      name: of the library; of packages in backends.bzl also NAME.model, the same against the model.
      srcs: as of cc_library.
      copts: as of cc_library.
      defines: as of cc_library.
      deps: as of cc_library, under the names of the standard back end.
      linkstatic: as of cc_library.
      model: the library exists against the model alone, under NAME.
      model_srcs: sources against the model, where they are others.
      model_defines: further defines against the model.
      group: the sources may be compiled several at a time (grouped.bzl).
      **kwargs: further attributes of cc_library.
    """
    pair = has_two_backends(native.package_name(), name)
    against, direct_deps = _link(copts, deps, "library_headers", model)
    units, unit_deps = _grouped_library(name, srcs, direct_deps, group, model, kwargs)
    native.cc_library(
        name = name,
        srcs = units,
        copts = against,
        defines = defines,
        linkstatic = linkstatic,
        deps = unit_deps,
        **kwargs
    )
    if not pair:
        return
    if model:
        native.alias(name = name + ".model", actual = name, visibility = kwargs.get("visibility"))
        return
    against, direct_deps = _link(copts, deps, "library_headers", True)
    units, unit_deps = _grouped_library(name + ".model", srcs if model_srcs == None else model_srcs, direct_deps, group, True, kwargs)
    native.cc_library(
        name = name + ".model",
        srcs = units,
        copts = against,
        defines = defines + model_defines,
        linkstatic = linkstatic,
        tags = kwargs.pop("tags", []) + ["manual"],
        deps = unit_deps,
        **kwargs
    )

def ag_binary(copts = [], deps = [], model = False, **kwargs):
    """cc_binary with warnings as errors; with `model`, against the model (backends.bzl)."""
    copts, deps = _link(copts, deps, "library_headers", model)
    native.cc_binary(copts = copts, deps = deps, **kwargs)

def ag_test(srcs = [], copts = [], deps = [], size = "small", linkstatic = True, model = False, group = True, **kwargs):
    """cc_test with warnings as errors; small and linked statically unless told otherwise.

    With `model`, against the model (backends.bzl). With `group`, sources are compiled several at a time (grouped.bzl).
    """
    copts, deps = _link(TEST_OPTIMISATION + GROUP_COPTS + copts, deps, "test_headers", model)
    if group:
        srcs, deps = grouped(kwargs["name"], srcs, deps, settings = None, testonly = True)
    native.cc_test(srcs = srcs, copts = copts, deps = deps, size = size, linkstatic = linkstatic, **kwargs)

def ag_package(
        name,
        hdrs = None,
        apart = [],
        deps = [],
        test_srcs = [],
        test_data = [],
        test_deps = [],
        test_size = "small",
        test_tags = [],
        model = False,
        group = True,
        group_tests = True,
        **kwargs):
    """All of a folder: the library NAME of its sources, and the program NAME_test of its tests.

    Sources are *.cc and *.h, tests are *_test.cc.

    Args:
      name: of the library; the folder's, so that a label needs no colon.
      hdrs: the headers that other folders may include; all by default.
      apart: files that belong to other targets of the folder.
      deps: of the library; the tests have them too.
      test_srcs: further files of the tests.
      test_data: as data of cc_test.
      test_deps: further dependencies of the tests. GoogleTest's main function is added.
      test_size: as size of cc_test.
      test_tags: as tags of cc_test.
      model: the library exists against the model alone, and so do the tests.
      group: the sources may be compiled several at a time (grouped.bzl).
      group_tests: those of the tests are.
      **kwargs: further attributes of the library.
    """
    if native.glob(["README.md"]):
        native.exports_files(["README.md"])  # Its snippets are tested: //tools/snippets.
    tests = native.glob(["*_test.cc"], exclude = apart)
    headers = native.glob(["*.h"], exclude = apart + test_srcs)
    offered = headers if hdrs == None else hdrs
    ag_library(
        name = name,
        srcs = native.glob(["*.cc"], exclude = ["*_test.cc"] + apart + test_srcs) +
               [header for header in headers if header not in offered],
        hdrs = offered,
        model = model,
        group = group,
        deps = deps,
        **kwargs
    )
    if tests:
        ag_test(
            name = name + "_test",
            size = test_size,
            srcs = tests + test_srcs,
            data = test_data,
            model = model,
            group = group_tests,
            tags = test_tags,
            deps = depset([":" + name, "@com_google_googletest//:gtest_main"] + deps + test_deps).to_list(),
        )
