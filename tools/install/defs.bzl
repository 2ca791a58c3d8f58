"""installation: a program that installs some libraries as one, and its test.

    installation(
        name = "install",
        deps = ["//autograd"],
    )

`tools/bazel run :install -- --prefix=DIR` installs; :install_test builds and runs a project of a user over the result.
"""

load("//tools/rules:bundle.bzl", "static_bundle")

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

    # The compiler is the one that the library is made by, without a sanitizer's flags.
    native.py_test(
        name = name + "_test",
        size = "medium",
        srcs = ["//tools/install:install_test.py"],
        main = "//tools/install:install_test.py",
        args = ["$(rootpath libtwingrad.a)"],
        data = library + ["//tools/install:example", "//tools/install:templates"],
        tags = ["no-asan", "no-tsan"],
        deps = ["//tools/install", "//tools/install:headers"],
    )
