"""mutant_test, interleaving_mutant_test: copies of production sources with one defect, which a harness must find.

The copies are the test's own sources. They define every symbol that the originals' object files do, so the linker
never takes the originals out of their libraries: everything else is linked as it stands. A patch that no longer
applies fails the build, a mutant that survives fails the test.
"""

load("//tools/rules:defs.bzl", "ag_binary", "ag_test")

def mutant_test(name, source, patch = None, harness = "//proptests/mutants:harness", **kwargs):
    """Passes if the harness finds the defect; without a patch, if it finds nothing.

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

def patched_copies(name, sources, patch):
    """Labels of copies of `sources` with `patch` applied, that include one another instead of the originals."""
    package = native.package_name()
    command = "mkdir -p $(RULEDIR)/{n} && cp $(SRCS) $(RULEDIR)/{n}/ && cd $(RULEDIR)/{n} && chmod u+w *".format(n = name)
    command = "root=$$PWD && " + command
    if patch:
        # Fails where a hunk no longer matches. The patch names files from the root of the repository.
        command += " && patch -p2 --quiet --no-backup-if-mismatch -i $$root/$(location %s) && rm -f *.patch" % patch
    for source in sources:
        path = source[2:].replace(":", "/")
        # Reports name the lines of the copy under the original's name.
        command += " && sed -i '1i #line 1 \"%s\"' %s" % (path, path.split("/")[-1])
        if path.endswith(".h"):
            own = "%s/%s/%s" % (package, name, path.split("/")[-1])
            command += " && sed -i 's|#include \"%s\"|#include \"%s\"|' *" % (path, own)
    native.genrule(
        name = name + "_source",
        testonly = True,
        srcs = sources + ([patch] if patch else []),
        outs = ["%s/%s" % (name, source.split(":")[1]) for source in sources],
        cmd = command,
    )
    return ":" + name + "_source"

def interleaving_mutant_test(
        name,
        sources,
        patch = None,
        harness = "//proptests/mutants/interleave:harness",
        plain = "//proptests/mutants/interleave:plain",
        programs = False):
    """Passes if the checker finds the defect in the sources compiled against the model, replays and shrinks it.

    NAME_plain is the same defect on real threads, to show that they do not find it.

    Args:
      name: of the mutant, and of its scenario.
      sources: labels of production sources, headers included where the patch changes them.
      patch: what to do to them; a control without one shows that the copies themselves change nothing.
      harness: library with the main function of the test.
      plain: library with the main function of NAME_plain.
      programs: whether NAME_programs_test finds it with random Programs, too.
    """
    copies = patched_copies(name, sources, patch)
    ag_binary(
        name = name + "_plain",
        testonly = True,
        srcs = [copies],
        args = [name],
        tags = ["manual"],
        deps = [plain],
    )
    ag_test(
        name = name + "_test",
        srcs = [copies],
        args = [name, "must_die" if patch else "must_live"],
        model = True,
        size = "medium",
        deps = [harness],
    )
    if programs:
        ag_test(
            name = name + "_programs_test",
            srcs = [copies],
            args = [name, "programs"],
            model = True,
            size = "medium",
            deps = [harness],
        )
