"""@local_sqlite: SQLite of this machine (package libsqlite3-dev), for the results of campaigns.

C libraries that take no callbacks stay as the distribution builds them, under sanitizers too. tools/bazel installs the
package. Gives

    @local_sqlite//:sqlite    <sqlite3.h>, which lies where the compiler looks by itself
"""

_BUILD = """
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "sqlite",
    linkopts = ["-lsqlite3"],
)
"""

def _local_sqlite_impl(ctx):
    if not ctx.path("/usr/include/sqlite3.h").exists:
        fail("[third_party] SQLite is not installed: /usr/include/sqlite3.h is missing; allowed is version 3.40 of the " +
             "distribution; install libsqlite3-dev, or start Bazel as tools/bazel, which does")
    ctx.file("BUILD.bazel", _BUILD)

local_sqlite = repository_rule(
    implementation = _local_sqlite_impl,
    local = True,
    configure = True,
)
