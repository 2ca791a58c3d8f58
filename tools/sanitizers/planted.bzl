"""planted_defect_test: a program with one defect, and the report that its sanitizer must make of it."""

load("//tools/rules:defs.bzl", "ag_binary")

def planted_defect_test(name, srcs, configurations, report, site):
    """Passes if the program dies with the report.

    Args:
      name: of the test.
      srcs: the program.
      configurations: the sanitizers of //tools/rules that see the defect; elsewhere the test is skipped.
      report: what the sanitizer says.
      site: the source file that the report must name.
    """
    compatible = select(dict(
        [("//tools/rules:" + configuration, []) for configuration in configurations] +
        [("//conditions:default", ["@platforms//:incompatible"])],
    ))
    ag_binary(
        name = name + "_program",
        testonly = True,
        srcs = srcs,
        target_compatible_with = compatible,
    )
    native.sh_test(
        name = name,
        size = "small",
        srcs = ["expect_report.sh"],
        args = ["$(rootpath :%s_program)" % name, "'%s'" % report, site],
        data = [":" + name + "_program"],
        target_compatible_with = compatible,
    )
