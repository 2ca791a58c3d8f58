"""static_bundle: one static library of all that some libraries need, and their headers.

    static_bundle(
        name = "libtwingrad",
        out = "libtwingrad.a",
        deps = ["//autograd"],
    )

The names of third-party code in it are its own (tools/install/bundle.py). The headers of this repository are among
the runfiles, for who installs them.
"""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _archives(deps):
    found = []
    for dep in deps:
        for linker_input in dep[CcInfo].linking_context.linker_inputs.to_list():
            for library in linker_input.libraries:
                archive = library.static_library or library.pic_static_library
                if archive:
                    found.append(archive)
    return depset(found).to_list()

def _static_bundle_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    archives = _archives(ctx.attr.deps)
    ctx.actions.run(
        executable = ctx.executable._bundle,
        arguments = [
            "--nm=" + toolchain.nm_executable,
            "--objcopy=" + toolchain.objcopy_executable,
            "--ar=" + toolchain.ar_executable,
            "--out=" + ctx.outputs.out.path,
        ] + [archive.path for archive in archives],
        inputs = depset(archives, transitive = [toolchain.all_files]),
        outputs = [ctx.outputs.out],
        mnemonic = "StaticBundle",
        progress_message = "Bundling %d libraries" % len(archives),
        use_default_shell_env = True,
    )
    context = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]).compilation_context
    headers = [
        header
        for header in context.headers.to_list()
        if header.owner.workspace_name == "" and header.is_source
    ]
    return [DefaultInfo(
        files = depset([ctx.outputs.out]),
        runfiles = ctx.runfiles([ctx.outputs.out] + headers),
    )]

static_bundle = rule(
    implementation = _static_bundle_impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo], mandatory = True),
        "out": attr.output(mandatory = True),
        "_bundle": attr.label(
            default = "//tools/install:bundle",
            executable = True,
            cfg = "exec",
        ),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
