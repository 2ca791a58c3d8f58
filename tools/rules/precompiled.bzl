"""precompiled_header: what most sources include, parsed once a configuration instead of once a source.

Parsing the standard library takes a compiler longer than compiling most of our files. GCC and clang read HEADER.gch in
place of HEADER where the flags are the same; where they are not, GCC says so (-Winvalid-pch) and reads HEADER itself,
clang refuses. Clang uses it in tsan, asan-ubsan and asan-libfuzzer, and nowhere else: in the other configurations each
file still has to include all that it uses.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _compiler_flags(toolchain):
    """Clang would refuse headers whose time has changed, although Bazel goes by their content."""
    return ["-Xclang", "-fno-pch-timestamp", "-fpch-instantiate-templates"] if toolchain.compiler == "clang" else []

def _requirements(toolchain):
    """Clang keeps the header's absolute path, which shall be neither that of a sandbox nor of another machine."""
    return {"local": "1", "no-cache": "1"} if toolchain.compiler == "clang" else {}

def _precompiled_header_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    context = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]).compilation_context
    variables = cc_common.create_compile_variables(
        cc_toolchain = toolchain,
        feature_configuration = features,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts,
        include_directories = context.includes,
        quote_include_directories = context.quote_includes,
        system_include_directories = context.system_includes,
    )
    flags = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = CPP_COMPILE_ACTION_NAME,
        variables = variables,
    )
    header = ctx.actions.declare_file(ctx.label.name + ".h")
    compiled = ctx.actions.declare_file(ctx.label.name + ".h.gch")
    ctx.actions.symlink(output = header, target_file = ctx.file.hdr)
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
        ),
        arguments = flags + _compiler_flags(toolchain) + ["-x", "c++-header", "-c", ctx.file.hdr.path, "-o", compiled.path],
        inputs = depset([ctx.file.hdr], transitive = [context.headers, toolchain.all_files]),
        outputs = [compiled],
        execution_requirements = _requirements(toolchain),
        mnemonic = "CppPrecompile",
        progress_message = "Precompiling %s" % ctx.file.hdr.short_path,
    )
    own = cc_common.create_compilation_context(headers = depset([ctx.file.hdr, header, compiled]))
    return [
        DefaultInfo(files = depset([header, compiled])),
        cc_common.merge_cc_infos(direct_cc_infos = [CcInfo(compilation_context = own)], cc_infos = [CcInfo(compilation_context = context)]),
    ]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    attrs = {
        "hdr": attr.label(allow_single_file = [".h"], mandatory = True),
        "copts": attr.string_list(doc = "Flags beyond those of the configuration; users of the header need the same."),
        "deps": attr.label_list(providers = [CcInfo], doc = "Whose headers it includes."),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
