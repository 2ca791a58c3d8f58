"""@local_cuda: the CUDA toolkit of this machine, or its absence.

Looked for in $CUDA_HOME alone where that is set, else beside the nvcc on $PATH and in /usr/local/cuda. Gives

    @local_cuda//:runtime                 headers and the static runtime (it needs no driver to build or to start)
    @local_cuda//:cudnn                   headers of cuDNN: those of $CUDNN_HOME, else what lies beside the toolkit's;
                                          may be empty, where <cudnn.h> is the compiler's own or missing
    @local_cuda//:toolkit.bzl  NVCC       the compiler
                               CUDA_COMPATIBLE  for target_compatible_with: a target that needs the toolkit
"""

_RUNTIME = """
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "runtime",
    srcs = ["lib64/libcudart_static.a"],
    hdrs = glob(["include/*.h", "include/crt/*"]),
    includes = ["include"],
    linkopts = ["-ldl", "-lpthread", "-lrt"],
)

cc_library(
    name = "cudnn",
    hdrs = glob(["cudnn/*.h"]),
    includes = ["cudnn"],
)
"""

_ABSENT_RUNTIME = """
package(default_visibility = ["//visibility:public"])

cc_library(name = "runtime", target_compatible_with = ["@platforms//:incompatible"])

cc_library(name = "cudnn", target_compatible_with = ["@platforms//:incompatible"])
"""

_TOOLKIT = """
NVCC = "{nvcc}"

CUDA_COMPATIBLE = {compatible}
"""

def _find_toolkit(ctx):
    on_path = ctx.which("nvcc")
    if ctx.os.environ.get("CUDA_HOME"):  # Said by hand: nothing else is tried.
        candidates = [ctx.path(ctx.os.environ["CUDA_HOME"])]
    elif on_path:
        candidates = [on_path.realpath.dirname.dirname, ctx.path("/usr/local/cuda")]
    else:
        candidates = [ctx.path("/usr/local/cuda")]
    for candidate in candidates:
        needed = ["bin/nvcc", "include/cuda_runtime_api.h", "lib64/libcudart_static.a"]
        if all([ctx.path("%s/%s" % (candidate, file)).exists for file in needed]):
            return candidate
    return None

# Headers of cuDNN, where they are no part of the toolkit's.
def _find_cudnn(ctx):
    home = ctx.os.environ.get("CUDNN_HOME")
    if not home:
        return None
    include = ctx.path("%s/include" % home)
    if not include.get_child("cudnn.h").exists:
        fail("[third_party] CUDNN_HOME=%s has no include/cudnn.h; it is a folder that has; correct it or unset it" % home)
    return include

def _local_cuda_impl(ctx):
    toolkit = _find_toolkit(ctx)
    print("[third_party] CUDA toolkit: %s" % (toolkit or "not found; CUDA targets are skipped"))
    if toolkit:
        ctx.symlink(toolkit.get_child("include"), "include")
        ctx.symlink(toolkit.get_child("lib64"), "lib64")
        cudnn = _find_cudnn(ctx)
        if cudnn:
            ctx.symlink(cudnn, "cudnn")
        elif toolkit.get_child("include").get_child("cudnn.h").exists:
            cudnn = toolkit.get_child("include")
        print("[third_party] headers of cuDNN: %s" % (cudnn or "the compiler's own, if it has some"))
    ctx.file("BUILD.bazel", _RUNTIME if toolkit else _ABSENT_RUNTIME)
    ctx.file("toolkit.bzl", _TOOLKIT.format(
        nvcc = "%s/bin/nvcc" % toolkit if toolkit else "",
        compatible = [] if toolkit else ["@platforms//:incompatible"],
    ))

local_cuda = repository_rule(
    implementation = _local_cuda_impl,
    environ = ["CUDA_HOME", "CUDNN_HOME", "PATH"],
    local = True,
    configure = True,
)
