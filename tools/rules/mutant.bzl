"""Planted defects: patched copies of production sources, and the tests that must find them.

The copies are sources of the test's own program. They define every symbol that the originals define, so the linker
leaves the originals in their libraries; if it took one, symbols would be defined twice and the link would fail. A patch
that no longer applies fails the build. Each copy reports at start that it is linked, and the programs of the tests end
with an error if it is not (//proptests/mutants).
"""

load("//tools/rules:defs.bzl", "TEST_OPTIMISATION", "ag_binary", "ag_library", "ag_test")
load("//tools/rules:grouped.bzl", "ALONE")

_PLANTED = "//proptests/mutants"

def _planted_sources_impl(ctx):
    copies = [ctx.actions.declare_file(ctx.label.name + "/" + source.path) for source in ctx.files.sources]
    first = ctx.files.sources[0].path
    ctx.actions.run(
        executable = ctx.executable._plant,
        arguments = [
            copies[0].path[:-len(first) - 1],
            ctx.attr.defect,
            ctx.file.patch.path if ctx.file.patch else "",
        ] + [source.path for source in ctx.files.sources],
        inputs = ctx.files.sources + ctx.files.patch,
        outputs = copies,
        mnemonic = "Plant",
        progress_message = "Planting %s" % ctx.attr.defect,
    )
    return [DefaultInfo(files = depset(copies))]

# Copies of `sources` with `patch` applied, to be listed among the srcs of a program that depends on _PLANTED, too.
planted_sources = rule(
    implementation = _planted_sources_impl,
    attrs = {
        "defect": attr.string(mandatory = True),
        "patch": attr.label(allow_single_file = [".patch"]),
        "sources": attr.label_list(allow_files = [".cc"], mandatory = True),
        "_plant": attr.label(
            default = "//tools/rules:plant",
            executable = True,
            cfg = "host",
        ),
    },
)

def _plant(defect, sources, patch):
    shared = [source for source in sources if source[2:].partition(":")[0] not in ALONE]
    planted_sources(
        name = defect + "_source",
        testonly = True,
        visibility = ["//visibility:public"],
        defect = defect,
        patch = patch,
        sources = sources,
        # Under sanitizers all sources but those of ALONE share object files (grouped.bzl): no copy can take their place.
        target_compatible_with = [] if not shared else select({
            "//tools/rules:all_grouped": ["@platforms//:incompatible"],
            "//conditions:default": [],
        }),
    )
    return ":" + defect + "_source"

def _check_rows(planted):
    """Fails unless there is a row for each patch of the package and a patch for each row that plants one."""
    patches = native.glob(["*.patch"])
    for patch in patches:
        if patch[:-len(".patch")] not in planted:
            fail("[mutants] %s has no row in its BUILD file; add one that names the sources it changes" % patch)
    for name in planted:
        if name + ".patch" not in patches:
            fail("[mutants] the row `%s` has no patch; add %s.patch" % (name, name))

def sequential_mutants(rows):
    """A sequential_mutant_test for each row.

    Args:
      rows: from the defect NAME, planted by NAME.patch, to the labels of the sources that it changes, or to a dictionary
        of them and of `programs`, `statements`, `seed`, `pair` and `device`.
    """
    _check_rows(rows)
    for name, row in rows.items():
        arguments = row if type(row) == "dict" else {"sources": row}
        sequential_mutant_test(name = name, patch = name + ".patch", **arguments)

def sequential_mutant_test(name, sources, patch = None, programs = 2000, statements = 5, seed = 1, pair = False, device = None):
    """Passes if generated Programs find the defect and it shrinks; without a patch, if they find nothing.

    Args:
      name: of the defect, and of its row in the kill matrix.
      sources: labels of the production sources that the patch changes.
      patch: what to do to them; a control without one shows that the copies themselves change nothing.
      programs: how many may be needed.
      statements: how many may be left, unless it is a pair.
      seed: of the first Program, which decides the finding that is made small.
      pair: the defect needs a pair of features, and must be found much sooner than with the generators' fixed weights.
      device: where Programs run, as `check --device` has it; drawn if not given.
    """
    ag_test(
        name = name + "_test",
        srcs = [_plant(name, sources, patch)],
        args = [name, "must_die_sooner" if pair else "must_die" if patch else "must_live", str(seed)] +
               [str(programs), str(statements)] + ([device] if device else []),
        size = "medium",
        deps = [
            _PLANTED,
            "//proptests/mutants/sequential:harness",
        ],
    )

def scenario_mutants(rows):
    """A scenario_mutant_test for each row.

    Args:
      rows: from the defect NAME, planted by NAME.patch, to the other arguments of its test, as a dictionary.
    """
    _check_rows(rows)
    for name, row in rows.items():
        scenario_mutant_test(name = name, patch = name + ".patch", **row)

def scenario_mutant_test(name, sources, patch, test, fails, deps):
    """Passes if a unit test fails with the defect.

    Args:
      name: of the defect.
      sources: labels of the production sources that the patch changes.
      patch: what to do to them.
      test: the label of the source of unit tests that meets the defect.
      fails: the name of the test that must fail; of a parametrized one, for its first parameter.
      deps: libraries of the test.
    """
    tests = test.rpartition(":")[2][:-len(".cc")] + "s"
    if not native.existing_rule(tests):  # compiled once for all mutants that it meets
        ag_library(
            name = tests,
            testonly = True,
            srcs = [test],
            copts = TEST_OPTIMISATION,
            alwayslink = True,
            deps = deps + ["@com_google_googletest//:gtest"],
        )
    ag_binary(
        name = name + "_program",
        testonly = True,
        srcs = [_plant(name, sources, patch)],
        deps = deps + [
            ":" + tests,
            _PLANTED,
            "@com_google_googletest//:gtest_main",
        ],
    )
    native.sh_test(
        name = name + "_test",
        size = "small",
        srcs = ["//proptests/mutants/sanitizer:expect_report.sh"],
        args = ["$(rootpath :%s_program)" % name, "'[  FAILED  ]'", fails],
        data = [":%s_program" % name],
        env = {"GTEST_FILTER": "*" + fails},
    )

def concurrent_mutants(rows):
    """A concurrent_mutant_test for each row.

    Args:
      rows: from the defect NAME, planted by NAME.patch, to the other arguments of its test, as a dictionary.
    """
    _check_rows(rows)
    for name, row in rows.items():
        concurrent_mutant_test(name = name, patch = name + ".patch", **row)

def concurrent_mutant_test(name, sources, patch = None, scenario = "", detector = "", rule = "", strategy = "", programs = {}):
    """Passes if the checker finds the defect, replays the schedule and shrinks it.

    Without a patch: if the checker finds nothing in any scenario. NAME_plain runs the scenario on real threads instead,
    to show that they do not find the defect.

    Args:
      name: of the defect.
      sources: labels of the production sources that the patch changes.
      patch: what to do to them; a control without one shows that the copies themselves change nothing.
      scenario: a name of //proptests/mutants/concurrent:scenarios.cc.
      detector: the one that must fire in the scenario.
      rule: of the engine's rules, the one that the defect breaks; empty if its state always looks right.
      strategy: the one that hunts in the scenario; empty: random. A defect of memory orders needs `buffered`.
      programs: if random Programs can find the defect: a dictionary of `detector`, the one that must fire;
        `without_rules`, the one that must fire while the engine's rules are off; `hunt`, which Programs to try (see
        //proptests/mutants/concurrent:mutant.h); and `seed`, of the first Program, which decides the finding that is
        made small.
    """
    row = [name, "scenario=" + scenario, "'detector=%s'" % detector, "'rule=%s'" % rule]
    row += ["strategy=" + strategy] if strategy else []
    row += ["'programs.%s=%s'" % (key, programs[key]) for key in sorted(programs)]
    copies = _plant(name, sources, patch)
    ag_binary(
        name = name + "_plain",
        testonly = True,
        srcs = [copies],
        args = [scenario],
        tags = ["manual"],
        deps = [
            _PLANTED,
            "//proptests/mutants/concurrent:plain",
        ],
    )
    modes = {"_test": "scenario" if patch else "control"}
    if programs:
        modes["_programs_test"] = "programs"
    for suffix, mode in modes.items():
        ag_test(
            name = name + suffix,
            srcs = [copies],
            args = [mode] + row,
            model = True,
            size = "medium",
            deps = [
                _PLANTED,
                "//proptests/mutants/concurrent:harness",
            ],
        )

def sanitizer_mutants(rows):
    """A sanitizer_mutant_test for each row.

    Args:
      rows: from the defect NAME to the other arguments of its test, as a dictionary. A row with sources is planted by
        NAME.patch.
    """
    planted = [name for name, row in rows.items() if "sources" in row]
    _check_rows(planted)
    for name, row in rows.items():
        sanitizer_mutant_test(name = name, patch = name + ".patch" if name in planted else None, **row)

def sanitizer_mutant_test(name, configurations, report, site, sources = [], patch = None, deps = []):
    """Passes if NAME.cc, a program that meets the defect, ends with the sanitizer's report.

    Args:
      name: of the defect.
      configurations: the sanitizers of //tools/rules that see it; elsewhere the test is skipped as incompatible.
      report: what the sanitizer says.
      site: the function or file that the report must name.
      sources: labels of the production sources that the patch changes; none if the defect is in NAME.cc itself.
      patch: what to do to them.
      deps: libraries of the program, those that hold the sources among them.
    """
    compatible = select(dict(
        [("//tools/rules:" + configuration, []) for configuration in configurations] +
        [("//conditions:default", ["@platforms//:incompatible"])],
    ))
    ag_binary(
        name = name + "_program",
        testonly = True,
        srcs = [name + ".cc"] + ([_plant(name, sources, patch)] if patch else []),
        # clang sees a missing lock before any sanitizer does.
        copts = ["-Wno-thread-safety"] if patch else [],
        target_compatible_with = compatible,
        deps = deps + ([_PLANTED] if patch else []),
    )
    native.sh_test(
        name = name + "_test",
        size = "small",
        srcs = ["expect_report.sh"],
        args = ["$(rootpath :%s_program)" % name, "'%s'" % report, "'%s'" % site],
        data = [":%s_program" % name],
        target_compatible_with = compatible,
    )
