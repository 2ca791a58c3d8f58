"""@local_libtorch: the distribution's libtorch (package libtorch-dev), another, or its absence.

Another is named by --repo_env=TORCH_ROOT=DIR, where DIR holds include/ and lib/: the folder `torch` of a
pip-installed PyTorch. It is a peer to measure against, nothing that Twingrad is made of. Gives

    @local_libtorch//:libtorch                             headers and shared libraries
    @local_libtorch//:libtorch.bzl  LIBTORCH_COMPATIBLE    for target_compatible_with
                                    with_libtorch          with_libtorch([...]): these labels, or none

@local_pytorch gives the same for a second one, beside the first: --repo_env=PYTORCH_ROOT=DIR, or none.

Targets that use it are incompatible with clang too, which refuses its headers as C++20.
"""

_HEADERS = "/usr/include/torch"
_LIBRARIES = "/usr/lib/x86_64-linux-gnu"

_PRESENT = """
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "libtorch",
    srcs = glob(["lib/*.so"]),
    # The C++ API alone; the rest lies where the compiler looks by itself.
    hdrs = glob(["include/**/*.h"]),
    includes = ["include"],
)
"""

# Its libraries find each other where they lie.
_AT_ROOT = """
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "libtorch",
    hdrs = glob(["include/**/*.h"]),
    includes = ["include", "include/torch/csrc/api/include"],
    linkopts = ["-L{root}/lib", "-ltorch_cpu", "-lc10", "-Wl,-rpath,{root}/lib"],
)
"""

_ABSENT = """
package(default_visibility = ["//visibility:public"])

cc_library(name = "libtorch", target_compatible_with = ["@platforms//:incompatible"])
"""

_SELECTS = """
LIBTORCH_COMPATIBLE = select({{
    "//tools/rules:clang": ["@platforms//:incompatible"],
    "//conditions:default": [] if {present} else ["@platforms//:incompatible"],
}})

def with_libtorch(labels):
    return select({{
        "//tools/rules:clang": [],
        "//conditions:default": labels if {present} else [],
    }})
"""

def _link_root(ctx, variable, root):
    if not ctx.path(root + "/include/torch/csrc/autograd/engine.h").exists:
        fail("[third_party] %s=%s holds no libtorch; allowed is a folder with its include/ and lib/; " % (variable, root) +
             "unset it, or give the folder `torch` of an installed PyTorch")
    ctx.symlink(root + "/include", "include")
    ctx.file("BUILD.bazel", _AT_ROOT.format(root = root))
    ctx.file("libtorch.bzl", _SELECTS.format(present = True))

def _local_libtorch_impl(ctx):
    root = ctx.os.environ.get(ctx.attr.variable, "")
    if root:
        _link_root(ctx, ctx.attr.variable, root)
        print("[third_party] libtorch: %s" % root)
        return
    if not ctx.attr.distribution:
        ctx.file("BUILD.bazel", _ABSENT)
        ctx.file("libtorch.bzl", _SELECTS.format(present = False))
        return
    present = ctx.path(_HEADERS).exists and ctx.path(_LIBRARIES + "/libtorch.so").exists
    print("[third_party] libtorch: %s" % (_HEADERS if present else "not found; targets that need it are skipped"))
    if present:
        ctx.symlink(_HEADERS + "/csrc/api/include", "include")
        for library in ["torch", "torch_cpu", "c10"]:
            ctx.symlink("%s/lib%s.so" % (_LIBRARIES, library), "lib/lib%s.so" % library)
    ctx.file("BUILD.bazel", _PRESENT if present else _ABSENT)
    ctx.file("libtorch.bzl", _SELECTS.format(present = present))

local_libtorch = repository_rule(
    implementation = _local_libtorch_impl,
    attrs = {
        "variable": attr.string(mandatory = True, doc = "what names the folder"),
        "distribution": attr.bool(doc = "takes the distribution's where no folder is named"),
    },
    environ = ["TORCH_ROOT", "PYTORCH_ROOT"],
    local = True,
    configure = True,
)
