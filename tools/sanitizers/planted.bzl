"""planted_defect_test: a program with one defect, and the report that its sanitizer must make of it."""

load("//tools/rules:defs.bzl", "ag_binary")

def _patched_copy(name, source, patch):
    # A patch that no longer applies fails the build: the defect would be gone unnoticed.
    native.genrule(
        name = name,
        testonly = True,
        srcs = [
            source,
            patch,
        ],
        outs = ["%s/%s" % (name, source.split(":")[1])],
        cmd = "cp $(location %s) $@ && chmod u+w $@ && patch --quiet --no-backup-if-mismatch $@ $(location %s)" % (source, patch),
        tags = ["manual"],
    )

def planted_defect_test(name, srcs, configurations, report, site, source = None, patch = None, deps = []):
    """Passes if the program dies with the report.

    Args:
      name: of the test.
      srcs: the program.
      configurations: the sanitizers of //tools/rules that see the defect; elsewhere the test is skipped.
      report: what the sanitizer says.
      site: the function or file that the report must name.
      source: a production source to plant the defect in; its patched copy is linked in place of the original.
      patch: what to do to it.
      deps: libraries of the program, the one that holds the source among them.
    """
    compatible = select(dict(
        [("//tools/rules:" + configuration, []) for configuration in configurations] +
        [("//conditions:default", ["@platforms//:incompatible"])],
    ))
    mutant = []
    if source:
        _patched_copy(name + "_mutant", source, patch)
        mutant = [":" + name + "_mutant"]
    ag_binary(
        name = name + "_program",
        testonly = True,
        srcs = srcs + mutant,
        # clang sees a missing lock before any sanitizer does.
        copts = ["-Wno-thread-safety"] if source else [],
        target_compatible_with = compatible,
        deps = deps,
    )
    native.sh_test(
        name = name,
        size = "small",
        srcs = ["expect_report.sh"],
        args = ["$(rootpath :%s_program)" % name, "'%s'" % report, "'%s'" % site],
        data = [":" + name + "_program"],
        target_compatible_with = compatible,
    )
