"""mutant_test: a copy of one production source with one defect, which the harness must find and shrink."""

load("//tools/rules:defs.bzl", "ag_test")

def mutant_test(name, source, patch = None, harness = "//proptests/mutants:harness", **kwargs):
    """Passes if the harness finds the defect; without a patch, if it finds nothing.

    The patched copy is one of the test's own sources. It defines every symbol that the original's object file
    does, so the linker never takes the original out of its library: everything else is linked as it stands.
    A patch that no longer applies fails the build, a mutant that survives fails the test.

    Args:
      name: of the mutant, and of its row in the kill matrix.
      source: label of the production source.
      patch: what to do to it; a control without one shows that the copy itself changes nothing.
      harness: library with the main function.
      **kwargs: of ag_test.
    """
    copy = name + "_source"
    patched = [patch] if patch else []
    command = "cp $(location %s) $@ && chmod u+w $@" % source
    if patch:
        # Fails where a hunk no longer matches.
        command += " && patch --quiet --no-backup-if-mismatch $@ $(location %s)" % patch
    native.genrule(
        name = copy,
        testonly = True,
        srcs = [source] + patched,
        outs = ["%s/%s" % (name, source.split(":")[1])],
        cmd = command,
    )
    ag_test(
        name = name + "_test",
        srcs = [":" + copy],
        args = [name, "must_die" if patch else "must_live"],
        size = "medium",
        deps = [harness],
        **kwargs
    )
