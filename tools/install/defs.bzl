"""installation: a program that installs some libraries as one, and its test.

    installation(
        name = "install",
        deps = ["//autograd"],
    )

`tools/bazel run :install -- --prefix=DIR` installs; :install_test builds and runs a project of a user over the result.
"""

load("//tools/rules:bundle.bzl", "static_bundle")

# Instrumented objects need a run-time of their own, which an ordinary program does not have.
_INSTRUMENTED = ["asan", "asan_ubsan", "coverage", "tsan", "ubsan"]

def _unless_instrumented(value, otherwise):
    branches = {"//tools/rules:" + name: otherwise for name in _INSTRUMENTED}
    branches["//conditions:default"] = value
    return select(branches)

def installation(name, deps, **kwargs):
    """NAME and NAME_test, of one library libtwingrad.a with all that `deps` need.

    Args:
      name: of the program.
      deps: libraries that users call.
      **kwargs: further attributes of the program.
    """
    static_bundle(
        name = name + "_library",
        out = "libtwingrad.a",
        deps = deps,
    )
    library = ["libtwingrad.a", ":%s_library" % name]
    native.py_binary(
        name = name,
        srcs = ["//tools/install:install.py"],
        main = "//tools/install:install.py",
        args = ["--library=$(rootpath libtwingrad.a)"],
        data = library + ["//tools/install:templates"],
        deps = ["//tools/install:headers"],
        **kwargs
    )
    native.py_test(
        name = name + "_test",
        size = "medium",
        srcs = ["//tools/install:install_test.py"],
        main = "//tools/install:install_test.py",
        args = _unless_instrumented(["$(rootpath libtwingrad.a)"], ["skip_instrumented"]),
        data = ["//tools/install:example", "//tools/install:templates"] + _unless_instrumented(library, []),
        tags = ["no-asan", "no-tsan"],
        deps = ["//tools/install", "//tools/install:headers"],
    )
