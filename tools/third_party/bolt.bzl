"""@local_bolt: BOLT of this machine (package bolt-19), which lays out the code of the oracle (tools/rules/layout.bzl).

tools/bazel installs the package; a build without it is slower and else the same. Gives

    @local_bolt//:bolt.bzl    BOLT and MERGE, the paths of llvm-bolt and merge-fdata, empty where they are missing
"""

def _local_bolt_impl(ctx):
    # By the names that the package gives them in /usr/bin, BOLT does not find its own library.
    programs = [ctx.path("/usr/lib/llvm-19/bin/" + name) for name in ["llvm-bolt", "merge-fdata"]]
    present = all([program.exists for program in programs])
    if not present:
        print("[third_party] no BOLT 19: the oracle stays as it is linked and judges fewer Programs a second; install bolt-19 to have it laid out")
    ctx.file("BUILD.bazel", "")
    ctx.file("bolt.bzl", "BOLT, MERGE = {}".format(repr([str(program) if present else "" for program in programs])))

local_bolt = repository_rule(
    implementation = _local_bolt_impl,
    local = True,
    configure = True,
)
