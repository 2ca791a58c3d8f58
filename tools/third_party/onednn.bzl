"""@local_onednn: oneDNN of this machine (package libdnnl-dev), matrix products and convolutions for the processor that they
run on.

C libraries that take no callbacks stay as the distribution builds them, under sanitizers too. tools/bazel installs the
package. Gives

    @local_onednn//:onednn    <dnnl.h> and <dnnl.hpp>, which lie where the compiler looks by itself, and the OpenMP
                              run-time that the distribution's oneDNN takes its threads from: who calls it says how many
"""

_BUILD = """
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "onednn",
    linkopts = ["-ldnnl", "-l:libgomp.so.1"],
)
"""

def _local_onednn_impl(ctx):
    if not ctx.path("/usr/include/dnnl.h").exists:
        fail("[third_party] oneDNN is not installed: /usr/include/dnnl.h is missing; allowed is version 2.6 of the " +
             "distribution; install libdnnl-dev, or start Bazel as tools/bazel, which does")
    ctx.file("BUILD.bazel", _BUILD)

local_onednn = repository_rule(
    implementation = _local_onednn_impl,
    local = True,
    configure = True,
)
