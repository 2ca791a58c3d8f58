"""@local_tcmalloc: gperftools' tcmalloc of this machine (package libgoogle-perftools-dev), the allocator of the oracle.

A run judges Programs by the million, each with a few thousand small allocations. tools/bazel installs the package.
Gives

    @local_tcmalloc//:tcmalloc    malloc and operator new, linked statically, without its profilers
"""

_BUILD = """
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "tcmalloc",
    linkopts = ["-l:libtcmalloc_minimal.a", "-lpthread"],
)
"""

def _local_tcmalloc_impl(ctx):
    if not ctx.path("/usr/include/gperftools/tcmalloc.h").exists:
        fail("[third_party] tcmalloc is not installed: /usr/include/gperftools/tcmalloc.h is missing; allowed is " +
             "version 2.10 of the distribution; install libgoogle-perftools-dev, or start Bazel as tools/bazel, which does")
    ctx.file("BUILD.bazel", _BUILD)

local_tcmalloc = repository_rule(
    implementation = _local_tcmalloc_impl,
    local = True,
    configure = True,
)
