"""@local_arb: FLINT/Arb of this machine (package libflint-arb-dev), rigorous ball arithmetic for a witness.

C libraries that take no callbacks stay as the distribution builds them, under sanitizers too. tools/bazel installs the
package. Gives

    @local_arb//:arb    <arb.h>, <arb_poly.h> and what they include, which lie where the compiler looks by itself
"""

_BUILD = """
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "arb",
    linkopts = ["-lflint-arb", "-lflint"],
)
"""

def _local_arb_impl(ctx):
    if not ctx.path("/usr/include/arb.h").exists or not ctx.path("/usr/include/flint/flint.h").exists:
        fail("[third_party] FLINT/Arb is not installed: /usr/include/arb.h or flint/flint.h is missing; allowed is " +
             "version 2.23 of the distribution; install libflint-arb-dev, or start Bazel as tools/bazel, which does")
    ctx.file("BUILD.bazel", _BUILD)

local_arb = repository_rule(
    implementation = _local_arb_impl,
    local = True,
    configure = True,
)
