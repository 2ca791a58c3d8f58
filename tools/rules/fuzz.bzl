"""Fuzz targets: one LLVMFuzzerTestOneInput, built twice.

    ag_fuzz_target(
        name = "program_parser",
        srcs = ["program_parser.cc"],
        corpus = glob(["corpus/program_parser/**"]),
        dictionary = "program.dict",
        deps = [...],
    )

makes :program_parser_test, which replays the corpus in any configuration and runs with all other tests, and
:program_parser, which fuzzes under --config=asan-libfuzzer and is skipped as incompatible elsewhere. A service that runs
it (.clusterfuzzlite) takes :program_parser_pack too: the seeds, options and dictionary that lie beside the binary.
Under --config=afl the same binary is one for AFL++, which :program_parser.afl starts with seeds and dictionary.
"""

load(":defs.bzl", "ag_binary", "ag_library", "ag_test")

# Of Debian's package afl++: a main function, and what a process tells afl-fuzz.
_AFL = ["/usr/lib/afl/libAFLDriver.a", "/usr/lib/afl/afl-compiler-rt.o"]

def fuzz_defaults(arguments, asan_options):
    """What fuzz_defaults.cc is compiled with.

    Args:
      arguments: flags of libFuzzer.
      asan_options: further options of AddressSanitizer.
    """
    defaults = {"TWINGRAD_FUZZ_FLAGS": arguments, "TWINGRAD_ASAN_OPTIONS": asan_options}
    return ['%s=\\"%s\\"' % (name, "".join([":" + one for one in defaults[name]])) for name in defaults]

def ag_fuzz_target(
        name,
        srcs,
        corpus,
        deps = [],
        dictionary = None,
        arguments = [],
        asan_options = [],
        size = "small",
        tags = [],
        model = False,
        mutants = {},
        **kwargs):
    """Declares the two targets.

    Args:
      name: of the fuzzing binary; the replay is name + "_test".
      srcs: sources, one of which defines LLVMFuzzerTestOneInput.
      corpus: files to replay, or labels of filegroups; at least one.
      deps: libraries of the sources.
      dictionary: libFuzzer dictionary, passed to the binary by `bazel run`.
      arguments: flags of libFuzzer that the target sets unless its user does.
      asan_options: the same of AddressSanitizer, besides those of every target (fuzz_defaults.cc).
      size: of the replay test.
      tags: of both targets.
      model: against the model back end of //autograd/sync (backends.bzl).
      mutants: from a planted defect to the label of its sources (mutant.bzl); each makes a fuzzing binary NAME.DEFECT
        of the same kind, which ought to find it, and NAME.DEFECT.afl.
      **kwargs: of both targets.
    """
    if not corpus:
        fail("[fuzz] %s has an empty corpus; give it at least one seed input" % name)
    ag_library(
        name = name + "_input",
        testonly = True,
        srcs = srcs,
        alwayslink = True,
        model = model,
        deps = deps,
    )
    ag_test(
        name = name + "_test",
        size = size,
        args = ["$(rootpaths %s)" % label for label in corpus],
        data = corpus,
        tags = tags,
        model = model,
        deps = [
            ":" + name + "_input",
            "//tools/rules:fuzz_replay_main",
        ],
        **kwargs
    )
    ag_library(
        name = name + "_defaults",
        testonly = True,
        srcs = ["//tools/rules:fuzz_defaults.cc"],
        alwayslink = True,
        group = False,
        # Another engine takes libFuzzer's flags for files.
        local_defines = select({
            "//tools/rules:libfuzzer": fuzz_defaults(arguments, asan_options),
            "//conditions:default": fuzz_defaults([], asan_options),
        }),
        tags = tags + ["manual"],
    )
    dictionaries = [dictionary] if dictionary else []
    native.genrule(
        name = name + "_pack",
        testonly = True,
        srcs = corpus + dictionaries,
        outs = ["pack/%s%s" % (name, kind) for kind in ["_seed_corpus.zip", ".options"] + [".dict"] * len(dictionaries)],
        cmd = " ".join(
            ["$(execpath //tools/rules:fuzz_pack)", "--zip=$(RULEDIR)/pack/%s_seed_corpus.zip" % name] +
            ["--options=$(RULEDIR)/pack/%s.options" % name] +
            ["--dict=$(RULEDIR)/pack/%s.dict --words=$(execpath %s)" % (name, label) for label in dictionaries] +
            ["--flag=" + flag for flag in arguments] +
            ["$(execpaths %s)" % label for label in corpus],
        ),
        tags = tags + ["manual"],
        tools = ["//tools/rules:fuzz_pack"],
    )
    binaries = {name: []}
    binaries.update({name + "." + defect: [sources] for defect, sources in mutants.items()})
    for binary, sources in binaries.items():
        ag_binary(
            name = binary,
            testonly = True,
            srcs = sources,
            copts = ["-Wno-thread-safety"] if sources else [],  # A missing lock is for the fuzzer to find.
            args = ["-dict=$(rootpath %s)" % label for label in dictionaries],
            data = dictionaries,
            linkopts = select({
                "//tools/rules:libfuzzer": ["-fsanitize=fuzzer"],
                "//tools/rules:afl": _AFL,
                "//conditions:default": [],
            }),
            tags = tags + ["manual", "fuzz-target"],
            model = model,
            target_compatible_with = select({
                "//tools/rules:libfuzzer": [],
                "//tools/rules:afl": [],
                "//tools/rules:fuzzing_service": [],
                "//conditions:default": ["@platforms//:incompatible"],
            }),
            deps = [":" + name + "_defaults", ":" + name + "_input"] + (["//proptests/mutants"] if sources else []),
            **kwargs
        )
        native.py_binary(
            name = binary + ".afl",
            testonly = True,
            srcs = ["//tools/rules:afl.py"],
            args = ["--target=$(rootpath :%s)" % binary] +
                   ["--dictionary=$(rootpath %s)" % label for label in dictionaries] +
                   ["$(rootpaths %s)" % label for label in corpus],
            data = [":" + binary] + corpus + dictionaries,
            main = "//tools/rules:afl.py",
            srcs_version = "PY3",
            tags = tags + ["manual"],
            target_compatible_with = select({
                "//tools/rules:afl": [],
                "//conditions:default": ["@platforms//:incompatible"],
            }),
        )
