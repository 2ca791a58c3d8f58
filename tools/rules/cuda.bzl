"""cuda_library: C++ with kernels, compiled by nvcc.

    cuda_library(
        name = "fill",
        srcs = ["fill.cu"],
        hdrs = ["fill.h"],
        deps = ["//autograd/device"],
    )

is a cc_library to whoever depends on it. The host compiler is always GCC 12: the objects carry no sanitizer,
which changes nothing for the code that calls them. Where the toolkit is absent (third_party/cuda.bzl looks
for it) the target is incompatible, and with it all that depend on it.
"""

load("@local_cuda//:toolkit.bzl", "CUDA_COMPATIBLE", "NVCC")
load(":defs.bzl", "ag_library")

# Real code for the machines of today, and PTX for those to come.
_ARCHITECTURES = [
    "-gencode=arch=compute_80,code=sm_80",
    "-gencode=arch=compute_90,code=[sm_90,compute_90]",
]

_FLAGS = [
    "-std=c++20",
    "-O2",
    "-ccbin=gcc-12",
    "--fmad=false",  # As -ffp-contract=off on the host: the same bits whatever the optimiser does.
    "-Xcompiler=-Wall,-Wextra,-Werror,-ffp-contract=off,-fPIC",
    "-Werror=all-warnings",
]

def _nvcc_objects_impl(ctx):
    context = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]).compilation_context
    includes = ["-I."]  # The repository root, as for every other rule; nvcc knows its own headers.
    for flag, paths in [
        ("-I", context.quote_includes),
        ("-I", context.includes),
        ("-isystem=", context.system_includes),
    ]:
        includes += [flag + path for path in paths.to_list()]
    objects = []
    for source in ctx.files.srcs:
        object_file = ctx.actions.declare_file("%s/%s.o" % (ctx.label.name, source.basename[:-len(".cu")]))
        ctx.actions.run(
            executable = NVCC,
            arguments = _FLAGS + _ARCHITECTURES + includes +
                        ["-D" + define for define in context.defines.to_list()] +
                        ["-c", source.path, "-o", object_file.path],
            inputs = depset([source] + ctx.files.hdrs, transitive = [context.headers]),
            outputs = [object_file],
            mnemonic = "CudaCompile",
            progress_message = "Compiling %s with nvcc" % source.short_path,
            use_default_shell_env = True,
        )
        objects.append(object_file)
    return [DefaultInfo(files = depset(objects))]

_nvcc_objects = rule(
    implementation = _nvcc_objects_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".cu"]),
        "hdrs": attr.label_list(allow_files = [".h", ".cuh"]),
        "deps": attr.label_list(providers = [CcInfo]),
    },
)

def cuda_library(name, srcs, hdrs = [], deps = [], tags = [], **kwargs):
    """A library of .cu files. Depends on the CUDA runtime, linked statically.

    Args:
      name: of the library.
      srcs: .cu files.
      hdrs: public headers, plain C++ where C++ sources include them.
      deps: C++ libraries.
      tags: added to "cuda", which --config=cuda selects.
      **kwargs: further attributes of cc_library.
    """
    _nvcc_objects(
        name = name + "_objects",
        srcs = srcs,
        hdrs = hdrs,
        tags = tags + ["manual"],
        target_compatible_with = CUDA_COMPATIBLE,
        deps = deps,
    )
    ag_library(
        name = name,
        srcs = [":" + name + "_objects"],
        hdrs = hdrs,
        tags = tags + ["cuda"],
        target_compatible_with = CUDA_COMPATIBLE,
        deps = deps + ["@local_cuda//:runtime"],
        **kwargs
    )
