"""laid_out: a program whose code lies in the order in which a run of it executes it (lay_out.py).

    laid_out(
        name = "oracle",
        as_linked = ":oracle_as_linked",
        run = ["check", "--programs=6000"],
    )

In optimised configurations, where the machine has BOLT; else the program as it was linked. The program to lay out is
linked with LINKOPTS.
"""

load("@local_bolt//:bolt.bzl", "BOLT", "MERGE")

# BOLT moves what it knows all references of. To list them gold must keep all sections: else it ends with an internal error.
LINKOPTS = select({
    "//tools/rules:laid_out": ["-Wl,--emit-relocs", "-Wl,--no-gc-sections"],
    "//conditions:default": [],
}) if BOLT else []

def _laid_out_impl(ctx):
    as_linked = ctx.executable.as_linked
    out = ctx.actions.declare_file(ctx.label.name)
    if ctx.attr.lays_out:
        ctx.actions.run(
            executable = ctx.executable._lay_out,
            arguments = ["--bolt=" + BOLT, "--merge=" + MERGE, as_linked.path, out.path] + ctx.attr.run,
            inputs = [as_linked],
            outputs = [out],
            mnemonic = "LayOut",
            progress_message = "Laying out %s by a run of it" % ctx.label.name,
            use_default_shell_env = True,
        )
    else:
        # No link: a program looks for its runfiles where its file lies.
        ctx.actions.run_shell(
            command = 'cp -- "$1" "$2"',
            arguments = [as_linked.path, out.path],
            inputs = [as_linked],
            outputs = [out],
            mnemonic = "CopyAsLinked",
        )
    runfiles = ctx.attr.as_linked[DefaultInfo].default_runfiles
    return [DefaultInfo(executable = out, runfiles = ctx.runfiles([out]).merge(runfiles))]

_laid_out = rule(
    implementation = _laid_out_impl,
    executable = True,
    attrs = {
        "as_linked": attr.label(executable = True, cfg = "target", mandatory = True),
        "lays_out": attr.bool(),
        "run": attr.string_list(mandatory = True),
        "_lay_out": attr.label(
            default = "//tools/rules:lay_out",
            executable = True,
            cfg = "exec",
        ),
    },
)

def laid_out(name, as_linked, run, **kwargs):
    _laid_out(
        name = name,
        as_linked = as_linked,
        lays_out = select({
            "//tools/rules:laid_out": bool(BOLT),
            "//conditions:default": False,
        }),
        run = run,
        **kwargs
    )
