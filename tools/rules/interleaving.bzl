"""interleaving_test: a test compiled against the model back end of //autograd/sync.

The same production sources are built twice: as they ship, and, below an interleaving_test, with every mutex,
condition variable, atomic and thread turned into a call of a scheduler that decides the interleaving. backends.bzl
says which libraries that concerns; one `bazel test` runs both. See //proptests/interleave.
"""

load("//tools/rules:defs.bzl", "ag_test")

def interleaving_test(name, deps = [], **kwargs):
    """A GoogleTest whose whole closure is compiled against the model back end.

    Args:
      name: of the test. Its sources call twingrad::interleave::Explore.
      deps: without a main function: GoogleTest's is added.
      **kwargs: further attributes of ag_test.
    """
    ag_test(
        name = name,
        model = True,
        deps = deps + ["@com_google_googletest//:gtest_main"],
        **kwargs
    )
