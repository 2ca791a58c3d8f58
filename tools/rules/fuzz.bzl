"""Fuzz targets: one LLVMFuzzerTestOneInput, built twice.

    ag_fuzz_target(
        name = "program_parser",
        srcs = ["program_parser.cc"],
        corpus = glob(["corpus/program_parser/**"]),
        dictionary = "program.dict",
        deps = [...],
    )

makes :program_parser_test, which replays the corpus in any configuration and runs with all other tests, and
:program_parser, which fuzzes under --config=asan-libfuzzer and is skipped as incompatible elsewhere.
"""

load(":defs.bzl", "ag_binary", "ag_library", "ag_test")

def ag_fuzz_target(name, srcs, corpus, deps = [], dictionary = None, size = "small", tags = [], **kwargs):
    """Declares the two targets.

    Args:
      name: of the fuzzing binary; the replay is name + "_test".
      srcs: sources, one of which defines LLVMFuzzerTestOneInput.
      corpus: files to replay, or labels of filegroups; at least one.
      deps: libraries of the sources.
      dictionary: libFuzzer dictionary, passed to the binary by `bazel run`.
      size: of the replay test.
      tags: of both targets.
      **kwargs: of both targets.
    """
    if not corpus:
        fail("[fuzz] %s has an empty corpus; give it at least one seed input" % name)
    ag_library(
        name = name + "_input",
        testonly = True,
        srcs = srcs,
        alwayslink = True,
        deps = deps,
    )
    ag_test(
        name = name + "_test",
        size = size,
        args = ["$(rootpaths %s)" % label for label in corpus],
        data = corpus,
        tags = tags,
        deps = [
            ":" + name + "_input",
            "//tools/rules:fuzz_replay_main",
        ],
        **kwargs
    )
    ag_binary(
        name = name,
        testonly = True,
        args = ["-dict=$(rootpath %s)" % dictionary] if dictionary else [],
        data = [dictionary] if dictionary else [],
        linkopts = ["-fsanitize=fuzzer"],
        tags = tags + ["manual"],
        target_compatible_with = select({
            "//tools/rules:libfuzzer": [],
            "//conditions:default": ["@platforms//:incompatible"],
        }),
        deps = [":" + name + "_input"],
        **kwargs
    )
