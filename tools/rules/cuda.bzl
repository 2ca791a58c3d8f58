"""cuda_library, cuda_test, cuda_binary, cuda_fake_test: C++ with kernels over the CUDA runtime, each built twice.

    cuda_library(
        name = "fill",
        srcs = ["fill.cu"],
        hdrs = ["fill.h"],
        deps = ["//autograd/device"],
    )
    cuda_test(name = "fill_test", srcs = ["fill_test.cc"], deps = [":fill"])

NAME is over the CUDA runtime; its .cu files are compiled by nvcc, whose host compiler is always GCC 12: the
objects carry no sanitizer, which changes nothing for the code that calls them. Where the toolkit is absent
(third_party/cuda.bzl looks for it) the target is incompatible, and with it all that depend on it.
NAME.fake is over the runtime of //cuda/fake; the compiler of the host compiles the .cu files too. A test NAME so
has a sibling NAME_fake, which runs on every machine.
"""

load("@local_cuda//:toolkit.bzl", "CUDA_COMPATIBLE", "NVCC")
load(":defs.bzl", "ag_binary", "ag_library", "ag_test")

# Real code for the machines of today, and PTX for those to come.
_ARCHITECTURES = [
    "-gencode=arch=compute_80,code=sm_80",
    "-gencode=arch=compute_90,code=[sm_90,compute_90]",
]

_FLAGS = [
    "-std=c++20",
    "-O2",
    "-ccbin=gcc-12",
    "--expt-relaxed-constexpr",  # Kernels call constexpr functions of the library, as numeric_limits has them.
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

def _host_sources_impl(ctx):
    units = []
    for source in ctx.files.srcs:
        unit = ctx.actions.declare_file("%s/%s.cc" % (ctx.label.name, source.basename))
        ctx.actions.write(unit, '#include "%s"\n' % source.path)
        units.append(unit)
    return [
        DefaultInfo(files = depset(units)),
        CcInfo(compilation_context = cc_common.create_compilation_context(headers = depset(ctx.files.srcs))),
    ]

# C++ sources that include .cu files: to be listed among the srcs of a target, and among its deps.
_host_sources = rule(
    implementation = _host_sources_impl,
    attrs = {"srcs": attr.label_list(allow_files = [".cu"])},
    provides = [CcInfo],
)

_FAKE = "//cuda/fake"

# Packages whose libraries are pairs; the others are the same over both runtimes.
_PACKAGES = ["cuda"]

def _over_fake(label):
    package, _, name = label.partition(":")
    package = package[2:] if package else native.package_name()
    if label.startswith("@") or package not in _PACKAGES:
        return label
    return "//%s:%s.fake" % (package, name or package.split("/")[-1])

def cuda_library(name, srcs = [], hdrs = [], deps = [], tags = [], **kwargs):
    """A library over the CUDA runtime, linked statically, and NAME.fake over the fake one.

    Args:
      name: of the library.
      srcs: .cu files, and others.
      hdrs: public headers, plain C++ where C++ sources include them.
      deps: C++ libraries, under the names of those over the CUDA runtime.
      tags: added to "cuda", which --config=cuda selects.
      **kwargs: further attributes of cc_library.
    """
    kernels = [source for source in srcs if source.endswith(".cu")]
    others = [source for source in srcs if not source.endswith(".cu")]
    objects = []
    host_kernels = []
    if kernels:
        objects = [":" + name + "_objects"]
        host_kernels = [":" + name + "_host_kernels"]
        _nvcc_objects(
            name = name + "_objects",
            srcs = kernels,
            hdrs = hdrs,
            tags = tags + ["manual"],
            target_compatible_with = CUDA_COMPATIBLE,
            deps = deps,
        )
        _host_sources(name = name + "_host_kernels", srcs = kernels, tags = ["manual"])
    ag_library(
        name = name,
        srcs = others + objects,
        hdrs = hdrs,
        tags = tags + ["cuda"],
        target_compatible_with = CUDA_COMPATIBLE,
        deps = deps + ["@local_cuda//:runtime"],
        **kwargs
    )
    ag_library(
        name = name + ".fake",
        srcs = others + host_kernels,
        hdrs = hdrs,
        group = False,
        tags = tags,
        deps = [_over_fake(label) for label in deps] + host_kernels + [_FAKE],
        **kwargs
    )

def cuda_test(name, srcs, deps, tags = [], **kwargs):
    """A test over the CUDA runtime, and NAME_fake over the fake one, which checks accesses and leaks as well.

    Args:
      name: of the test.
      srcs: its sources.
      deps: without GoogleTest's main function, which is added; under the names of those over the CUDA runtime.
      tags: added to "cuda", which --config=cuda selects.
      **kwargs: further attributes of ag_test.
    """
    ag_test(
        name = name,
        srcs = srcs,
        tags = tags + ["cuda"],
        target_compatible_with = CUDA_COMPATIBLE,
        deps = deps + [
            "@com_google_googletest//:gtest_main",
            "@local_cuda//:runtime",
        ],
        **kwargs
    )
    cuda_fake_test(name = name + "_fake", srcs = srcs, tags = tags, deps = deps, **kwargs)

def cuda_binary(name, fake_name, srcs, deps, tags = [], **kwargs):
    """A program over the CUDA runtime, and one over the fake one.

    Args:
      name: of the one over the CUDA runtime.
      fake_name: of the other.
      srcs: its sources.
      deps: under the names of those over the CUDA runtime.
      tags: added to "cuda", which --config=cuda selects.
      **kwargs: further attributes of ag_binary.
    """
    ag_binary(
        name = name,
        srcs = srcs,
        tags = tags + ["cuda"],
        target_compatible_with = CUDA_COMPATIBLE,
        deps = deps + ["@local_cuda//:runtime"],
        **kwargs
    )
    ag_binary(
        name = fake_name,
        srcs = srcs,
        tags = tags,
        deps = [_over_fake(label) for label in deps] + [_FAKE],
        **kwargs
    )

def cuda_fake_test(name, deps, **kwargs):
    """A test over the fake runtime alone, for what only that one can be told to do.

    Args:
      name: of the test.
      deps: as of cuda_test.
      **kwargs: further attributes of ag_test.
    """
    ag_test(
        name = name,
        deps = [_over_fake(label) for label in deps] + [
            _FAKE,
            _FAKE + ":checks",
            "@com_google_googletest//:gtest_main",
        ],
        **kwargs
    )
