"""interleaving_test: a test compiled against the model back end of //autograd/sync.

The same production sources are built twice: as they ship, and, below an interleaving_test, with
every mutex, condition variable, atomic and thread turned into a call of a scheduler that decides the
interleaving. The choice is the build setting //autograd/sync:model; a transition on one attribute
sets it, so one `bazel test` runs both. See //proptests/interleave.
"""

load("//tools/rules:defs.bzl", "ag_test_binary")

def _backend_setting_impl(_ctx):
    return []

# The type of //autograd/sync:model.
backend_setting = rule(
    implementation = _backend_setting_impl,
    build_setting = config.bool(flag = True),
)

def _model_backend_impl(_settings, _attr):
    return {"//autograd/sync:model": True}

model_backend_transition = transition(
    implementation = _model_backend_impl,
    inputs = [],
    outputs = ["//autograd/sync:model"],
)

def _interleaving_test_impl(ctx):
    binary = ctx.attr.binary[0][DefaultInfo]
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(
        output = executable,
        target_file = binary.files_to_run.executable,
        is_executable = True,
    )
    return [DefaultInfo(
        executable = executable,
        runfiles = ctx.runfiles(ctx.files.data).merge(binary.default_runfiles),
    )]

_interleaving_test = rule(
    implementation = _interleaving_test_impl,
    attrs = {
        "binary": attr.label(
            cfg = model_backend_transition,
            executable = True,
            mandatory = True,
        ),
        "data": attr.label_list(allow_files = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    test = True,
)

# An existing binary, its closure compiled against the model, as a test.
model_binary_test = _interleaving_test

def _model_binary_impl(ctx):
    binary = ctx.attr.binary[0][DefaultInfo]
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(
        output = executable,
        target_file = binary.files_to_run.executable,
        is_executable = True,
    )
    return [DefaultInfo(executable = executable, runfiles = binary.default_runfiles)]

# An existing binary, its closure compiled against the model, as a program to start.
model_binary = rule(
    implementation = _model_binary_impl,
    attrs = {
        "binary": attr.label(
            cfg = model_backend_transition,
            executable = True,
            mandatory = True,
        ),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    executable = True,
)

def interleaving_test(name, srcs, deps = [], data = [], size = "small", tags = [], **kwargs):
    """A GoogleTest whose whole closure is compiled against the model back end.

    Args:
      name: name of the test.
      srcs: sources; their tests call twingrad::interleave::Explore.
      deps: as for cc_test, without a main function (gtest_main is added).
      data: as for cc_test.
      size: as for cc_test.
      tags: as for cc_test.
      **kwargs: further attributes of the test rule, such as shard_count.
    """
    ag_test_binary(
        name = name + "_binary",
        srcs = srcs,
        tags = ["manual"],
        deps = deps + ["@com_google_googletest//:gtest_main"],
    )
    _interleaving_test(
        name = name,
        testonly = True,
        binary = ":" + name + "_binary",
        data = data,
        size = size,
        tags = tags,
        **kwargs
    )
